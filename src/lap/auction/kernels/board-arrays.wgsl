// What the boards of two arrays share: the price and the owner of each object, the highest bid on it and who made that bid.

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
