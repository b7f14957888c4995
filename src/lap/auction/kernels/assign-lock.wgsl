#import frame
#import board-lock
#import progress

// Thread j handles object j.
@compute @workgroup_size(64)
fn assign_lock(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0u) {
    finish_round();
  }
  if (j >= frame.objects) {
    return;
  }
  let bid = atomicExchange(&highest[j], 0u);
  if (bid > 0u) {
    price[j] = bid;
    owner[j] = atomicExchange(&bidder[j], 0u);
  }
}
