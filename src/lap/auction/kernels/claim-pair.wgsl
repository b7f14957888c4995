#import frame
#import board-pair

// Thread i handles person i, who claims its object if it made the highest bid on it.
@compute @workgroup_size(64)
fn claim_pair(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= frame.persons || offer[i] == 0u) {
    return;
  }
  let j = wanted[i];
  if (atomicLoad(&highest[j]) == offer[i]) {
    atomicMax(&bidder[j], i + 1u);
  }
  offer[i] = 0u;
}
