#import frame

// (c) Each object has one word with price and owner, and one that the bids of this round raise. A greater word is a higher price or, at the same price, a greater owner.
@group(0) @binding(7) var<storage, read_write> raised: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> word: array<u32>;

fn price_of(j: u32) -> u32 {
  return word[j] >> frame.id_bits;
}

fn owner_of(j: u32) -> u32 {
  // Nobody has bid on it.
  if (word[j] == 0u) {
    return NOBODY;
  }
  return word[j] & ((1u << frame.id_bits) - 1u);
}

fn submit(i: u32, j: u32, bid: u32) {
  atomicMax(&raised[j], (bid << frame.id_bits) | i);
}
