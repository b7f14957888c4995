// A plane in f32, or in integers, from samples in the type they came in: (sample − minus) · factor. Threads stride over the pixels.
// Twins: inFloats, image.ts; valuesOf, before-detect/samples.ts; scaled, flow/scale.ts.

struct Widen {
  // Pixels of the plane, and the place of the first of them in `plane`.
  pixels: u32,
  first: u32,
  minus: f32,
  factor: f32,
}

override THREADS: u32 = 256;
// Bytes of a sample: 4 is an f32, fewer are an integer.
override BYTES: u32;
override INTEGERS: bool = false;

@group(0) @binding(0) var<uniform> widen: Widen;
@group(0) @binding(1) var<storage, read> samples: array<u32>;
@group(0) @binding(2) var<storage, read_write> plane: array<u32>;

fn sample(i: u32) -> f32 {
  if (BYTES == 4) { return bitcast<f32>(samples[i]); }
  if (BYTES == 2) { return f32((samples[i / 2] >> (16 * (i % 2))) & 0xffff); }
  return f32((samples[i / 4] >> (8 * (i % 4))) & 0xff);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = thread.x; i < widen.pixels; i += groups.x * THREADS) {
    let value = (sample(i) - widen.minus) * widen.factor;
    plane[widen.first + i] = select(bitcast<u32>(value), bitcast<u32>(i32(value)), INTEGERS);
  }
}
