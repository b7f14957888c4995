// The scale space in halves, less OFFSET, four numbers at a time.

@group(0) @binding(1) var<storage, read> pyramid: array<vec2u>;

fn gaussians(at: u32) -> vec4f { return vec4f(unpack2x16float(pyramid[at].x), unpack2x16float(pyramid[at].y)); }

// One of the four, without those of the other word.
fn gaussianOf(at: u32, k: u32) -> f32 { return unpack2x16float(pyramid[at][k / 2])[k % 2]; }
