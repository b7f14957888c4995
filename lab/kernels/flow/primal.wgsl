// Scheme global, first half stencil: u in place. A thread has a pixel, z is the pair. Twin: primal, iterate.ts.

#import ../../../dist/pixels/flow/gpu/half-stencils

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read_write> unknown: array<Pair>;
@group(0) @binding(3) var<storage, read> dual_in: array<Dual>;
@group(0) @binding(4) var<storage, read> slope: array<Pair>;
@group(0) @binding(5) var<storage, read> residual: array<Single>;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let own = dual_in[i];
  var divergence = dual_along_x(own) + dual_along_y(own);
  if (thread.x > 0) { divergence -= dual_along_x(dual_in[i - 1]); }
  if (thread.y > 0) { divergence -= dual_along_y(dual_in[i - run.width]); }
  unknown[i] = to_pair(primal(of_pair(unknown[i]), slope_of(of_pair(slope[i])), of_single(residual[i]), divergence));
}
