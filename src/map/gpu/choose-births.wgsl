// Runs before choose.wgsl: enters every detection by its birth, which choose.wgsl overwrites where a link enters it. Thread d handles detection d.

#import layout

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> detections: array<Detection>;
@group(0) @binding(2) var<storage, read_write> intoEdge: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var d = thread.x; d < shape.detections; d += workgroups.x * THREADS) {
    intoEdge[d] = detections[d].birth;
  }
}
