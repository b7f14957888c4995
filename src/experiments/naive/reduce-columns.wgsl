// Munkres, second step: takes each column's least cost off the column and adds it to the column's dual. One thread per column of a
// LAP (x: column, y: LAP), so that neighbouring threads read neighbouring costs.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;     // laps × n × n
@group(0) @binding(2) var<storage, read_write> columnDual: array<f32>; // laps × n

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let n = shape.n;
  let j = thread.x;
  if (j >= n) { return; }
  let first = thread.y * n * n + j;
  var least = 3e38f;
  for (var i = 0u; i < n; i++) { least = min(least, matrix[first + i * n]); }
  for (var i = 0u; i < n; i++) { matrix[first + i * n] -= least; }
  columnDual[thread.y * n + j] += least;
}
