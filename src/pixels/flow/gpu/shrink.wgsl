// The next level of the images: columns convolved with a Gaussian and sampled bicubically at (x stepX, y stepY). A thread has a pixel of the
// new level, z is the plane. Taps of weight 0 are left out: at a zoom of 1/2 one of the sixteen is left.

#import run
#import bicubic

override X: u32 = 32;
override Y: u32 = 8;

// Weights at offsets −r … r.
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read> blurred: array<f32>;
@group(0) @binding(3) var<storage, read_write> image: array<f32>;

fn smoothAt(plane: u32, x: u32, y: u32) -> f32 {
  let taps = arrayLength(&weights);
  let first = i32(y) - i32(taps / 2);
  var sum = 0.0;
  for (var k = 0u; k < taps; k++) {
    let row = plane * run.sourceHeight + clamped(first + i32(k), run.sourceHeight);
    sum += weights[k] * blurred[row * run.sourceWidth + x];
  }
  return sum;
}

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let at = vec2f(f32(thread.x) * run.stepX, f32(thread.y) * run.stepY);
  let corner = floor(at);
  let alongX = cubicWeights(at.x - corner.x);
  let alongY = cubicWeights(at.y - corner.y);
  var sum = 0.0;
  for (var k = 0u; k < 4; k++) {
    if (alongY[k] == 0.0) { continue; }
    let y = clamped(i32(corner.y) + i32(k) - 1, run.sourceHeight);
    for (var m = 0u; m < 4; m++) {
      if (alongX[m] == 0.0) { continue; }
      let x = clamped(i32(corner.x) + i32(m) - 1, run.sourceWidth);
      sum += alongY[k] * alongX[m] * smoothAt(thread.z, x, y);
    }
  }
  image[(thread.z * run.height + thread.y) * run.width + thread.x] = sum;
}
