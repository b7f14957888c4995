#import frame

// Each object has one word with price and owner, and one that the bids of this round raise. A greater word is a higher price or, at the same price, a greater owner.
@group(0) @binding(7) var<storage, read_write> raised: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> word: array<u32>;

fn priceOf(j: u32) -> u32 { return word[j] >> frame.idBits; }

// A word of 0 has had no bid.
fn isOwner(i: u32, j: u32) -> bool { return word[j] != 0 && (word[j] & ((1u << frame.idBits) - 1)) == i; }

fn submit(i: u32, j: u32, bid: u32) { atomicMax(&raised[j], (bid << frame.idBits) | i); }
