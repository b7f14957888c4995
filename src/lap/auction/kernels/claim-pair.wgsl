#import frame
#import board-pair

// Thread i handles person i, who claims its object if it made the highest bid on it.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= frame.persons || offer[i] == 0) { return; }
  let j = wanted[i] - 1;
  if (atomicLoad(&bids[j].highest) == offer[i]) { atomicMax(&bids[j].bidder, i + 1); }
  offer[i] = 0;
}
