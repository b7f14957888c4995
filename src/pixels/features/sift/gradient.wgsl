// Gradients of a Gaussian, and their directions.

#import space

@group(0) @binding(0) var<uniform> space: Space;
@group(0) @binding(1) var<storage, read> pyramid: array<f32>;

const TURN: f32 = 6.283185307179586;

// Halved differences of the neighbours; whole ones towards the inside at the border. `base` is the Gaussian's first number.
fn gradientAt(base: u32, width: u32, height: u32, x: u32, y: u32) -> vec2f {
  let at = base + y * width + x;
  let left = u32(x > 0);
  let right = u32(x + 1 < width);
  let up = u32(y > 0);
  let down = u32(y + 1 < height);
  let gx = (pyramid[at + right] - pyramid[at - left]) / f32(max(left + right, 1));
  let gy = (pyramid[at + down * width] - pyramid[at - up * width]) / f32(max(up + down, 1));
  return vec2f(gx, gy);
}

// Of a vector, in 0…2π.
fn angleOf(v: vec2f) -> f32 {
  if (v.x == 0 && v.y == 0) { return 0; }
  let angle = atan2(v.y, v.x);
  return select(angle, angle + TURN, angle < 0);
}
