// The scale space in halves, less OFFSET, a number at a time. Packed words: no device feature is needed.

@group(0) @binding(1) var<storage, read> pyramid: array<u32>;

fn gaussian(at: u32) -> f32 { return unpack2x16float(pyramid[at / 2])[at % 2]; }
