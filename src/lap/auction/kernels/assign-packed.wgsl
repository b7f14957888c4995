#import frame
#import board-packed
#import progress

// Thread j is object j. Prices only rise, so that what was raised need not be put back.
@compute @workgroup_size(64)
fn assign_packed(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0u) {
    finish_round();
  }
  if (j < frame.objects) {
    word[j] = atomicLoad(&raised[j]);
  }
}
