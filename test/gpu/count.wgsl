// Lists the numbers below `limit`, and counts them also where the list is full. Thread i has number i. For the test of workspaces.

struct Run {
  limit: f32,
  room: u32,
}

override THREADS: u32 = 4;

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> list: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= arrayLength(&values) || values[thread.x] >= run.limit) { return; }
  let k = atomicAdd(&count, 1u);
  if (k < run.room) { list[k] = values[thread.x]; }
}
