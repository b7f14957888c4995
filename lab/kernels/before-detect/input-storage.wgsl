// The frames of a pass as an array: depth × height × width.

@group(0) @binding(2) var<storage, read> frames: array<f32>;

fn pixel(layer: u32, at: vec2i) -> f32 {
  return frames[(layer * run.height + u32(at.y)) * run.width + u32(at.x)];
}
