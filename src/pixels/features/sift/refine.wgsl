// Interpolates the extrema and tests them; those that pass are listed as places. A thread takes the next candidate of its stride.
// Twin: refine in extrema.ts.

#import space
#import pyramid

override SUBPIXEL: bool = true;
// Count the candidates that pass each test.
override STAGES: bool = false;

@group(0) @binding(0) var<uniform> space: Space;
@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> candidates: array<Candidate>;
@group(0) @binding(4) var<storage, read_write> places: array<Place>;

// Moves by a pixel at most, towards a peak that is further away than the next; the furthest that it may be in the end.
override MOVES: u32;
override MOVE_BEYOND: f32;
override LARGEST_OFFSET: f32;
// Of an octave, and σ of its first Gaussian.
override LAYERS: u32;
override BASE_SIGMA: f32;

// D(x, y, s) = Gaussian s + 1 − Gaussian s, taken while reading.
fn difference(octave: Octave, x: u32, y: u32, s: u32) -> f32 {
  let pitch = pitchOf(octave);
  let size = pitch * octave.height;
  let at = octave.offset + s * size + y * pitch + x;
  return gaussian(at + size) - gaussian(at);
}

struct Parabola {
  value: f32,
  gradient: vec3f,
  offset: vec3f,
  trace: f32,
  determinant: f32,
}

fn parabola(octave: Octave, x: u32, y: u32, s: u32) -> Parabola {
  let value = difference(octave, x, y, s);
  let right = difference(octave, x + 1, y, s);
  let left = difference(octave, x - 1, y, s);
  let down = difference(octave, x, y + 1, s);
  let up = difference(octave, x, y - 1, s);
  let above = difference(octave, x, y, s + 1);
  let below = difference(octave, x, y, s - 1);
  let g = 0.5 * vec3f(right - left, down - up, above - below);
  let xx = right + left - 2 * value;
  let yy = down + up - 2 * value;
  let ss = above + below - 2 * value;
  let xy = 0.25 * (difference(octave, x + 1, y + 1, s) - difference(octave, x + 1, y - 1, s)
    - difference(octave, x - 1, y + 1, s) + difference(octave, x - 1, y - 1, s));
  let xs = 0.25 * (difference(octave, x + 1, y, s + 1) - difference(octave, x + 1, y, s - 1)
    - difference(octave, x - 1, y, s + 1) + difference(octave, x - 1, y, s - 1));
  let ys = 0.25 * (difference(octave, x, y + 1, s + 1) - difference(octave, x, y + 1, s - 1)
    - difference(octave, x, y - 1, s + 1) + difference(octave, x, y - 1, s - 1));
  let a = yy * ss - ys * ys;
  let b = xs * ys - xy * ss;
  let c = xy * ys - xs * yy;
  let d = xx * ss - xs * xs;
  let e = xy * xs - xx * ys;
  let f = xx * yy - xy * xy;
  let determinant = xx * a + xy * b + xs * c;
  var offset = vec3f();
  if (determinant != 0) {
    offset = -vec3f(dot(vec3f(a, b, c), g), dot(vec3f(b, d, e), g), dot(vec3f(c, e, f), g)) / determinant;
  }
  return Parabola(value, g, offset, xx + yy, f);
}

// One pixel towards a peak that is far off, as long as there are pixels.
fn stepTo(offset: f32, at: u32, size: u32) -> i32 {
  return i32(offset > MOVE_BEYOND && at + 2 < size) - i32(offset < -MOVE_BEYOND && at > 1);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  let count = min(atomicLoad(&counters.candidates), space.candidateRoom);
  for (var k = thread.x; k < count; k += workgroups.x * 64) { refine(candidates[k]); }
}

fn refine(candidate: Candidate) {
  var x = candidate.x & 0xffff;
  var y = candidate.x >> 16;
  let layer = candidate.y >> 8;
  let octave = space.octaves[candidate.y & 0xff];
  var fit = parabola(octave, x, y, layer);
  for (var m = 1u; SUBPIXEL && m < MOVES; m++) {
    let dx = stepTo(fit.offset.x, x, octave.width);
    let dy = stepTo(fit.offset.y, y, octave.height);
    if (dx == 0 && dy == 0) { break; }
    x = u32(i32(x) + dx);
    y = u32(i32(y) + dy);
    fit = parabola(octave, x, y, layer);
  }
  let offset = select(vec3f(), fit.offset, SUBPIXEL);
  let at = vec3f(f32(x), f32(y), f32(layer)) + offset;
  if (!all(abs(offset) < vec3f(LARGEST_OFFSET))) { return; }
  if (any(at < vec3f()) || any(at > vec3f(f32(octave.width - 1), f32(octave.height - 1), f32(LAYERS + 2)))) { return; }
  if (STAGES) { atomicAdd(&counters.interpolated, 1u); }
  let response = fit.value + 0.5 * dot(fit.gradient, offset);
  if (!(abs(response) > space.peak)) { return; }
  if (STAGES) { atomicAdd(&counters.threshold, 1u); }
  // tr²/det is below the limit, and both curvatures have one sign.
  let square = fit.trace * fit.trace;
  if (!(fit.determinant > 0 && square < space.edge * fit.determinant)) { return; }
  let k = atomicAdd(&counters.places, 1u);
  if (k >= space.placeRoom) { return; }
  let sigma = BASE_SIGMA * exp2(at.z / f32(LAYERS));
  places[k] = Place(at.x, at.y, sigma, response, x | (y << 16), candidate.y);
}
