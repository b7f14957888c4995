#import frame
#import board-packed
#import progress

// Thread j handles object j. Prices only rise, so a word that bids have raised need not be reset.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0) { finishRound(); }
  if (j < frame.objects) { word[j] = atomicLoad(&raised[j]); }
}
