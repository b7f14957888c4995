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
@group(0) @binding(9) var<storage, read_write> copy_dual: array<Dual>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let plane = group.z * run.height;
  let strip = group.y * ROWS;
  let strip_end = min(strip + ROWS, run.height);
  let top = max(strip, DEPTH) - DEPTH;
  let bottom = min(strip_end + DEPTH, run.height);
  let own_rows = (group.z * groups.y + group.y) * (ROWS + 2 * DEPTH);
  for (var t = top; t < bottom + DEPTH; t++) {
    if (t < bottom) {
      for (var x = local; x < run.width; x += THREADS) {
        let i = (plane + t) * run.width + x;
        let l = (own_rows + t - top) * run.width + x;
        copy[l] = unknown[i];
        copy_dual[l] = dual_in[i];
      }
    }
    storageBarrier();
    for (var k = 1u; k <= DEPTH; k++) {
      // The line of u; that of p is the one above. Below top it wraps.
      let y = t + 1 - k;
      if (y >= top && y < bottom) {
        for (var x = local; x < run.width; x += THREADS) {
          let i = (plane + y) * run.width + x;
          let l = (own_rows + y - top) * run.width + x;
          let own = copy_dual[l];
          var divergence = dual_along_x(own) + dual_along_y(own);
          if (x > 0) { divergence -= dual_along_x(copy_dual[l - 1]); }
          if (y > top) { divergence -= dual_along_y(copy_dual[l - run.width]); }
          copy[l] = to_pair(primal(of_pair(copy[l]), slope_of(of_pair(slope[i])), of_single(residual[i]), divergence));
        }
      }
      storageBarrier();
      if (y > top && y <= bottom) {
        for (var x = local; x < run.width; x += THREADS) {
          let i = (plane + y - 1) * run.width + x;
          let l = (own_rows + y - 1 - top) * run.width + x;
          let start = base_slopes(x, y - 1, i);
          let here = of_pair(copy[l]);
          var along_x = Num2(0.0);
          var along_y = Num2(0.0);
          if (x + 1 < run.width) { along_x = (of_pair(copy[l + 1]) - here) + start.along_x; }
          if (y < bottom) { along_y = (of_pair(copy[l + run.width]) - here) + start.along_y; }
          copy_dual[l] = dual(copy_dual[l], along_x, along_y);
        }
      }
      storageBarrier();
    }
    let done = t - DEPTH;
    if (t >= DEPTH && done >= strip && done < strip_end) {
      for (var x = local; x < run.width; x += THREADS) {
        let i = (plane + done) * run.width + x;
        let l = (own_rows + done - top) * run.width + x;
        unknown_out[i] = copy[l];
        dual_out[i] = copy_dual[l];
      }
    }
  }
}
