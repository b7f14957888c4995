// Catmull-Rom weights (a = −1/2) of the taps at −1, 0, 1, 2 for a position t behind tap 0, and clamped tap coordinates.

fn cubic_weights(t: f32) -> vec4f {
  return vec4f(
    ((-0.5 * t + 1.0) * t - 0.5) * t,
    (1.5 * t - 2.5) * t * t + 1.0,
    ((-1.5 * t + 2.0) * t + 0.5) * t,
    (0.5 * t - 0.5) * t * t,
  );
}

fn clamped(at: i32, size: u32) -> u32 { return u32(clamp(at, 0, i32(size) - 1)); }
