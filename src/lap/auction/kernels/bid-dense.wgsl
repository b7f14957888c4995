#import frame
#import candidates
#import progress
#import best-of-lanes

const LANES = 64u;

var<workgroup> busy: u32;
var<workgroup> choices: array<Choice, LANES>;

// A workgroup handles one person; each thread takes every 64th object.
@compute @workgroup_size(64)
fn bid_dense(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = group.x;
  if (lane == 0u) {
    let object = wanted[i];
    busy = select(1u, 0u, object != NOBODY && owner_of(object) == i);
  }
  if (workgroupUniformLoad(&busy) == 0u) {
    return;
  }
  join_choices(lane, LANES, choose_of_all(i, lane, LANES));
  if (lane == 0u) {
    atomicAdd(&progress.unsettled, 1u);
    wanted[i] = choices[0].object;
    submit(i, choices[0].object, bid_of(choices[0]));
  }
}
