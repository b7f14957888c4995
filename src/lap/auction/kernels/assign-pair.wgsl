#import frame
#import board-pair
#import progress

// Thread j handles object j.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0) { finishRound(); }
  if (j >= frame.objects) { return; }
  let claimed = atomicExchange(&bidder[j], 0);
  if (claimed == 0) { return; }
  price[j] = atomicLoad(&highest[j]);
  owner[j] = claimed;
}
