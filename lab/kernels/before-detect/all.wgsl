// One pass of DEPTH frames. Thread (x, y) handles the PIXELS pixels from (PIXELS · x, y) on: it follows the trajectories of all vectors that end
// there, keeps the sums in registers, and leaves the largest over the vectors and its number, so that detection reads one number a pixel. Every
// other pass goes through the rows backwards, so that it begins with what the last one wrote at its end, which is still in a cache.

#import pass
#import input
#import state
#import cell

override DEPTH: u32;
// Those of this piece of the state. A compiler unrolls a loop whose end it knows: without it a pass of one frame takes a fifth longer.
override VECTORS: u32;
override THREADS_X: u32 = 32;
override THREADS_Y: u32 = 8;

@group(0) @binding(5) var<storage, read_write> best: array<f32>;
@group(0) @binding(6) var<storage, read_write> which: array<u32>;

alias Sums = array<f32, PIXELS>;

var<private> top: Sums;
var<private> vector: array<u32, PIXELS>;

fn back(v: u32, j: u32) -> vec2i { return offsets[v * (DEPTH + 1u) + j]; }
fn pixel_at(end: vec2i, p: u32) -> vec2i { return end + vec2i(i32(p), 0); }

// Where no trajectory of the pass leaves the image, and everywhere in a pass of one frame: the sum before it, after frame j, and the last frame, which all
// trajectories meet at their end.
fn begun(v: u32, end: vec2i) -> Sums {
  var sums: Sums;
  let start = back(v, 0u);
  for (var p = 0u; p < PIXELS; p++) {
    let at = pixel_at(end, p);
    if (DEPTH > 1u || inside(at - start)) { sums[p] = first(v, at, at - start); }
  }
  return sums;
}

fn onward(before: Sums, v: u32, j: u32, end: vec2i) -> Sums {
  var sums: Sums;
  let at = end - back(v, j);
  for (var p = 0u; p < PIXELS; p++) { sums[p] = run.a * before[p] + run.b * pixel(j - 1u, pixel_at(at, p)); }
  return sums;
}

fn newest(end: vec2i) -> Sums {
  var new_: Sums;
  for (var p = 0u; p < PIXELS; p++) { new_[p] = run.b * pixel(DEPTH - 1u, pixel_at(end, p)); }
  return new_;
}

fn ended(before: Sums, new_: Sums) -> Sums {
  var sums: Sums;
  for (var p = 0u; p < PIXELS; p++) { sums[p] = run.a * before[p] + new_[p]; }
  return sums;
}

// The trajectory of vector v that ends at `end`, near the border in a pass of several frames: 0 where it lay outside, so that it starts anew where it enters.
fn entering(v: u32, end: vec2i) -> f32 {
  var sum = 0.0;
  let start = end - back(v, 0u);
  if (inside(start)) { sum = first(v, end, start); }
  for (var j = 1u; j <= DEPTH; j++) {
    let at = end - back(v, j);
    if (inside(at)) { sum = run.a * sum + run.b * pixel(j - 1u, at); } else { sum = 0.0; }
  }
  return sum;
}

fn take(v: u32, at: vec2u, sums: Sums) {
  for (var p = 0u; p < PIXELS; p++) {
    if (v == 0u || sums[p] > top[p]) {
      top[p] = sums[p];
      vector[p] = v;
    }
  }
  keep(v, at, sums);
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (PIXELS * thread.x >= run.width || thread.y >= run.height) { return; }
  let at = vec2u(PIXELS * thread.x, select(thread.y, run.height - 1u - thread.y, run.backwards == 1u));
  let end = vec2i(at);
  let size = vec2i(vec2u(run.width, run.height));
  // In a pass of one frame the border needs no other way, on which the warps that it cuts through would go after the first.
  let last = end + vec2i(i32(PIXELS) - 1, 0);
  if (DEPTH == 1u || (all(end >= vec2i(run.reach)) && all(last < size - run.reach))) {
    let new_ = newest(end);
    for (var v = 0u; v < VECTORS; v++) {
      var sums = begun(v, end);
      for (var j = 1u; j < DEPTH; j++) { sums = onward(sums, v, j, end); }
      take(v, at, ended(sums, new_));
    }
  } else {
    for (var v = 0u; v < VECTORS; v++) {
      var sums: Sums;
      for (var p = 0u; p < PIXELS; p++) {
        if (at.x + p < run.width) { sums[p] = entering(v, pixel_at(end, p)); }
      }
      take(v, at, sums);
    }
  }
  for (var p = 0u; p < PIXELS; p++) {
    let i = at.y * run.width + at.x + p;
    if (at.x + p < run.width && (run.first == 0u || top[p] > best[i])) {
      best[i] = top[p];
      which[i] = run.first + vector[p];
    }
  }
}
