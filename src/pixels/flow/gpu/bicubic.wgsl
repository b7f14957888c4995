// Catmull-Rom weights (a = −1/2) of the taps at −1, 0, 1, 2 for a position t behind tap 0. Coordinates of taps are clamped.

#import ../../border

fn cubicWeights(t: f32) -> vec4f {
  return vec4f(
    ((-0.5 * t + 1.0) * t - 0.5) * t,
    (1.5 * t - 2.5) * t * t + 1.0,
    ((-1.5 * t + 2.0) * t + 0.5) * t,
    (0.5 * t - 0.5) * t * t,
  );
}
