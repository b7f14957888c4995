// One pass of DEPTH frames. Thread (x, y) handles the PIXELS pixels from (PIXELS · x, y) on: it follows the trajectories of all vectors that end
// there, keeps the sum in a register, and leaves the largest over the vectors and its number, so that detection reads one number a pixel.

#import pass
#import input
#import state
#import cell

override DEPTH: u32;
override THREADS_X: u32 = 32;
override THREADS_Y: u32 = 8;

@group(0) @binding(5) var<storage, read_write> best: array<f32>;
@group(0) @binding(6) var<storage, read_write> which: array<u32>;

// The trajectory of vector v that ends at `end`: 0 where it lay outside, so that it starts anew where it enters.
fn carried(v: u32, end: vec2i) -> f32 {
  let own = v * (DEPTH + 1u);
  var sum = 0.0;
  let reach = run.reach;
  if (all(end >= vec2i(reach)) && all(end < vec2i(vec2u(run.width, run.height)) - reach)) {
    sum = first(v, end, end - offsets[own]);
    for (var j = 1u; j <= DEPTH; j++) {
      sum = run.a * sum + run.b * pixel(j - 1u, end - offsets[own + j]);
    }
    return sum;
  }
  let start = end - offsets[own];
  if (inside(start)) { sum = first(v, end, start); }
  for (var j = 1u; j <= DEPTH; j++) {
    let at = end - offsets[own + j];
    if (inside(at)) { sum = run.a * sum + run.b * pixel(j - 1u, at); } else { sum = 0.0; }
  }
  return sum;
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let at = vec2u(PIXELS * thread.x, thread.y);
  if (at.x >= run.width || at.y >= run.height) { return; }
  var top: array<f32, PIXELS>;
  var vector: array<u32, PIXELS>;
  for (var v = 0u; v < run.vectors; v++) {
    var sums: array<f32, PIXELS>;
    for (var p = 0u; p < PIXELS; p++) {
      if (at.x + p < run.width) { sums[p] = carried(v, vec2i(at) + vec2i(i32(p), 0)); }
      if (v == 0u || sums[p] > top[p]) {
        top[p] = sums[p];
        vector[p] = v;
      }
    }
    keep(v, at, sums);
  }
  for (var p = 0u; p < PIXELS; p++) {
    let i = at.y * run.width + at.x + p;
    if (at.x + p < run.width && (run.first == 0u || top[p] > best[i])) {
      best[i] = top[p];
      which[i] = run.first + vector[p];
    }
  }
}
