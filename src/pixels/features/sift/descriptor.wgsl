// The descriptor of a keypoint: 128 sums of weights in workgroup memory as fixed-point numbers, so that the order of the additions does not
// show; normalised, clipped, normalised again, four bytes a word. A workgroup takes the next keypoint of its stride; a thread every 16th column and
// every 4th row of its window. Twin: describe in descriptor.ts.

#import gradient

@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> places: array<Place>;
@group(0) @binding(4) var<storage, read> keypoints: array<Oriented>;
@group(0) @binding(5) var<storage, read_write> descriptors: array<u32>;  // 32 a keypoint

const CELLS: i32 = 4;
const DIRECTIONS: u32 = 8;
const LENGTH: u32 = 128;
const CLIP: f32 = 0.2;
// A sum holds at most (3 · 5.08)² pixels of 180 grey levels: below 2³² after this.
const FIXED: f32 = 65536;

var<workgroup> count: u32;
var<workgroup> sums: array<atomic<u32>, 128>;
var<workgroup> squares: array<f32, 64>;
var<workgroup> bytes: array<u32, 128>;

@compute @workgroup_size(16, 4)
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
    atomicStore(&sums[thread + 64], 0u);
    workgroupBarrier();
    gather(places[keypoints[k].place], keypoints[k].angle, local);
    workgroupBarrier();
    let values = vec2f(f32(atomicLoad(&sums[thread])), f32(atomicLoad(&sums[thread + 64])));
    let first = norm(dot(values, values), thread);
    let clipped = min(values / first, vec2f(CLIP));
    let second = norm(dot(clipped, clipped), thread);
    let scaled = min(floor(512 * clipped / second), vec2f(255));
    bytes[thread] = u32(scaled.x);
    bytes[thread + 64] = u32(scaled.y);
    workgroupBarrier();
    if (thread < 32) {
      let at = 4 * thread;
      descriptors[32 * k + thread] = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    }
    workgroupBarrier();
  }
}

// √ of the sum over the workgroup.
fn norm(square: f32, thread: u32) -> f32 {
  squares[thread] = square;
  for (var half = 32u; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { squares[thread] += squares[thread + half]; }
  }
  workgroupBarrier();
  let sum = squares[0];
  workgroupBarrier();
  return max(sqrt(sum), 1e-12);
}

fn gather(place: Place, angle: f32, local: vec3u) {
  let octave = space.octaves[place.level & 0xff];
  let base = octave.offset + (place.level >> 8) * octave.width * octave.height;
  let cell = 3 * place.sigma;
  let radius = i32(floor(sqrt(2.0) * cell * f32(CELLS + 1) / 2 + 0.5));
  let centre = vec2i(floor(vec2f(place.x, place.y) + 0.5));
  let axis = vec2f(cos(angle), sin(angle)) / cell;
  let least = max(centre - radius, vec2i(1));
  let most = min(centre + radius, vec2i(i32(octave.width), i32(octave.height)) - 2);
  let limit = f32(CELLS + 1) / 2;
  for (var row = least.y + i32(local.y); row <= most.y; row += 4) {
    for (var column = least.x + i32(local.x); column <= most.x; column += 16) {
      let d = vec2f(f32(column) - place.x, f32(row) - place.y);
      let u = vec2f(dot(axis, d), axis.x * d.y - axis.y * d.x);
      if (any(abs(u) >= vec2f(limit))) { continue; }
      let g = gradientAt(base, octave.width, octave.height, u32(column), u32(row));
      let weight = length(g) * exp(-dot(u, u) / 8) * FIXED;
      var turn = (angleOf(g) - angle) * f32(DIRECTIONS) / TURN;
      turn -= floor(turn / f32(DIRECTIONS)) * f32(DIRECTIONS);
      add(u + f32(CELLS) / 2 - 0.5, turn, weight);
    }
  }
}

// Spreads a weight over the two nearest cells of each axis and the two nearest directions.
fn add(u: vec2f, turn: f32, weight: f32) {
  let corner = vec2i(floor(u));
  let share = u - floor(u);
  let t = u32(floor(turn)) % DIRECTIONS;
  let next = (t + 1) % DIRECTIONS;
  let ofNext = turn - floor(turn);
  for (var b = 0; b < 2; b++) {
    let row = corner.y + b;
    if (row < 0 || row >= CELLS) { continue; }
    let ofRow = weight * select(1 - share.y, share.y, b == 1);
    for (var a = 0; a < 2; a++) {
      let column = corner.x + a;
      if (column < 0 || column >= CELLS) { continue; }
      let ofCell = ofRow * select(1 - share.x, share.x, a == 1);
      let at = u32(row * CELLS + column) * DIRECTIONS;
      atomicAdd(&sums[at + t], u32(ofCell * (1 - ofNext) + 0.5));
      atomicAdd(&sums[at + next], u32(ofCell * ofNext + 0.5));
    }
  }
}
