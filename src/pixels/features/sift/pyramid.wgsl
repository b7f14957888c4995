// The scale space, a number at a time.

@group(0) @binding(1) var<storage, read> pyramid: array<f32>;

fn gaussian(at: u32) -> f32 { return pyramid[at]; }
