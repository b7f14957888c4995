// An image of bytes, four a word, as f32, or as integers. A thread makes four pixels.
// Twin: none; it only converts (gpu-image.ts).

override INTEGERS: bool = false;
override PIXELS: u32;

@group(0) @binding(0) var<storage, read> bytes: array<u32>;
@group(0) @binding(1) var<storage, read_write> image: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  let word = thread.y * workgroups.x * 256 + thread.x;
  if (word >= arrayLength(&bytes)) { return; }
  let four = unpack4xU8(bytes[word]);
  for (var k = 0u; k < 4; k++) {
    let at = 4 * word + k;
    // The image may be part of a larger buffer: only its own bytes are written.
    if (at < PIXELS) { image[at] = select(bitcast<u32>(f32(four[k])), four[k], INTEGERS); }
  }
}
