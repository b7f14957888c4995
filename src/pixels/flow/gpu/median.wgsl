// The median of each component of the flow over SIDE × SIDE pixels, borders repeated. A thread has a pixel, z is the pair.
// Forgetful selection: among half of the values and two more, the least and the greatest cannot be the median and are dropped.

#import run
#import bicubic

override X: u32 = 32;
override Y: u32 = 8;
// 3 or 5.
override SIDE: u32;

@group(0) @binding(1) var<storage, read> source: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> flow: array<vec2f>;

fn neighbour(thread: vec3u, k: u32) -> vec2f {
  let radius = i32(SIDE / 2);
  let x = clamped(i32(thread.x) + i32(k % SIDE) - radius, run.width);
  let y = clamped(i32(thread.y) + i32(k / SIDE) - radius, run.height);
  return source[(thread.z * run.height + y) * run.width + x];
}

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let all = SIDE * SIDE;
  let kept = all / 2 + 2;
  var values: array<vec2f, 14>;
  for (var k = 0u; k < kept; k++) { values[k] = neighbour(thread, k); }
  var size = kept;
  for (var next = kept; ; next++) {
    var least = values[0];
    for (var k = 1u; k < size; k++) {
      let value = values[k];
      values[k] = max(least, value);
      least = min(least, value);
    }
    var most = values[size - 1];
    for (var k = 1u; k < size - 1; k++) {
      let value = values[k];
      values[k] = min(most, value);
      most = max(most, value);
    }
    if (next == all) { break; }
    size--;
    values[0] = neighbour(thread, next);
  }
  flow[(thread.z * run.height + thread.y) * run.width + thread.x] = values[1];
}
