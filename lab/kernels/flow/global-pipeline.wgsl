// Scheme global-pipeline (Romera et al. 2023, Fig. 6): DEPTH iterations in one dispatch, without workgroup memory. A workgroup has a strip of ROWS rows over the
// whole width, and works on its own copy of them and of DEPTH rows more at both ends; in step t iteration k of 1 … DEPTH works on line t − k + 1.
// The threads stride over the columns, z is the pair.

#import ../../../dist/pixels/flow/gpu/state

override THREADS: u32 = 256;
override DEPTH: u32;
// Of a strip.
override ROWS: u32;

// A copy of ROWS + 2 DEPTH rows a workgroup.
@group(0) @binding(8) var<storage, read_write> copy: array<Pair>;
@group(0) @binding(9) var<storage, read_write> copyDual: array<Dual>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let plane = group.z * run.height;
  let strip = group.y * ROWS;
  let stripEnd = min(strip + ROWS, run.height);
  let top = max(strip, DEPTH) - DEPTH;
  let bottom = min(stripEnd + DEPTH, run.height);
  let ownRows = (group.z * groups.y + group.y) * (ROWS + 2 * DEPTH);
  for (var t = top; t < bottom + DEPTH; t++) {
    if (t < bottom) {
      for (var x = local; x < run.width; x += THREADS) {
        let i = (plane + t) * run.width + x;
        let l = (ownRows + t - top) * run.width + x;
        copy[l] = unknown[i];
        copyDual[l] = dualIn[i];
      }
    }
    storageBarrier();
    for (var k = 1u; k <= DEPTH; k++) {
      // The line of u; that of p is the one above. Below top it wraps.
      let y = t + 1 - k;
      if (y >= top && y < bottom) {
        for (var x = local; x < run.width; x += THREADS) {
          let i = (plane + y) * run.width + x;
          let l = (ownRows + y - top) * run.width + x;
          let own = copyDual[l];
          var divergence = dualAlongX(own) + dualAlongY(own);
          if (x > 0) { divergence -= dualAlongX(copyDual[l - 1]); }
          if (y > top) { divergence -= dualAlongY(copyDual[l - run.width]); }
          copy[l] = toPair(primal(ofPair(copy[l]), slopeOf(ofPair(slope[i])), ofSingle(residual[i]), divergence));
        }
      }
      storageBarrier();
      if (y > top && y <= bottom) {
        for (var x = local; x < run.width; x += THREADS) {
          let i = (plane + y - 1) * run.width + x;
          let l = (ownRows + y - 1 - top) * run.width + x;
          let start = baseSlopes(x, y - 1, i);
          let here = ofPair(copy[l]);
          var alongX = Num2(0.0);
          var alongY = Num2(0.0);
          if (x + 1 < run.width) { alongX = (ofPair(copy[l + 1]) - here) + start.alongX; }
          if (y < bottom) { alongY = (ofPair(copy[l + run.width]) - here) + start.alongY; }
          copyDual[l] = dual(copyDual[l], alongX, alongY);
        }
      }
      storageBarrier();
    }
    let done = t - DEPTH;
    if (t >= DEPTH && done >= strip && done < stripEnd) {
      for (var x = local; x < run.width; x += THREADS) {
        let i = (plane + done) * run.width + x;
        let l = (ownRows + done - top) * run.width + x;
        unknownOut[i] = copy[l];
        dualOut[i] = copyDual[l];
      }
    }
  }
}
