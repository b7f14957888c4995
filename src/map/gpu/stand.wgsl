// v = kept + τ (X − Y). Thread e handles edge e; edges of the first pair and births have X = Y = 0 and keep v = kept = 0.
//
// Twin: BundleKernels.stand in bundle.ts.

#import layout

override THREADS: u32 = 256;

struct Run {
  tau: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> taken: array<f32>;
@group(0) @binding(3) var<storage, read> passed: array<f32>;
@group(0) @binding(4) var<storage, read> kept: array<f32>;
@group(0) @binding(5) var<storage, read_write> v: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var e = thread.x; e < shape.edges; e += workgroups.x * THREADS) {
    v[e] = kept[e] + run.tau * (taken[e] - passed[e]);
  }
}
