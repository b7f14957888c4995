// A point's window, of which the 32 threads of a workgroup share the pixels: two images in buffers, places between their pixels, and sums over the threads.

#import klt

override WINDOW: u32;
// Whether a window may be lighter or darker by a factor and an offset of its own.
override LIGHT: bool;
override PIXELS: u32 = WINDOW * WINDOW;
override PATCH: u32 = (WINDOW + 2) * (WINDOW + 2);

const THREADS: u32 = 32;

@group(0) @binding(1) var<storage, read> first: array<f32>;
@group(0) @binding(2) var<storage, read> second: array<f32>;

// The window of the first image with a pixel around it, and its values and gradients.
var<workgroup> patch_: array<f32, PATCH>;
var<workgroup> value: array<f32, PIXELS>;
var<workgroup> gx: array<f32, PIXELS>;
var<workgroup> gy: array<f32, PIXELS>;
var<workgroup> partial_: array<vec4f, THREADS>;

// The sum over all threads, for thread 0. Called by all; none may call it again before thread 0 has gone on.
fn total(part: vec4f, thread: u32) -> vec4f {
  partial_[thread] = part;
  workgroupBarrier();
  var sum = vec4f();
  if (thread == 0) {
    for (var k = 0u; k < THREADS; k++) { sum += partial_[k]; }
  }
  return sum;
}

struct Corner {
  base: vec2i,
  weights: vec4f,
}

fn cornerAt(left: f32, top: f32) -> Corner {
  let base = vec2f(floor(left), floor(top));
  let f = vec2f(left, top) - base;
  return Corner(vec2i(base), vec4f((1 - f.x) * (1 - f.y), f.x * (1 - f.y), (1 - f.x) * f.y, f.x * f.y));
}

fn places(level: Level, corner: Corner, c: i32, r: i32) -> vec4u {
  let x = vec2u(clamp(corner.base.x + c + vec2i(0, 1), vec2i(), vec2i(i32(level.width) - 1)));
  let y = level.offset + level.width * vec2u(clamp(corner.base.y + r + vec2i(0, 1), vec2i(), vec2i(i32(level.height) - 1)));
  return vec4u(y.x + x.x, y.x + x.y, y.y + x.x, y.y + x.y);
}

fn firstAt(level: Level, corner: Corner, c: i32, r: i32) -> f32 {
  let p = places(level, corner, c, r);
  return dot(corner.weights, vec4f(first[p.x], first[p.y], first[p.z], first[p.w]));
}

fn secondAt(level: Level, corner: Corner, c: i32, r: i32) -> f32 {
  let p = places(level, corner, c, r);
  return dot(corner.weights, vec4f(second[p.x], second[p.y], second[p.z], second[p.w]));
}
