// Munkres: every uncovered row primes an uncovered zero, if it has one. A row with a star is covered and its star's column uncovered,
// for the rounds to come; a row without one has found an augmenting path and claims the open column that the path ends in. One
// workgroup per row of a LAP (x: row, y: LAP), its threads share the columns.
//
// Rows of one round see the covers of the rounds before, whatever the others do meanwhile: a column counts as uncovered only if an
// earlier round uncovered it.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> matrix: array<f32>;              // laps × n × n
@group(0) @binding(2) var<storage, read> starOfRow: array<i32>;           // laps × n
@group(0) @binding(3) var<storage, read> starOfColumn: array<i32>;        // laps × n
@group(0) @binding(4) var<storage, read_write> rowCovered: array<u32>;    // laps × n
@group(0) @binding(5) var<storage, read_write> uncoveredAt: array<u32>;   // laps × n
@group(0) @binding(6) var<storage, read_write> primeOfRow: array<u32>;    // laps × n: column of the row's primed zero
@group(0) @binding(7) var<storage, read_write> rootOfRow: array<u32>;     // laps × n: open column that a primed row's path ends in
@group(0) @binding(8) var<storage, read_write> claim: array<atomic<u32>>; // laps × n, by open column
@group(0) @binding(9) var<storage, read_write> state: array<atomic<u32>>; // open columns; zeros primed; paths; per LAP each

var<workgroup> found: atomic<u32>; // n − column, 0 for none

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = shape.n;
  let lap = workgroup.y;
  let first = lap * n;
  let row = first + workgroup.x;
  let isIdle = rowCovered[row] == 1 || atomicLoad(&state[lap]) == 0;
  let end = select(n, 0, isIdle);
  for (var j = thread; j < end; j += THREADS) {
    if (uncoveredAt[first + j] < shape.round && matrix[row * n + j] == 0) {
      atomicMax(&found, n - j);
      break;
    }
  }
  workgroupBarrier();
  if (thread > 0 || atomicLoad(&found) == 0) { return; }
  let j = n - atomicLoad(&found);
  let above = starOfColumn[first + j];
  var root = j;
  if (above >= 0) { root = rootOfRow[first + u32(above)]; }
  primeOfRow[row] = j;
  rootOfRow[row] = root;
  rowCovered[row] = 1;
  atomicAdd(&state[shape.laps + lap], 1);
  let star = starOfRow[row];
  if (star >= 0) {
    uncoveredAt[first + u32(star)] = shape.round;
  } else if (atomicMax(&claim[first + root], workgroup.x + 1) == 0) {
    atomicAdd(&state[2 * shape.laps + lap], 1);
  }
}
