#import frame
#import board-matrix
#import progress

// Thread j handles object j: it reads the bids of all persons on it and clears them.
@compute @workgroup_size(64)
fn assign_matrix(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0u) {
    finish_round();
  }
  if (j >= frame.objects) {
    return;
  }
  var best = 0u;
  var bidder = 0u;
  for (var i = 0u; i < frame.persons; i++) {
    let at = i * frame.objects + j;
    let bid = bids[at];
    if (bid > 0u && bid >= best) {
      best = bid;
      bidder = i;
    }
    if (bid > 0u) {
      bids[at] = 0u;
    }
  }
  if (best > 0u) {
    price[j] = best;
    owner[j] = bidder;
  }
}
