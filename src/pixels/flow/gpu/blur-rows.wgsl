// Convolves the rows of the images with a Gaussian; border pixels are repeated. A thread has a pixel, z is the plane.

#import run
#import bicubic

override X: u32 = 32;
override Y: u32 = 8;

// Weights at offsets −r … r.
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read> source: array<f32>;
@group(0) @binding(3) var<storage, read_write> blurred: array<f32>;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.source_width || thread.y >= run.source_height) { return; }
  let row = (thread.z * run.source_height + thread.y) * run.source_width;
  let taps = arrayLength(&weights);
  let first = i32(thread.x) - i32(taps / 2);
  var sum = 0.0;
  for (var k = 0u; k < taps; k++) {
    sum += weights[k] * source[row + clamped(first + i32(k), run.source_width)];
  }
  blurred[row + thread.x] = sum;
}
