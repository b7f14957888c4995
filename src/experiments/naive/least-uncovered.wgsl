// Munkres: δ, the least uncovered cost of every LAP that found nothing to prime. One workgroup per row of a LAP (x: row, y: LAP), its
// threads share the columns.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> matrix: array<f32>;              // laps × n × n
@group(0) @binding(2) var<storage, read> rowCovered: array<u32>;          // laps × n
@group(0) @binding(3) var<storage, read> uncoveredAt: array<u32>;         // laps × n
@group(0) @binding(4) var<storage, read_write> state: array<atomic<u32>>; // open columns; zeros primed; paths; ~bits of δ; per LAP each

// Costs are not negative, so their bits are ordered as they are; the largest of their complements is sought, beginning with 0.
var<workgroup> least: atomic<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = shape.n;
  let lap = workgroup.y;
  let row = lap * n + workgroup.x;
  let isStuck = atomicLoad(&state[lap]) > 0 && atomicLoad(&state[shape.laps + lap]) == 0;
  let end = select(0, n, isStuck && rowCovered[row] == 0);
  for (var j = thread; j < end; j += THREADS) {
    if (uncoveredAt[lap * n + j] != COVERED) { atomicMax(&least, ~bitcast<u32>(matrix[row * n + j])); }
  }
  workgroupBarrier();
  if (thread == 0 && atomicLoad(&least) > 0) { atomicMax(&state[3 * shape.laps + lap], atomicLoad(&least)); }
}
