// Marks every element of a dense cost buffer as forbidden, before the entries that exist are spread over it. Thread k has element k.

override THREADS: u32 = 256;
override ABSENT: f32;

@group(0) @binding(0) var<storage, read_write> dense: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var k = thread.x; k < arrayLength(&dense); k += workgroups.x * THREADS) {
    dense[k] = ABSENT;
  }
}
