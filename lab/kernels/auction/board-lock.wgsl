#import board-arrays

// (b) Two arrays hold the highest bid on each object and its bidder, which a lock keeps consistent; price and owner are beside them. WGSL's atomics order
// no other memory accesses, so everything that the lock guards is atomic too; the certificate checks that it worked.
@group(0) @binding(7) var<storage, read_write> lock: array<atomic<u32>>;
@group(0) @binding(10) var<storage, read_write> highest: array<atomic<u32>>;
@group(0) @binding(11) var<storage, read_write> bidder: array<atomic<u32>>;

fn submit(i: u32, j: u32, bid: u32) {
  // The lock is released in the iteration of the loop that took it; otherwise threads that run in lockstep would wait for one another.
  var waiting = true;
  while (waiting) {
    if (atomicCompareExchangeWeak(&lock[j], 0, 1).exchanged) {
      let standing = atomicLoad(&highest[j]);
      if (bid > standing || (bid == standing && i > atomicLoad(&bidder[j]))) {
        atomicStore(&highest[j], bid);
        atomicStore(&bidder[j], i);
      }
      atomicStore(&lock[j], 0);
      waiting = false;
    }
  }
}
