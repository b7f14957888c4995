// Scheme global, second half stencil: p in place. A thread has a pixel, z is the pair. Twin: dual, iterate.ts.

#import ../../../dist/pixels/flow/gpu/half-stencils

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read> unknown: array<Pair>;
@group(0) @binding(3) var<storage, read_write> dualOut: array<Dual>;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let own = ofPair(unknown[i]);
  let start = baseAt(i);
  var alongX = Num2(0.0);
  var alongY = Num2(0.0);
  if (thread.x + 1 < run.width) { alongX = (ofPair(unknown[i + 1]) - own) + (baseAt(i + 1) - start); }
  if (thread.y + 1 < run.height) {
    alongY = (ofPair(unknown[i + run.width]) - own) + (baseAt(i + run.width) - start);
  }
  dualOut[i] = dual(dualOut[i], alongX, alongY);
}
