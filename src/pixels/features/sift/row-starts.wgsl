// The number of keypoints of each row becomes the number of those of the rows before it. One workgroup; a thread has as many rows, one after the other, as
// every other.
// Twin of the three row kernels: inOrder in sift.ts.

@group(0) @binding(0) var<storage, read_write> rows: array<vec4u>;

const THREADS: u32 = 256;

var<workgroup> sums: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  let count = arrayLength(&rows);
  let part = (count + THREADS - 1) / THREADS;
  let first = min(thread * part, count);
  let end = min(first + part, count);
  var counts = vec4u();
  for (var r = first; r < end; r++) { counts += rows[r]; }
  let sum = counts.x + counts.y + counts.z + counts.w;
  sums[thread] = sum;
  for (var step = 1u; step < THREADS; step *= 2) {
    workgroupBarrier();
    var before = 0u;
    if (thread >= step) { before = sums[thread - step]; }
    workgroupBarrier();
    sums[thread] += before;
  }
  var start = sums[thread] - sum;
  for (var r = first; r < end; r++) {
    let n = rows[r];
    rows[r] = start + vec4u(0, n.x, n.x + n.y, n.x + n.y + n.z);
    start += n.x + n.y + n.z + n.w;
  }
}
