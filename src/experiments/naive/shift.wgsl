// Munkres: takes δ off every uncovered cost and adds it where row and column are both covered, in the LAPs that found nothing to
// prime; δ goes to the duals of uncovered rows and off those of covered columns. One workgroup per row of a LAP (x: row, y: LAP), its
// threads share the columns.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> rowCovered: array<u32>;       // laps × n
@group(0) @binding(2) var<storage, read> uncoveredAt: array<u32>;      // laps × n
@group(0) @binding(3) var<storage, read> state: array<u32>;            // open columns; zeros primed; paths; ~bits of δ; per LAP each
@group(0) @binding(4) var<storage, read_write> matrix: array<f32>;     // laps × n × n
@group(0) @binding(5) var<storage, read_write> rowDual: array<f32>;    // laps × n
@group(0) @binding(6) var<storage, read_write> columnDual: array<f32>; // laps × n

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = shape.n;
  let lap = workgroup.y;
  if (state[lap] == 0 || state[shape.laps + lap] > 0) { return; }
  let delta = bitcast<f32>(~state[3 * shape.laps + lap]);
  let row = lap * n + workgroup.x;
  let isRowCovered = rowCovered[row] == 1;
  for (var j = thread; j < n; j += THREADS) {
    let isColumnCovered = uncoveredAt[lap * n + j] == COVERED;
    if (isRowCovered && isColumnCovered) { matrix[row * n + j] += delta; }
    if (!isRowCovered && !isColumnCovered) { matrix[row * n + j] -= delta; }
    if (workgroup.x == 0 && isColumnCovered) { columnDual[lap * n + j] -= delta; }
  }
  if (thread == 0 && !isRowCovered) { rowDual[row] += delta; }
}
