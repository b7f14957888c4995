// One direction of a separable blur of any radius, the border's pixels repeated; with SUBTRACT, less the image `other`.
// Twin: convolveSeparable in gaussian.ts.

#import filter-run

override SUBTRACT: bool = false;

@group(0) @binding(3) var<storage, read> taps: array<f32>;   // 2 radius + 1
@group(0) @binding(4) var<storage, read> other: array<f32>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let step = select(vec2i(0, 1), vec2i(1, 0), run.alongX == 1);
  let radius = i32(run.radius);
  var at = vec2i(thread.xy) - radius * step;
  var sum = 0.0;
  for (var k = 0; k <= 2 * radius; k++) {
    sum += taps[k] * grey(at.x, at.y, thread.z);
    at += step;
  }
  let place = placeOf(thread);
  if (SUBTRACT) { sum -= other[place]; }
  result[place] = sum;
}
