#import frame

// Beyond 32 bits one pass finds the highest bid on each object, and a second pass over the bidders the greatest of those who made it.
@group(0) @binding(7) var<storage, read_write> offer: array<u32>;
@group(0) @binding(8) var<storage, read_write> price: array<u32>;
// 1 + the person who has the object, 0 for none.
@group(0) @binding(9) var<storage, read_write> owner: array<u32>;
@group(0) @binding(10) var<storage, read_write> bids: array<Bids>;

// On an object, in this round: the highest, and 1 + the person who made it.
struct Bids {
  highest: atomic<u32>,
  bidder: atomic<u32>,
}

fn priceOf(j: u32) -> u32 { return price[j]; }

fn isOwner(i: u32, j: u32) -> bool { return owner[j] == i + 1; }

fn submit(i: u32, j: u32, bid: u32) {
  offer[i] = bid;
  atomicMax(&bids[j].highest, bid);
}
