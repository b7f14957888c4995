#import frame
#import board-pair
#import progress

// Thread j handles object j.
@compute @workgroup_size(64)
fn assign_pair(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0u) {
    finish_round();
  }
  if (j >= frame.objects) {
    return;
  }
  let claimed = atomicExchange(&bidder[j], 0u);
  if (claimed == 0u) {
    return;
  }
  price[j] = atomicLoad(&highest[j]);
  owner[j] = claimed - 1u;
}
