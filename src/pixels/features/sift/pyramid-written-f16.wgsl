// The same in halves, less OFFSET: differences of Gaussians, gradients and all that follows from them stay the same.

override OFFSET: f32;

@group(0) @binding(2) var<storage, read_write> pyramid: array<vec2u>;

fn gaussians(at: u32) -> vec4f { return vec4f(unpack2x16float(pyramid[at].x), unpack2x16float(pyramid[at].y)); }

fn put(at: u32, v: vec4f) { pyramid[at] = vec2u(pack2x16float(v.xy), pack2x16float(v.zw)); }

// The first or the second two of four.
fn putPair(at: u32, which: u32, pair: vec2f) { pyramid[at][which] = pack2x16float(pair); }
