#import frame
#import candidates
#import progress

// Thread i handles person i.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= frame.persons) { return; }
  let before = wanted[i];
  if (before == ALONE || (before > 0 && isOwner(i, before - 1))) { return; }
  atomicAdd(&progress.unsettled, 1);
  let choice = chooseListed(i);
  if (choice.wanted == 0) {
    wanted[i] = ALONE;
    return;
  }
  wanted[i] = choice.wanted;
  submit(i, choice.wanted - 1, bidOf(choice));
}
