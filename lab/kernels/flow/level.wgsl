// Scheme level: run.iterations in one dispatch over a whole level of CELLS pixels, which fits the memory of one workgroup. The
// workgroup has a pair; its threads stride over the pixels.

#import ../../../dist/pixels/flow/gpu/state

override THREADS: u32 = 256;
override CELLS: u32;

var<workgroup> field: array<Pair, CELLS>;
var<workgroup> fieldDual: array<Dual, CELLS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let cells = run.width * run.height;
  let first = group.x * cells;
  for (var l = local; l < cells; l += THREADS) {
    field[l] = unknown[first + l];
    fieldDual[l] = dualIn[first + l];
  }
  workgroupBarrier();
  for (var k = 0u; k < run.iterations; k++) {
    for (var l = local; l < cells; l += THREADS) {
      let own = fieldDual[l];
      var divergence = dualAlongX(own) + dualAlongY(own);
      if (l % run.width > 0) { divergence -= dualAlongX(fieldDual[l - 1]); }
      if (l >= run.width) { divergence -= dualAlongY(fieldDual[l - run.width]); }
      field[l] = toPair(primal(ofPair(field[l]), slopeOf(ofPair(slope[first + l])), ofSingle(residual[first + l]), divergence));
    }
    workgroupBarrier();
    for (var l = local; l < cells; l += THREADS) {
      let x = l % run.width;
      let y = l / run.width;
      let start = baseSlopes(x, y, first + l);
      let here = ofPair(field[l]);
      var alongX = Num2(0.0);
      var alongY = Num2(0.0);
      if (x + 1 < run.width) { alongX = (ofPair(field[l + 1]) - here) + start.alongX; }
      if (y + 1 < run.height) { alongY = (ofPair(field[l + run.width]) - here) + start.alongY; }
      fieldDual[l] = dual(fieldDual[l], alongX, alongY);
    }
    workgroupBarrier();
  }
  for (var l = local; l < cells; l += THREADS) {
    unknownOut[first + l] = field[l];
    dualOut[first + l] = fieldDual[l];
  }
}
