// Gradients of a Gaussian, and their directions.

#import space
#import pyramid

@group(0) @binding(0) var<uniform> space: Space;

const TURN: f32 = 6.283185307179586;

// Halved differences of the neighbours; whole ones towards the inside at the border. `base` is the Gaussian's first number.
fn gradientAt(base: u32, octave: Octave, x: u32, y: u32) -> vec2f {
  let pitch = pitchOf(octave);
  let at = base + y * pitch + x;
  let left = u32(x > 0);
  let right = u32(x + 1 < octave.width);
  let up = u32(y > 0);
  let down = u32(y + 1 < octave.height);
  let gx = (gaussian(at + right) - gaussian(at - left)) / f32(max(left + right, 1));
  let gy = (gaussian(at + down * pitch) - gaussian(at - up * pitch)) / f32(max(up + down, 1));
  return vec2f(gx, gy);
}

// The same where the pixel has all its neighbours; `at` is its place.
fn gradientInside(at: u32, pitch: u32) -> vec2f {
  return 0.5 * vec2f(gaussian(at + 1) - gaussian(at - 1), gaussian(at + pitch) - gaussian(at - pitch));
}

// Of a vector, in 0…2π.
fn angleOf(v: vec2f) -> f32 {
  if (v.x == 0 && v.y == 0) { return 0; }
  let angle = atan2(v.y, v.x);
  return select(angle, angle + TURN, angle < 0);
}
