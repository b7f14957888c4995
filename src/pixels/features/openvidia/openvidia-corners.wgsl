// Corners: edge pixels of Canny's at which the windowed tensor has two large eigenvalues, and det/trace is above the threshold and not below that of a corner among the eight neighbours, of
// equal ones the first; each with the direction of the weighted sum of the gradients around it. A thread a pixel. Twin: detectOpenvidiaOnCpu in openvidia.ts.
// Of Space: octave 0 is the blurred image, peak the threshold, soft the least randomness.

#import ../sift/gradient

override DIRECTION_SIGMA: f32;
override DESCRIPTOR_SIGMA: f32;
// Share of a response, and of a sum, that counts as no difference.
override TIE: f32;
// Along an axis the gradient leads to the next pixel from this share of its length on.
override EIGHTH: f32;

@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> xx: array<f32>;
@group(0) @binding(4) var<storage, read> xy: array<f32>;
@group(0) @binding(5) var<storage, read> yy: array<f32>;
@group(0) @binding(6) var<storage, read_write> places: array<Place>;
@group(0) @binding(7) var<storage, read_write> keypoints: array<Oriented>;

fn response(place: u32) -> f32 {
  return (xx[place] * yy[place] - xy[place] * xy[place]) / (xx[place] + yy[place] + 1e-10);
}

fn isEdge(octave: Octave, x: u32, y: u32) -> bool {
  let g = gradientAt(0, octave, x, y);
  let size = length(g);
  let step = select(vec2i(), vec2i(sign(g)), abs(g) > vec2f(EIGHTH * size));
  let last = vec2i(i32(octave.width), i32(octave.height)) - 1;
  let ahead = vec2u(clamp(vec2i(vec2u(x, y)) + step, vec2i(), last));
  let behind = vec2u(clamp(vec2i(vec2u(x, y)) - step, vec2i(), last));
  let most = max(length(gradientAt(0, octave, ahead.x, ahead.y)), length(gradientAt(0, octave, behind.x, behind.y)));
  return size > 0 && most <= size * (1 + TIE);
}

fn isCorner(octave: Octave, x: u32, y: u32) -> bool {
  let place = y * octave.width + x;
  let half = (xx[place] + yy[place]) / 2;
  let least = half - length(vec2f((xx[place] - yy[place]) / 2, xy[place]));
  return least / (1 + half) > space.soft && isEdge(octave, x, y);
}

fn direction(octave: Octave, x: u32, y: u32) -> f32 {
  var sum = vec2f();
  var total = 0.0;
  for (var row = max(y, 8) - 8; row <= min(y + 7, octave.height - 1); row++) {
    for (var column = max(x, 8) - 8; column <= min(x + 7, octave.width - 1); column++) {
      let d = vec2f(f32(column) - f32(x), f32(row) - f32(y));
      let g = exp(-dot(d, d) / (2 * DIRECTION_SIGMA * DIRECTION_SIGMA)) * gradientAt(0, octave, column, row);
      sum += g;
      total += length(g);
    }
  }
  return select(0, angleOf(sum), length(sum) > TIE * total);
}

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let octave = space.octaves[0];
  let x = thread.x;
  let y = thread.y;
  if (x >= octave.width || y >= octave.height) { return; }
  let place = y * octave.width + x;
  let value = response(place);
  if (!(value > space.peak) || !isCorner(octave, x, y)) { return; }
  for (var r = max(y, 1) - 1; r <= min(y + 1, octave.height - 1); r++) {
    for (var c = max(x, 1) - 1; c <= min(x + 1, octave.width - 1); c++) {
      let other = r * octave.width + c;
      if (other == place) { continue; }
      let beaten = value * select(1 + TIE, 1 - TIE, other < place);
      if (response(other) > space.peak && response(other) >= beaten && isCorner(octave, c, r)) { return; }
    }
  }
  let k = atomicAdd(&counters.keypoints, 1u);
  if (k >= space.keypointRoom) { return; }
  places[k] = Place(f32(x), f32(y), DESCRIPTOR_SIGMA, value, x | (y << 16), 0);
  keypoints[k] = Oriented(k, direction(octave, x, y));
}
