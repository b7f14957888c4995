// The frames of a pass as the layers of a texture.

@group(0) @binding(2) var frames: texture_2d_array<f32>;

fn pixel(layer: u32, at: vec2i) -> f32 { return textureLoad(frames, at, layer, 0).r; }
