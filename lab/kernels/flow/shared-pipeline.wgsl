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
var<workgroup> line_dual: array<Dual, W * (DEPTH + 1)>;
var<workgroup> line_slope: array<Pair, W * (DEPTH + 1)>;
var<workgroup> line_residual: array<Single, W * (DEPTH + 1)>;

@compute @workgroup_size(W)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let x = group.x * (W - 2 * DEPTH) + local - DEPTH;
  let inside = x < run.width;
  let has_left = local > 0 && x > 0;
  let has_right = local < W - 1 && x + 1 < run.width;
  let kept = inside && local >= DEPTH && local < W - DEPTH;
  let plane = group.z * run.height;
  let strip = group.y * ROWS;
  let strip_end = min(strip + ROWS, run.height);
  let top = max(strip, DEPTH) - DEPTH;
  let bottom = min(strip_end + DEPTH, run.height);
  for (var t = top; t < bottom + DEPTH; t++) {
    if (inside && t < bottom) {
      let i = (plane + t) * run.width + x;
      let l = (t % (DEPTH + 1)) * W + local;
      line[l] = unknown[i];
      line_dual[l] = dual_in[i];
      line_slope[l] = slope[i];
      line_residual[l] = residual[i];
    }
    workgroupBarrier();
    for (var k = 1u; k <= DEPTH; k++) {
      // The line of u; that of p is the one above. Below top it wraps.
      let y = t + 1 - k;
      let l = (y % (DEPTH + 1)) * W + local;
      let above = ((y + DEPTH) % (DEPTH + 1)) * W + local;
      if (inside && y >= top && y < bottom) {
        let own = line_dual[l];
        var divergence = dual_along_x(own) + dual_along_y(own);
        if (has_left) { divergence -= dual_along_x(line_dual[l - 1]); }
        if (y > top) { divergence -= dual_along_y(line_dual[above]); }
        line[l] = to_pair(primal(of_pair(line[l]), slope_of(of_pair(line_slope[l])), of_single(line_residual[l]), divergence));
      }
      workgroupBarrier();
      if (inside && y > top && y <= bottom) {
        let i = (plane + y - 1) * run.width + x;
        let start = base_slopes(x, y - 1, i);
        let here = of_pair(line[above]);
        var along_x = Num2(0.0);
        var along_y = Num2(0.0);
        if (has_right) { along_x = (of_pair(line[above + 1]) - here) + start.along_x; }
        if (y < bottom) { along_y = (of_pair(line[l]) - here) + start.along_y; }
        line_dual[above] = dual(line_dual[above], along_x, along_y);
      }
      workgroupBarrier();
    }
    let done = t - DEPTH;
    if (kept && t >= DEPTH && done >= strip && done < strip_end) {
      let i = (plane + done) * run.width + x;
      let l = (done % (DEPTH + 1)) * W + local;
      unknown_out[i] = line[l];
      dual_out[i] = line_dual[l];
    }
  }
}
