// Scheme global, first half stencil: u in place. A thread has a pixel, z is the pair. Twin: primal, iterate.ts.

#import ../../../dist/pixels/flow/gpu/half-stencils

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read_write> unknown: array<Pair>;
@group(0) @binding(3) var<storage, read> dualIn: array<Dual>;
@group(0) @binding(4) var<storage, read> slope: array<Pair>;
@group(0) @binding(5) var<storage, read> residual: array<Single>;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let own = dualIn[i];
  var divergence = dualAlongX(own) + dualAlongY(own);
  if (thread.x > 0) { divergence -= dualAlongX(dualIn[i - 1]); }
  if (thread.y > 0) { divergence -= dualAlongY(dualIn[i - run.width]); }
  unknown[i] = toPair(primal(ofPair(unknown[i]), slopeOf(ofPair(slope[i])), ofSingle(residual[i]), divergence));
}
