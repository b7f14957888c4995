// Each keypoint takes the next slot of its row; a row's start becomes its end, which is the start of the next. A thread takes the next keypoint of its stride.

#import space
#import row

@group(0) @binding(0) var<uniform> space: Space;
@group(0) @binding(1) var<storage, read_write> counters: Counters;
@group(0) @binding(2) var<storage, read> places: array<Place>;
@group(0) @binding(3) var<storage, read> keypoints: array<Oriented>;
@group(0) @binding(4) var<storage, read_write> rows: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  let count = min(atomicLoad(&counters.keypoints), space.keypointRoom);
  for (var k = thread.x; k < count; k += workgroups.x * 64) {
    let place = keypoints[k].place;
    slots[atomicAdd(&rows[rowOf(places[place])], 1u)] = k;
  }
}
