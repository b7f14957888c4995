// Arithmetic that formulas and functions of a user name, and WGSL lacks or has for some numbers only.

fn square(a: f32) -> f32 { return a * a; }

fn hypot(a: f32, b: f32) -> f32 { return sqrt(a * a + b * b); }

// a^b, also for a below 0 where b is a whole number, for which pow alone is undefined.
fn power(a: f32, b: f32) -> f32 {
  if (b == 0) { return 1; }
  let size = pow(abs(a), b);
  return select(size, -size, a < 0 && abs(b % 2) == 1);
}

// atan2, which is undefined at the origin.
fn angle(y: f32, x: f32) -> f32 {
  if (x == 0 && y == 0) { return 0; }
  return atan2(y, x);
}

// ln(1 + x) and e^x - 1, near 0 by their series.
fn log1p(x: f32) -> f32 { return select(log(1 + x), x - 0.5 * x * x, abs(x) < 1e-3); }

fn expm1(x: f32) -> f32 { return select(exp(x) - 1, x + 0.5 * x * x, abs(x) < 1e-3); }
