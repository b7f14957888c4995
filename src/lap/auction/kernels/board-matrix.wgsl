#import frame

// (a) A matrix of bids, persons times objects, and for each object its price and its owner.
@group(0) @binding(7) var<storage, read_write> bids: array<u32>;
@group(0) @binding(8) var<storage, read_write> price: array<u32>;
@group(0) @binding(9) var<storage, read_write> owner: array<u32>;

fn price_of(j: u32) -> u32 {
  return price[j];
}

fn owner_of(j: u32) -> u32 {
  return owner[j];
}

fn submit(i: u32, j: u32, bid: u32) {
  bids[i * frame.objects + j] = bid;
}
