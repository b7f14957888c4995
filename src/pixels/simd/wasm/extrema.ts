// The scan for extrema of ../../features/sift/extrema.ts, four pixels at a time (AssemblyScript).

/**
 * Lists the pixels off the border whose difference of the two planes is at least `least`, and more than that before it less a tie, and than that after it, along the
 * row, of its own sign. Planes have a vector of room behind them. @returns how many there are
 */
export function candidates(
  lower: usize,
  upper: usize,
  width: i32,
  height: i32,
  least: f32,
  tie: f32,
  list: usize,
): i32 {
  let to = list;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x += 4) {
      const pixel = y * width + x;
      const a = lower + (pixel << 2);
      const b = upper + (pixel << 2);
      const value = f32x4.sub(v128.load(b), v128.load(a));
      const size = f32x4.abs(value);
      let found = f32x4.ge(size, f32x4.splat(least));
      if (!v128.any_true(found)) continue;
      // The sign bit where the difference is not positive: it turns the numbers beside it over as well.
      const sign = v128.andnot(f32x4.splat(-0.0), f32x4.gt(value, f32x4.splat(0)));
      const before = v128.xor(f32x4.sub(v128.load(b - 4), v128.load(a - 4)), sign);
      const after = v128.xor(f32x4.sub(v128.load(b + 4), v128.load(a + 4)), sign);
      found = v128.and(found, f32x4.lt(before, f32x4.sub(size, f32x4.splat(tie))));
      found = v128.and(found, f32x4.lt(after, f32x4.add(size, f32x4.splat(tie))));
      for (let bits = i32x4.bitmask(found); bits !== 0; bits &= bits - 1) {
        const lane = ctz(bits);
        if (x + lane >= width - 1) break;
        store<i32>(to, pixel + lane);
        to += 4;
      }
    }
  }
  return <i32>((to - list) >> 2);
}
