// Where kernels that start a warp or a level leave u⁰.

@group(0) @binding(8) var<storage, read_write> base_out: array<u32>;

fn store_base(i: u32, start: vec2f) { base_out[i] = pack2x16float(start); }
