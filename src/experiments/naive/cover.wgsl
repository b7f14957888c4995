// Munkres: covers every column that has a starred zero, uncovers the rows, forgets the primes, and counts the columns left open. One
// thread per row and column of the same number (x: number, y: LAP). Only LAPs whose stars have changed since the last time.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> starOfColumn: array<i32>;        // laps × n
@group(0) @binding(2) var<storage, read_write> rowCovered: array<u32>;    // laps × n: 1 or 0
@group(0) @binding(3) var<storage, read_write> uncoveredAt: array<u32>;   // laps × n: round that uncovered a column, or COVERED
@group(0) @binding(4) var<storage, read_write> claim: array<u32>;         // laps × n: 1 + row whose path ends in an open column, or 0
@group(0) @binding(5) var<storage, read_write> state: array<atomic<u32>>; // open columns; zeros primed; paths; per LAP each

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= shape.n) { return; }
  let lap = thread.y;
  if (shape.round > 0 && atomicLoad(&state[2 * shape.laps + lap]) == 0) { return; }
  let k = lap * shape.n + thread.x;
  rowCovered[k] = 0;
  claim[k] = 0;
  if (starOfColumn[k] >= 0) {
    uncoveredAt[k] = COVERED;
  } else {
    uncoveredAt[k] = 0;
    atomicAdd(&state[lap], 1);
  }
}
