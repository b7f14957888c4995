#import ../../../dist/lap/auction/kernels/frame

// What boards of several arrays share: each object's price, and 1 + the person who has it, 0 for none.
@group(0) @binding(8) var<storage, read_write> price: array<u32>;
@group(0) @binding(9) var<storage, read_write> owner: array<u32>;

fn priceOf(j: u32) -> u32 { return price[j]; }

fn isOwner(i: u32, j: u32) -> bool { return owner[j] == i + 1; }
