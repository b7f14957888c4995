// Munkres, third step: stars zeros that share no row and no column. One thread per row of a LAP (x: row, y: LAP); rows race for the
// columns by compare and exchange.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> matrix: array<f32>;                     // laps × n × n
@group(0) @binding(2) var<storage, read_write> starOfRow: array<i32>;            // laps × n
@group(0) @binding(3) var<storage, read_write> starOfColumn: array<atomic<i32>>; // laps × n

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let n = shape.n;
  if (thread.x >= n) { return; }
  let row = thread.y * n + thread.x;
  for (var j = 0u; j < n; j++) {
    if (matrix[row * n + j] != 0) { continue; }
    let taken = atomicCompareExchangeWeak(&starOfColumn[thread.y * n + j], -1, i32(thread.x));
    if (taken.exchanged) {
      starOfRow[row] = i32(j);
      return;
    }
  }
}
