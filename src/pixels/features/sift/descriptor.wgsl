// The descriptor of a keypoint: 128 sums of weights in workgroup memory as fixed-point numbers, so that the order of the additions does not
// show; normalised, clipped, normalised again, four bytes a word. A workgroup takes the next keypoint of its stride; a thread every 16th column
// and every 8th row of its window.
// Twin: describe in descriptor.ts.

#import gradient

@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> places: array<Place>;
@group(0) @binding(4) var<storage, read> keypoints: array<Oriented>;
@group(0) @binding(5) var<storage, read_write> descriptors: array<u32>;  // 32 a keypoint

override CELLS: i32;           // along each axis
override PLACES: u32;          // of a cell in the descriptor
override DIRECTIONS: u32 = 8;  // of a cell
// Side of a cell over the place's σ, and σ of the weight in cells.
override MAGNIFICATION: f32;
override WEIGHT_SIGMA: f32;
override CLIP: f32;
override SQUARINGS: u32 = 0;   // n of the weight ((1 + cos)/2)^(2ⁿ); 0 for linear weights of the two nearest directions

// A sum holds at most (3 · 5.08)² pixels of 180 grey levels: below 2³² after this.
const FIXED: f32 = 65536;

var<workgroup> count: u32;
var<workgroup> sums: array<atomic<u32>, 128>;
var<workgroup> squares: array<vec4f, 64>;
var<workgroup> bytes: array<u32, 128>;

@compute @workgroup_size(16, 8)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (thread == 0) { count = min(atomicLoad(&counters.keypoints), space.keypointRoom); }
  let n = workgroupUniformLoad(&count);
  for (var k = workgroup.x; k < n; k += workgroups.x) {
    atomicStore(&sums[thread], 0u);
    workgroupBarrier();
    gather(places[keypoints[k].place], keypoints[k].angle, local);
    workgroupBarrier();
    let value = f32(atomicLoad(&sums[thread]));
    let clipped = min(value / norm(value, thread, 0), CLIP);
    bytes[thread] = u32(min(floor(512 * clipped / norm(clipped, thread, 1)), 255));
    workgroupBarrier();
    if (thread < 32) {
      let at = 4 * thread;
      descriptors[32 * k + thread] = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    }
    workgroupBarrier();
  }
}

// √ of the sum of squares over the workgroup, of one of two rounds. Every thread adds them all up: that is faster than a tree with its barriers.
fn norm(value: f32, thread: u32, round: u32) -> f32 {
  squares[32 * round + thread / 4][thread % 4] = value * value;
  workgroupBarrier();
  var sums = vec4f();
  for (var k = 0u; k < 32; k++) { sums += squares[32 * round + k]; }
  return max(sqrt(dot(sums, vec4f(1))), 1e-12);
}

fn gather(place: Place, angle: f32, local: vec3u) {
  let octave = space.octaves[place.level & 0xff];
  let pitch = pitchOf(octave);
  let base = planeOf(octave, place.level >> 8);
  let cell = MAGNIFICATION * place.sigma;
  let radius = i32(floor(sqrt(2.0) * cell * f32(CELLS + 1) / 2 + 0.5));
  let centre = vec2i(floor(vec2f(place.x, place.y) + 0.5));
  let axis = vec2f(cos(angle), sin(angle)) / cell;
  let least = max(centre - radius, vec2i(1));
  let most = min(centre + radius, vec2i(i32(octave.width), i32(octave.height)) - 2);
  let limit = f32(CELLS + 1) / 2;
  // Columns of a row within the turned square: |axis.x dx + axis.y dy| and |axis.x dy − axis.y dx| below the limit; a pixel more on each side.
  let slope = vec2f(-axis.y, axis.x) / select(axis, vec2f(1e-9), abs(axis) < vec2f(1e-9));
  let reach = limit / max(abs(axis), vec2f(1e-9));
  for (var row = least.y + i32(local.y); row <= most.y; row += 8) {
    let dy = f32(row) - place.y;
    let begin = max(slope.x * dy - reach.x, slope.y * dy - reach.y);
    let end = min(slope.x * dy + reach.x, slope.y * dy + reach.y);
    let first = max(least.x, i32(clamp(place.x + begin, -1e6, 1e6)) - 1);
    let last = min(most.x, i32(clamp(place.x + end, -1e6, 1e6)) + 1);
    for (var column = first + i32(local.x); column <= last; column += 16) {
      let d = vec2f(f32(column) - place.x, dy);
      let u = vec2f(dot(axis, d), axis.x * d.y - axis.y * d.x);
      if (any(abs(u) >= vec2f(limit))) { continue; }
      let g = gradientInside(base + u32(row) * pitch + u32(column), pitch);
      let weight = length(g) * exp(-dot(u, u) / (2 * WEIGHT_SIGMA * WEIGHT_SIGMA)) * FIXED;
      var turn = (angleOf(g) - angle) * (f32(DIRECTIONS) / TURN);
      turn -= floor(turn / f32(DIRECTIONS)) * f32(DIRECTIONS);
      add(u + f32(CELLS) / 2 - 0.5, turn, weight);
    }
  }
}

// Spreads a weight over the two nearest cells of each axis, and over the two nearest directions or all of them.
fn add(u: vec2f, turn: f32, weight: f32) {
  let corner = vec2i(floor(u));
  let share = u - floor(u);
  let t = u32(floor(turn)) % DIRECTIONS;
  let next = (t + 1) % DIRECTIONS;
  let ofNext = turn - floor(turn);
  let step = PLACES / DIRECTIONS;
  for (var b = 0; b < 2; b++) {
    let row = corner.y + b;
    if (row < 0 || row >= CELLS) { continue; }
    let ofRow = weight * select(1 - share.y, share.y, b == 1);
    for (var a = 0; a < 2; a++) {
      let column = corner.x + a;
      if (column < 0 || column >= CELLS) { continue; }
      let ofCell = ofRow * select(1 - share.x, share.x, a == 1);
      let at = u32(row * CELLS + column) * PLACES;
      if (SQUARINGS == 0) {
        atomicAdd(&sums[at + step * t], u32(ofCell * (1 - ofNext) + 0.5));
        atomicAdd(&sums[at + step * next], u32(ofCell * ofNext + 0.5));
      } else {
        for (var d = 0u; d < DIRECTIONS; d++) {
          atomicAdd(&sums[at + step * d], u32(ofCell * cosineWeight(turn - f32(d)) + 0.5));
        }
      }
    }
  }
}

// Weight of a gradient for a direction that is `apart` directions away.
fn cosineWeight(apart: f32) -> f32 {
  var weight = (1 + cos(apart * (TURN / f32(DIRECTIONS)))) / 2;
  for (var n = 0u; n < SQUARINGS; n++) { weight *= weight; }
  return weight;
}
