// The direction of the weighted sum of the gradients around each corner. A workgroup takes the next corner of its stride; its 32 threads have eight pixels each.
// Twin: directionAt in openvidia.ts.

#import ../sift/gradient

override DIRECTION_SIGMA: f32;
// Share of a sum that counts as no difference.
override TIE: f32;

@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> places: array<Place>;
@group(0) @binding(4) var<storage, read_write> keypoints: array<Oriented>;

const SIDE: u32 = 16;
const THREADS: u32 = 32;

var<workgroup> count: u32;
var<workgroup> sums: array<vec3f, THREADS>;   // of the weighted gradients, and of their lengths

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let octave = space.octaves[0];
  if (thread == 0) { count = min(atomicLoad(&counters.keypoints), space.keypointRoom); }
  let n = workgroupUniformLoad(&count);
  for (var k = workgroup.x; k < n; k += workgroups.x) {
    let middle = vec2i(i32(places[k].x), i32(places[k].y));
    var part = vec3f();
    for (var p = thread; p < SIDE * SIDE; p += THREADS) {
      let offset = vec2i(i32(p % SIDE), i32(p / SIDE)) - 8;
      let at = middle + offset;
      if (any(at < vec2i()) || at.x >= i32(octave.width) || at.y >= i32(octave.height)) { continue; }
      let d = vec2f(offset);
      let g = exp(-dot(d, d) / (2 * DIRECTION_SIGMA * DIRECTION_SIGMA)) * gradientAt(0, octave, u32(at.x), u32(at.y));
      part += vec3f(g, length(g));
    }
    sums[thread] = part;
    workgroupBarrier();
    if (thread == 0) {
      var sum = vec3f();
      for (var m = 0u; m < THREADS; m++) { sum += sums[m]; }
      keypoints[k] = Oriented(k, select(0, angleOf(sum.xy), length(sum.xy) > TIE * sum.z));
    }
    workgroupBarrier();
  }
}
