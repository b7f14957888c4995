// Corners: edge pixels of Canny's at which the windowed tensor has two large eigenvalues, and det/trace is above the threshold and not below that of a corner among the eight neighbours, of
// equal ones the first. A thread a pixel. Twin: detectOpenvidiaOnCpu in openvidia.ts.
// Of Space: octave 0 is the blurred image, peak the threshold, soft the least randomness.

#import ../sift/gradient

override DESCRIPTOR_SIGMA: f32;
// Share of a response that counts as no difference.
override TIE: f32;
// Along an axis the gradient leads to the next pixel from this share of its length on.
override EIGHTH: f32;

@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> tensor: array<f32>;   // three planes: xx, xy, yy
@group(0) @binding(4) var<storage, read_write> places: array<Place>;

fn tensorAt(place: u32) -> vec3f {
  let pixels = space.octaves[0].width * space.octaves[0].height;
  return vec3f(tensor[place], tensor[pixels + place], tensor[2 * pixels + place]);
}

fn response(place: u32) -> f32 {
  let t = tensorAt(place);
  return (t.x * t.z - t.y * t.y) / (t.x + t.z + 1e-10);
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
  let t = tensorAt(place);
  let half = (t.x + t.z) / 2;
  let least = half - length(vec2f((t.x - t.z) / 2, t.y));
  return least / (1 + half) > space.soft && isEdge(octave, x, y);
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
}
