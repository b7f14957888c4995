// Scheme global, second half stencil: p in place. A thread has a pixel, z is the pair. Twin: dual, iterate.ts.

#import ../../../dist/pixels/flow/gpu/half-stencils

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read> unknown: array<Pair>;
@group(0) @binding(3) var<storage, read_write> dual_out: array<Dual>;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let own = of_pair(unknown[i]);
  let start = base_at(i);
  var along_x = Num2(0.0);
  var along_y = Num2(0.0);
  if (thread.x + 1 < run.width) { along_x = (of_pair(unknown[i + 1]) - own) + (base_at(i + 1) - start); }
  if (thread.y + 1 < run.height) {
    along_y = (of_pair(unknown[i + run.width]) - own) + (base_at(i + run.width) - start);
  }
  dual_out[i] = dual(dual_out[i], along_x, along_y);
}
