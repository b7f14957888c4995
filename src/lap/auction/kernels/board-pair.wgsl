#import frame
#import board-arrays

// (c) beyond 32 bits: one pass finds the highest bid, and a second pass over the bidders the greatest of those who made it:
// `bidder` is the number of the person and 1, or 0 for none.
@group(0) @binding(7) var<storage, read_write> offer: array<u32>;

fn submit(i: u32, j: u32, bid: u32) {
  offer[i] = bid;
  atomicMax(&highest[j], bid);
}
