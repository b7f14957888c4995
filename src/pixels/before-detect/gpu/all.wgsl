// One pass of DEPTH frames. Thread (x, y) follows the trajectories of all vectors that end at its pixel, and leaves the largest sum over the
// vectors and the vector's number, so that detection reads one number a pixel. Every other pass goes through the rows backwards, so that it
// begins with what the last one wrote at its end, which is still in a cache.

#import pass

override DEPTH: u32;
// Those of this piece of the state. A compiler unrolls a loop whose end it knows: without it a pass of one frame takes a fifth longer.
override VECTORS: u32;

@group(0) @binding(5) var<storage, read_write> best: array<f32>;
@group(0) @binding(6) var<storage, read_write> which: array<u32>;

var<private> top: f32;
var<private> vector: u32;

// How far back a trajectory was after j frames of the pass.
fn back(v: u32, j: u32) -> vec2i { return offsets[v * (DEPTH + 1) + j]; }

// The trajectory of vector v that ends at `end`, where no trajectory of the pass leaves the image, and everywhere in a pass of one frame.
// `newest` is the share of the last frame, in which all trajectories meet.
fn within(v: u32, end: vec2i, newest: f32) -> f32 {
  var sum = 0.0;
  let start = end - back(v, 0);
  if (DEPTH > 1 || inside(start)) { sum = before[place(v, start)]; }
  for (var j = 1u; j < DEPTH; j++) { sum = run.a * sum + run.b * pixel(j - 1, end - back(v, j)); }
  return run.a * sum + newest;
}

// The same near the border in a pass of several frames: 0 where it lay outside, so that it starts anew where it enters.
fn entering(v: u32, end: vec2i) -> f32 {
  var sum = 0.0;
  let start = end - back(v, 0);
  if (inside(start)) { sum = before[place(v, start)]; }
  for (var j = 1u; j <= DEPTH; j++) {
    let at = end - back(v, j);
    if (inside(at)) { sum = run.a * sum + run.b * pixel(j - 1, at); } else { sum = 0.0; }
  }
  return sum;
}

fn keep(v: u32, end: vec2i, sum: f32) {
  if (v == 0 || sum > top) {
    top = sum;
    vector = v;
  }
  after[place(v, end)] = sum;
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let end = vec2i(vec2u(thread.x, select(thread.y, run.height - 1 - thread.y, run.backwards == 1)));
  let size = vec2i(vec2u(run.width, run.height));
  // In a pass of one frame the border needs no other way, on which the warps that it cuts through would go after the first.
  if (DEPTH == 1 || (all(end >= vec2i(run.reach)) && all(end < size - run.reach))) {
    let newest = run.b * pixel(DEPTH - 1, end);
    for (var v = 0u; v < VECTORS; v++) { keep(v, end, within(v, end, newest)); }
  } else {
    for (var v = 0u; v < VECTORS; v++) { keep(v, end, entering(v, end)); }
  }
  let i = place(0, end);
  if (run.first == 0 || top > best[i]) {
    best[i] = top;
    which[i] = run.first + vector;
  }
}
