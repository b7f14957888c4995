// The scale space, four numbers at a time.

@group(0) @binding(1) var<storage, read> pyramid: array<vec4f>;

fn gaussians(at: u32) -> vec4f { return pyramid[at]; }

// One of the four, without the others.
fn gaussianOf(at: u32, k: u32) -> f32 { return pyramid[at][k]; }
