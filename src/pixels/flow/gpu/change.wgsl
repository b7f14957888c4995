// Sum of |Δu|² between two states, one number a workgroup. A thread has a pixel, z is the pair.

#import run
#import format

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read> before: array<Pair>;
@group(0) @binding(3) var<storage, read> unknown: array<Pair>;
@group(0) @binding(4) var<storage, read_write> sums: array<f32>;

var<workgroup> partial: array<f32, X * Y>;

@compute @workgroup_size(X, Y)
fn main(
  @builtin(global_invocation_id) thread: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  partial[local] = 0.0;
  if (thread.x < run.width && thread.y < run.height) {
    let i = (thread.z * run.height + thread.y) * run.width + thread.x;
    let step = flowOf(unknown[i], vec2f(0.0)) - flowOf(before[i], vec2f(0.0));
    partial[local] = dot(step, step);
  }
  for (var half = X * Y / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (local < half) { partial[local] += partial[local + half]; }
  }
  if (local == 0) { sums[(group.z * groups.y + group.y) * groups.x + group.x] = partial[0]; }
}
