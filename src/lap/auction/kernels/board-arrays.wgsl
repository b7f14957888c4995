#import prices

// What the boards of two arrays share besides prices: the highest bid on each object and who made that bid.

@group(0) @binding(10) var<storage, read_write> highest: array<atomic<u32>>;
@group(0) @binding(11) var<storage, read_write> bidder: array<atomic<u32>>;
