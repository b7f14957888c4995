#import board-matrix
#import ../../../dist/lap/auction/kernels/progress

// Thread j handles object j: it reads the bids of all persons on it and clears them.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0) { finishRound(); }
  if (j >= frame.objects) { return; }
  var best = 0u;
  var bidder = 0u;
  for (var i = 0u; i < frame.persons; i++) {
    let at = i * frame.objects + j;
    let bid = bids[at];
    if (bid > 0 && bid >= best) {
      best = bid;
      bidder = i;
    }
    if (bid > 0) { bids[at] = 0; }
  }
  if (best > 0) {
    price[j] = best;
    owner[j] = bidder + 1;
  }
}
