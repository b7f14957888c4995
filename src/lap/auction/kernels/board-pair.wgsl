#import frame

// (c) beyond 32 bits: one pass finds the highest bid, and a second pass over the bidders the greatest of those who made it.
@group(0) @binding(7) var<storage, read_write> offer: array<u32>;
@group(0) @binding(8) var<storage, read_write> price: array<u32>;
@group(0) @binding(9) var<storage, read_write> owner: array<u32>;
@group(0) @binding(10) var<storage, read_write> highest: array<atomic<u32>>;
// Number of the person and 1; 0: none.
@group(0) @binding(11) var<storage, read_write> bidder: array<atomic<u32>>;

fn price_of(j: u32) -> u32 {
  return price[j];
}

fn owner_of(j: u32) -> u32 {
  return owner[j];
}

fn submit(i: u32, j: u32, bid: u32) {
  offer[i] = bid;
  atomicMax(&highest[j], bid);
}
