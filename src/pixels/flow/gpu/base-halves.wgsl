// Where kernels that start a warp or a level leave u⁰.

@group(0) @binding(8) var<storage, read_write> baseOut: array<u32>;

fn storeBase(i: u32, start: vec2f) { baseOut[i] = pack2x16float(start); }
