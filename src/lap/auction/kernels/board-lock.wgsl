#import frame

// (b) Two arrays, the highest bid on each object and its bidder, which a lock keeps together; price and owner beside them. WGSL's atomics order
// nothing but themselves, so all that the lock guards is atomic too, and the certificate is what says that it held.
@group(0) @binding(7) var<storage, read_write> lock: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> price: array<u32>;
@group(0) @binding(9) var<storage, read_write> owner: array<u32>;
@group(0) @binding(10) var<storage, read_write> highest: array<atomic<u32>>;
@group(0) @binding(11) var<storage, read_write> bidder: array<atomic<u32>>;

fn price_of(j: u32) -> u32 {
  return price[j];
}

fn owner_of(j: u32) -> u32 {
  return owner[j];
}

fn submit(i: u32, j: u32, bid: u32) {
  // The lock is given back in the turn of the loop that took it: threads that run in step would else wait for one of their own.
  var waiting = true;
  while (waiting) {
    if (atomicCompareExchangeWeak(&lock[j], 0u, 1u).exchanged) {
      let standing = atomicLoad(&highest[j]);
      if (bid > standing || (bid == standing && i > atomicLoad(&bidder[j]))) {
        atomicStore(&highest[j], bid);
        atomicStore(&bidder[j], i);
      }
      atomicStore(&lock[j], 0u);
      waiting = false;
    }
  }
}
