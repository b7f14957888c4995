#import frame
#import candidates
#import progress

// Thread i handles person i.
@compute @workgroup_size(64)
fn bid_list(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= frame.persons) {
    return;
  }
  let object = wanted[i];
  if (object == ALONE || (object != NOBODY && owner_of(object) == i)) {
    return;
  }
  atomicAdd(&progress.unsettled, 1u);
  let choice = choose_listed(i);
  if (choice.object == NOBODY) {
    wanted[i] = ALONE;
    return;
  }
  wanted[i] = choice.object;
  submit(i, choice.object, bid_of(choice));
}
