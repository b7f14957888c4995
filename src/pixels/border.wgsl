// Indices of pixels beyond the border of n pixels.

fn clamped(i: i32, n: u32) -> u32 { return u32(clamp(i, 0, i32(n) - 1)); }

// Mirrored about the border's pixel; i lies at most n − 1 beyond it, or anything is right.
fn mirrored(i: i32, n: i32) -> i32 {
  let k = abs(i);
  return clamp(select(k, 2 * (n - 1) - k, k >= n), 0, n - 1);
}
