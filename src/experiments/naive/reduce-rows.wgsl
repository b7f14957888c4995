// Munkres, first step: takes each row's least cost off the row and adds it to the row's dual; unstars everything. One workgroup per
// row of a LAP (x: row, y: LAP), its threads share the columns.

#import shape

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;       // laps × n × n, reduced in place
@group(0) @binding(2) var<storage, read_write> rowDual: array<f32>;      // laps × n
@group(0) @binding(3) var<storage, read_write> starOfRow: array<i32>;    // laps × n: column of the row's starred zero, or −1
@group(0) @binding(4) var<storage, read_write> starOfColumn: array<i32>; // laps × n: row of it, or −1

var<workgroup> least: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let row = workgroup.y * shape.n + workgroup.x;
  let begin = row * shape.n;
  var own = 3e38f;
  for (var j = thread; j < shape.n; j += THREADS) { own = min(own, matrix[begin + j]); }
  least[thread] = own;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { least[thread] = min(least[thread], least[thread + half]); }
  }
  workgroupBarrier();
  for (var j = thread; j < shape.n; j += THREADS) { matrix[begin + j] -= least[0]; }
  if (thread == 0) {
    rowDual[row] += least[0];
    starOfRow[row] = -1;
    starOfColumn[row] = -1;
  }
}
