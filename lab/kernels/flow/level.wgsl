// Scheme level: run.iterations in one dispatch over a whole level of CELLS pixels, which fits the memory of one workgroup. The
// workgroup has a pair; its threads stride over the pixels.

#import ../../../dist/pixels/flow/gpu/state

override THREADS: u32 = 256;
override CELLS: u32;

var<workgroup> field: array<Pair, CELLS>;
var<workgroup> field_dual: array<Dual, CELLS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let cells = run.width * run.height;
  let first = group.x * cells;
  for (var l = local; l < cells; l += THREADS) {
    field[l] = unknown[first + l];
    field_dual[l] = dual_in[first + l];
  }
  workgroupBarrier();
  for (var k = 0u; k < run.iterations; k++) {
    for (var l = local; l < cells; l += THREADS) {
      let own = field_dual[l];
      var divergence = dual_along_x(own) + dual_along_y(own);
      if (l % run.width > 0) { divergence -= dual_along_x(field_dual[l - 1]); }
      if (l >= run.width) { divergence -= dual_along_y(field_dual[l - run.width]); }
      field[l] = to_pair(primal(of_pair(field[l]), slope_of(of_pair(slope[first + l])), of_single(residual[first + l]), divergence));
    }
    workgroupBarrier();
    for (var l = local; l < cells; l += THREADS) {
      let x = l % run.width;
      let y = l / run.width;
      let start = base_slopes(x, y, first + l);
      let here = of_pair(field[l]);
      var along_x = Num2(0.0);
      var along_y = Num2(0.0);
      if (x + 1 < run.width) { along_x = (of_pair(field[l + 1]) - here) + start.along_x; }
      if (y + 1 < run.height) { along_y = (of_pair(field[l + run.width]) - here) + start.along_y; }
      field_dual[l] = dual(field_dual[l], along_x, along_y);
    }
    workgroupBarrier();
  }
  for (var l = local; l < cells; l += THREADS) {
    unknown_out[first + l] = field[l];
    dual_out[first + l] = field_dual[l];
  }
}
