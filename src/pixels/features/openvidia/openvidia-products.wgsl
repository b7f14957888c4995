// Products of the blurred image's gradients: gx², gx gy, gy². A thread a pixel. Twin: tensor in openvidia.ts.

#import ../sift/gradient

@group(0) @binding(2) var<storage, read_write> products: array<f32>;   // three planes

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let octave = space.octaves[0];
  if (thread.x >= octave.width || thread.y >= octave.height) { return; }
  let g = gradientAt(0, octave, thread.x, thread.y);
  let place = thread.y * octave.width + thread.x;
  let pixels = octave.width * octave.height;
  products[place] = g.x * g.x;
  products[pixels + place] = g.x * g.y;
  products[2 * pixels + place] = g.y * g.y;
}
