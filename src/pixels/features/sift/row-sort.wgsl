// Keypoints by octave, layer, row, column and place of the parabola, then angle. A thread takes the next slot of its stride, and counts the keypoints of its
// row that come before its own.

#import space
#import row

@group(0) @binding(0) var<uniform> space: Space;
@group(0) @binding(1) var<storage, read_write> counters: Counters;
@group(0) @binding(2) var<storage, read> places: array<Place>;
@group(0) @binding(3) var<storage, read> keypoints: array<Oriented>;
@group(0) @binding(4) var<storage, read> rows: array<u32>;  // ends
@group(0) @binding(5) var<storage, read> slots: array<u32>;
@group(0) @binding(6) var<storage, read_write> sorted: array<Oriented>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  let count = min(atomicLoad(&counters.keypoints), space.keypointRoom);
  for (var slot = thread.x; slot < count; slot += workgroups.x * 64) {
    let k = slots[slot];
    let keypoint = keypoints[k];
    let place = places[keypoint.place];
    let row = rowOf(place);
    var start = 0u;
    if (row > 0) { start = rows[row - 1]; }
    var rank = start;
    for (var other = start; other < rows[row]; other++) {
      let l = slots[other];
      if (l != k && isBefore(l, k, keypoint, place)) { rank++; }
    }
    sorted[rank] = keypoint;
  }
}

// Whether keypoint l of a row comes before its keypoint k. Two places that are alike in all are told apart by their number, so that the keypoints of each
// stay together.
fn isBefore(l: u32, k: u32, keypoint: Oriented, place: Place) -> bool {
  let other = keypoints[l];
  let its = places[other.place];
  if (its.pixel != place.pixel) { return its.pixel < place.pixel; }
  if (its.y != place.y) { return its.y < place.y; }
  if (its.x != place.x) { return its.x < place.x; }
  if (other.place != keypoint.place) { return other.place < keypoint.place; }
  if (other.angle != keypoint.angle) { return other.angle < keypoint.angle; }
  return l < k;
}
