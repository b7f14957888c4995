// The state as f32, vectors × height × width: read from one buffer, written to another. A thread has one pixel.

const PIXELS = 1u;

@group(0) @binding(3) var<storage, read> before: array<f32>;
@group(0) @binding(4) var<storage, read_write> after: array<f32>;

fn load(v: u32, at: vec2i) -> f32 { return before[(v * run.height + u32(at.y)) * run.width + u32(at.x)]; }

fn store(v: u32, at: vec2u, values: array<f32, PIXELS>) {
  after[(v * run.height + at.y) * run.width + at.x] = values[0];
}
