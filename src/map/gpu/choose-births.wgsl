// Runs before choose.wgsl: enters every detection by its birth, which choose.wgsl overwrites where a link enters it. A thread handles a detection.

#import layout

override THREADS: u32 = 64;

struct Run {
  first: u32,   // detection
  count: u32,
}

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> detections: array<Detection>;
@group(0) @binding(2) var<storage, read_write> intoEdge: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var k = thread.x; k < run.count; k += workgroups.x * THREADS) {
    intoEdge[run.first + k] = detections[run.first + k].birth;
  }
}
