// Scheme shared-pipeline (Romera et al. 2023, Fig. 7): DEPTH iterations in one dispatch. A workgroup walks down a window of W columns of a strip
// of ROWS rows; in step t iteration k of 1 … DEPTH works on line t − k + 1, as soon as line t − k + 2 of iteration k − 1 is there. The last DEPTH + 1
// lines of everything lie in workgroup memory, line y in slot y mod DEPTH + 1. Windows and strips are longer by DEPTH pixels at both ends.
// A thread has a column, z is the pair.

#import ../../../dist/pixels/flow/gpu/state

override W: u32 = 128;
override DEPTH: u32;
// Of a strip.
override ROWS: u32;

var<workgroup> line: array<Pair, W * (DEPTH + 1)>;
var<workgroup> lineDual: array<Dual, W * (DEPTH + 1)>;
var<workgroup> lineSlope: array<Pair, W * (DEPTH + 1)>;
var<workgroup> lineResidual: array<Single, W * (DEPTH + 1)>;

@compute @workgroup_size(W)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let x = group.x * (W - 2 * DEPTH) + local - DEPTH;
  let inside = x < run.width;
  let hasLeft = local > 0 && x > 0;
  let hasRight = local < W - 1 && x + 1 < run.width;
  let kept = inside && local >= DEPTH && local < W - DEPTH;
  let plane = group.z * run.height;
  let strip = group.y * ROWS;
  let stripEnd = min(strip + ROWS, run.height);
  let top = max(strip, DEPTH) - DEPTH;
  let bottom = min(stripEnd + DEPTH, run.height);
  for (var t = top; t < bottom + DEPTH; t++) {
    if (inside && t < bottom) {
      let i = (plane + t) * run.width + x;
      let l = (t % (DEPTH + 1)) * W + local;
      line[l] = unknown[i];
      lineDual[l] = dualIn[i];
      lineSlope[l] = slope[i];
      lineResidual[l] = residual[i];
    }
    workgroupBarrier();
    for (var k = 1u; k <= DEPTH; k++) {
      // The line of u; that of p is the one above. Below top it wraps.
      let y = t + 1 - k;
      let l = (y % (DEPTH + 1)) * W + local;
      let above = ((y + DEPTH) % (DEPTH + 1)) * W + local;
      if (inside && y >= top && y < bottom) {
        let own = lineDual[l];
        var divergence = dualAlongX(own) + dualAlongY(own);
        if (hasLeft) { divergence -= dualAlongX(lineDual[l - 1]); }
        if (y > top) { divergence -= dualAlongY(lineDual[above]); }
        line[l] = toPair(primal(ofPair(line[l]), slopeOf(ofPair(lineSlope[l])), ofSingle(lineResidual[l]), divergence));
      }
      workgroupBarrier();
      if (inside && y > top && y <= bottom) {
        let i = (plane + y - 1) * run.width + x;
        let start = baseSlopes(x, y - 1, i);
        let here = ofPair(line[above]);
        var alongX = Num2(0.0);
        var alongY = Num2(0.0);
        if (hasRight) { alongX = (ofPair(line[above + 1]) - here) + start.alongX; }
        if (y < bottom) { alongY = (ofPair(line[l]) - here) + start.alongY; }
        lineDual[above] = dual(lineDual[above], alongX, alongY);
      }
      workgroupBarrier();
    }
    let done = t - DEPTH;
    if (kept && t >= DEPTH && done >= strip && done < stripEnd) {
      let i = (plane + done) * run.width + x;
      let l = (done % (DEPTH + 1)) * W + local;
      unknownOut[i] = line[l];
      dualOut[i] = lineDual[l];
    }
  }
}
