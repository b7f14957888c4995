// The price and the owner of each object, where they are kept in arrays of their own.

@group(0) @binding(8) var<storage, read_write> price: array<u32>;
@group(0) @binding(9) var<storage, read_write> owner: array<u32>;

fn price_of(j: u32) -> u32 {
  return price[j];
}

fn owner_of(j: u32) -> u32 {
  return owner[j];
}
