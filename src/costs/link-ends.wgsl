// Tail and head of every link as f32, the only arrays a gpu.js kernel reads: exact up to 2^24 detections. One thread a link.

override THREADS: u32 = 256;

@group(0) @binding(0) var<storage, read> tail: array<u32>;
@group(0) @binding(1) var<storage, read> head: array<u32>;
@group(0) @binding(2) var<storage, read_write> tailNumber: array<f32>;
@group(0) @binding(3) var<storage, read_write> headNumber: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var e = thread.x; e < arrayLength(&tail); e += workgroups.x * THREADS) {
    tailNumber[e] = f32(tail[e]);
    headNumber[e] = f32(head[e]);
  }
}
