#import dense-choice
#import ../../../dist/lap/auction/kernels/progress

const LANES = 64u;

var<workgroup> busy: u32;
var<workgroup> choices: array<Choice, LANES>;

// A workgroup handles one person; each thread takes every 64th object.
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = group.x;
  if (lane == 0) { busy = u32(!(wanted[i] > 0 && isOwner(i, wanted[i] - 1))); }
  if (workgroupUniformLoad(&busy) == 0) { return; }
  joinChoices(lane, LANES, chooseOfAll(i, lane, LANES));
  if (lane == 0) {
    atomicAdd(&progress.unsettled, 1);
    wanted[i] = choices[0].wanted;
    submit(i, choices[0].wanted - 1, bidOf(choices[0]));
  }
}
