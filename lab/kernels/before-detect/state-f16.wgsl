// The state as f16, two pixels a word, vectors × height × ⌈width / 2⌉: read from one buffer, written to another. A thread has two pixels.

const PIXELS = 2u;

@group(0) @binding(3) var<storage, read> before: array<u32>;
@group(0) @binding(4) var<storage, read_write> after: array<u32>;

fn word(v: u32, y: u32, x: u32) -> u32 { return (v * run.height + y) * ((run.width + 1u) / 2u) + x / 2u; }

fn load(v: u32, at: vec2i) -> f32 {
  let pair = unpack2x16float(before[word(v, u32(at.y), u32(at.x))]);
  return select(pair.x, pair.y, (at.x & 1) == 1);
}

fn store(v: u32, at: vec2u, values: array<f32, PIXELS>) {
  after[word(v, at.y, at.x)] = pack2x16float(vec2f(values[0], values[1]));
}
