// The scale space, four numbers at a time.

@group(0) @binding(1) var<storage, read> pyramid: array<vec4f>;

fn gaussians(at: u32) -> vec4f { return pyramid[at]; }
