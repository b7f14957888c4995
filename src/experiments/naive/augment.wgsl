// Munkres: along each claimed path stars the primed zeros and unstars the starred ones. One thread per column of a LAP (x: column,
// y: LAP) follows the path that ends there. Paths of different open columns lie in different trees and share nothing.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> primeOfRow: array<u32>;         // laps × n
@group(0) @binding(2) var<storage, read> claim: array<u32>;              // laps × n
@group(0) @binding(3) var<storage, read_write> starOfRow: array<i32>;    // laps × n
@group(0) @binding(4) var<storage, read_write> starOfColumn: array<i32>; // laps × n
@group(0) @binding(5) var<storage, read_write> state: array<u32>;        // open columns; zeros primed; paths; per LAP each

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let lap = thread.y;
  if (thread.x >= shape.n || state[2 * shape.laps + lap] == 0) { return; }
  // To be counted anew by `cover`.
  if (thread.x == 0) { state[lap] = 0; }
  let first = lap * shape.n;
  var row = i32(claim[first + thread.x]) - 1;
  while (row >= 0) {
    let column = primeOfRow[first + u32(row)];
    let next = starOfColumn[first + column];
    starOfColumn[first + column] = row;
    starOfRow[first + u32(row)] = i32(column);
    row = next;
  }
}
