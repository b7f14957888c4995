#import frame
#import board-pair
#import progress

// Thread j handles object j.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0) { finishRound(); }
  if (j >= frame.objects) { return; }
  let claimed = atomicExchange(&bids[j].bidder, 0);
  if (claimed == 0) { return; }
  price[j] = atomicLoad(&bids[j].highest);
  owner[j] = claimed;
}
