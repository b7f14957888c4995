// Flow of a finer level: the coarser one sampled bicubically, times the ratio of the sizes. A thread has a pixel, z is the pair.

#import run
#import format
#import base
#import bicubic

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read> unknown: array<Pair>;
@group(0) @binding(3) var<storage, read_write> unknownOut: array<Pair>;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let at = vec2f(f32(thread.x) * run.stepX, f32(thread.y) * run.stepY);
  let corner = floor(at);
  let alongX = cubicWeights(at.x - corner.x);
  let alongY = cubicWeights(at.y - corner.y);
  var sum = vec2f(0.0);
  for (var k = 0u; k < 4; k++) {
    let row = thread.z * run.sourceHeight + clamped(i32(corner.y) + i32(k) - 1, run.sourceHeight);
    for (var m = 0u; m < 4; m++) {
      let x = clamped(i32(corner.x) + i32(m) - 1, run.sourceWidth);
      let i = row * run.sourceWidth + x;
      sum += alongY[k] * alongX[m] * flowOf(unknown[i], baseAsF32(i));
    }
  }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let start = baseToStore(run.scale * sum);
  storeBase(i, start);
  unknownOut[i] = unknownAtStart(start);
}
