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

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let at = vec2f(f32(thread.x) * run.stepX, f32(thread.y) * run.stepY);
  let corner = vec2i(floor(at));
  let alongX = cubicWeights(at.x - f32(corner.x));
  let alongY = cubicWeights(at.y - f32(corner.y));
  let taps = i32(arrayLength(&weights));
  let top = corner.y - 1 - taps / 2;
  var columns: vec4u;
  var shifts: vec4i;   // of the four convolved rows from the first of them, were it not for the border
  for (var k = 0; k < 4; k++) {
    columns[k] = clamped(corner.x + k - 1, run.sourceWidth);
    shifts[k] = i32(clamped(corner.y + k - 1, run.sourceHeight)) - corner.y + 1;
  }
  // The four convolutions share their rows: each row is read once, with the sum of its weights.
  var sum = 0.0;
  for (var t = 0; t < taps + 3; t++) {
    var weight = 0.0;
    for (var k = 0; k < 4; k++) {
      let tap = t - shifts[k];
      if (alongY[k] != 0.0 && tap >= 0 && tap < taps) { weight += alongY[k] * weights[tap]; }
    }
    if (weight == 0.0) { continue; }
    let row = (thread.z * run.sourceHeight + clamped(top + t, run.sourceHeight)) * run.sourceWidth;
    var across = 0.0;
    for (var m = 0; m < 4; m++) {
      if (alongX[m] != 0.0) { across += alongX[m] * blurred[row + columns[m]]; }
    }
    sum += weight * across;
  }
  image[(thread.z * run.height + thread.y) * run.width + thread.x] = sum;
}
