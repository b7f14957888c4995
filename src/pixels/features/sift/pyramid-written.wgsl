// The scale space as the blurs write it, four numbers at a time, or two for the next octave.

// Subtracted from the grey levels.
override OFFSET: f32;

@group(0) @binding(2) var<storage, read_write> pyramid: array<vec4f>;

fn gaussians(at: u32) -> vec4f { return pyramid[at]; }

fn put(at: u32, v: vec4f) { pyramid[at] = v; }

// The first or the second two of four.
fn putPair(at: u32, which: u32, pair: vec2f) {
  pyramid[at][2 * which] = pair.x;
  pyramid[at][2 * which + 1] = pair.y;
}
