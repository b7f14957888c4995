// The main directions of a place: a histogram of the gradients around it, in workgroup memory as fixed-point numbers, so that the order of the
// additions does not show. A workgroup takes the next place of its stride; a thread every 8th row and column around it.
// Twin: orientations in orientation.ts.

#import gradient
#import row

@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> places: array<Place>;
@group(0) @binding(4) var<storage, read_write> keypoints: array<Oriented>;
@group(0) @binding(5) var<storage, read_write> rows: array<atomic<u32>>;  // keypoints of each

override BINS: u32;
override WINDOW: f32;
override PEAK_SHARE: f32;
// Share of the highest that counts as no difference.
override TIE: f32;
// A histogram holds at most 2π (1.5 · 5.08)² · 180 grey levels: below 2³² after this.
const FIXED: f32 = 32768;

var<workgroup> count: u32;
var<workgroup> sums: array<atomic<u32>, BINS>;
var<workgroup> curve: array<f32, BINS>;
var<workgroup> peaks: array<u32, BINS>;

// Six passes of [1 1 1]/3 are one of these, over 3⁶; by distance.
const SMOOTHING = array<f32, 7>(141.0 / 729, 126.0 / 729, 90.0 / 729, 50.0 / 729, 21.0 / 729, 6.0 / 729, 1.0 / 729);

// A bin and the next are alike, and above those around them: the first is the peak.
fn isPair(bin: u32, tie: f32) -> bool {
  let one = curve[bin % BINS];
  let next = curve[(bin + 1) % BINS];
  return abs(one - next) <= tie && one > curve[(bin + BINS - 1) % BINS] + tie && next > curve[(bin + 2) % BINS] + tie;
}

@compute @workgroup_size(8, 8)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (thread == 0) { count = min(atomicLoad(&counters.places), space.placeRoom); }
  let n = workgroupUniformLoad(&count);
  for (var k = workgroup.x; k < n; k += workgroups.x) {
    if (thread < BINS) { atomicStore(&sums[thread], 0u); }
    workgroupBarrier();
    histogram(places[k], local);
    workgroupBarrier();
    if (thread < BINS) {
      var sum = 0.0;
      for (var d = -6; d <= 6; d++) {
        sum += SMOOTHING[abs(d)] * f32(atomicLoad(&sums[(i32(thread + BINS) + d) % i32(BINS)]));
      }
      curve[thread] = sum;
    }
    workgroupBarrier();
    var highest = 0.0;
    for (var b = 0u; b < BINS; b++) { highest = max(highest, curve[b]); }
    var before = 0.0;
    var here = 0.0;
    var after = 0.0;
    if (thread < BINS) {
      before = curve[(thread + BINS - 1) % BINS];
      here = curve[thread];
      after = curve[(thread + 1) % BINS];
      let tie = TIE * highest;
      let isPeak = isPair(thread, tie) || (here > before && here > after && !isPair(thread + BINS - 1, tie));
      peaks[thread] = u32(here > PEAK_SHARE * highest && isPeak);
    }
    workgroupBarrier();
    if (thread < BINS && peaks[thread] == 1) {
      var rank = 0u;
      for (var b = 0u; b < thread; b++) { rank += peaks[b]; }
      if (rank < space.orientations) {
        let offset = -0.5 * (after - before) / (after + before - 2 * here);
        let angle = TURN * (f32(thread) + offset + 0.5) / f32(BINS);
        let to = atomicAdd(&counters.keypoints, 1u);
        if (to < space.keypointRoom) {
          keypoints[to] = Oriented(k, select(angle, angle + TURN, angle < 0));
          atomicAdd(&rows[rowOf(places[k])], 1u);
        }
      }
    }
    workgroupBarrier();
  }
}

fn histogram(place: Place, local: vec3u) {
  let octave = space.octaves[place.level & 0xff];
  let base = planeOf(octave, place.level >> 8);
  let spread = WINDOW * place.sigma;
  let radius = max(i32(floor(3 * spread)), 1);
  let limit = f32(radius * radius) + 0.6;
  let centre = vec2i(floor(vec2f(place.x, place.y) + 0.5));
  let least = max(centre - radius, vec2i());
  let most = min(centre + radius, vec2i(i32(octave.width), i32(octave.height)) - 1);
  for (var row = least.y + i32(local.y); row <= most.y; row += 8) {
    for (var column = least.x + i32(local.x); column <= most.x; column += 8) {
      let d = vec2f(f32(column) - place.x, f32(row) - place.y);
      let square = dot(d, d);
      if (square >= limit) { continue; }
      let g = gradientAt(base, octave, u32(column), u32(row));
      let weight = length(g) * exp(-square / (2 * spread * spread)) * FIXED;
      let bin = angleOf(g) * f32(BINS) / TURN - 0.5;
      let below = floor(bin);
      let share = bin - below;
      let first = u32(i32(below) + i32(BINS)) % BINS;
      atomicAdd(&sums[first], u32((1 - share) * weight + 0.5));
      atomicAdd(&sums[(first + 1) % BINS], u32(share * weight + 0.5));
    }
  }
}
