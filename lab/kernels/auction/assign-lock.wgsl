#import board-lock
#import ../../../dist/lap/auction/kernels/progress

// Thread j handles object j.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let j = id.x;
  if (j == 0) { finishRound(); }
  if (j >= frame.objects) { return; }
  let bid = atomicExchange(&highest[j], 0);
  if (bid > 0) {
    price[j] = bid;
    owner[j] = atomicExchange(&bidder[j], 0) + 1;
  }
}
