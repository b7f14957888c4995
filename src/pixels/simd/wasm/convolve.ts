// The separable convolution of ../../gaussian.ts, eight pixels at a time (AssemblyScript): sums in f64, from the middle outwards, so that they are those of the plain
// code to the bit.

/** Columns of a strip: half a line of a processor's cache in f32. */
const STRIP = 8;

/**
 * Convolves the rows of a plane, then its columns, where it lies; f32 in between and at the end.
 * @param across for each place from −radius on the column that stands for it, `width` for a 0; `down` likewise
 * @param taps weights at 0 … radius, f64
 * @param lines room for max(width + 2 radius + 8, 8 (height + 2 radius)) f64; the plane has eight floats of room behind it, which are only read
 */
export function convolve(
  plane: usize,
  width: i32,
  height: i32,
  across: usize,
  down: usize,
  taps: usize,
  radius: i32,
  lines: usize,
): void {
  for (let y = 0; y < height; y++) {
    const row = plane + ((y * width) << 2);
    widened(row, lines, width, across, radius);
    for (let x = 0; x < width; x += STRIP) {
      sums(lines + ((x + radius) << 3), 1, taps, radius, row + (x << 2), width - x);
    }
  }
  const places = height + 2 * radius;
  for (let x = 0; x < width; x += STRIP) {
    for (let k = 0; k < places; k++) {
      const y = load<i32>(down + (k << 2));
      const from = plane + ((y * width + x) << 2);
      const none = y === height;
      const to = lines + ((k * STRIP) << 3);
      widen(none ? f32x4.splat(0) : v128.load(from), to);
      widen(none ? f32x4.splat(0) : v128.load(from, 16), to + 32);
    }
    for (let y = 0; y < height; y++) {
      const middle = lines + (((y + radius) * STRIP) << 3);
      sums(middle, STRIP, taps, radius, plane + ((y * width + x) << 2), width - x);
    }
  }
}

/** A row in f64, with what stands for the pixels beyond its ends. */
function widened(row: usize, line: usize, width: i32, across: usize, radius: i32): void {
  let x = 0;
  for (; x + 4 <= width; x += 4) widen(v128.load(row + (x << 2)), line + ((x + radius) << 3));
  for (; x < width; x++) store<f64>(line + ((x + radius) << 3), load<f32>(row + (x << 2)));
  for (let k = 0; k < radius; k++) {
    beyond(row, line, width, across, k);
    beyond(row, line, width, across, k + radius + width);
  }
}

function widen(four: v128, to: usize): void {
  v128.store(to, f64x2.promote_low_f32x4(four));
  v128.store(to, f64x2.promote_low_f32x4(v128.shuffle<i64>(four, four, 1, 1)), 16);
}

function beyond(row: usize, line: usize, width: i32, across: usize, k: i32): void {
  const x = load<i32>(across + (k << 2));
  store<f64>(line + (k << 3), x < width ? <f64>load<f32>(row + (x << 2)) : 0);
}

/** Eight sums, of which as many are stored as are left; one place and the next of a sum are `step` numbers apart. */
function sums(middle: usize, step: i32, taps: usize, radius: i32, to: usize, left: i32): void {
  let weight = v128.load64_splat(taps);
  let a = f64x2.mul(weight, v128.load(middle));
  let b = f64x2.mul(weight, v128.load(middle, 16));
  let c = f64x2.mul(weight, v128.load(middle, 32));
  let d = f64x2.mul(weight, v128.load(middle, 48));
  let before = middle;
  let after = middle;
  for (let k = 1; k <= radius; k++) {
    before -= step << 3;
    after += step << 3;
    weight = v128.load64_splat(taps + (k << 3));
    a = f64x2.add(a, f64x2.mul(weight, f64x2.add(v128.load(before), v128.load(after))));
    b = f64x2.add(b, f64x2.mul(weight, f64x2.add(v128.load(before, 16), v128.load(after, 16))));
    c = f64x2.add(c, f64x2.mul(weight, f64x2.add(v128.load(before, 32), v128.load(after, 32))));
    d = f64x2.add(d, f64x2.mul(weight, f64x2.add(v128.load(before, 48), v128.load(after, 48))));
  }
  let four = narrowed(a, b);
  if (left >= STRIP) {
    v128.store(to, four);
    v128.store(to, narrowed(c, d), 16);
    return;
  }
  if (left >= 4) {
    v128.store(to, four);
    four = narrowed(c, d);
    to += 16;
    left -= 4;
  }
  if (left > 0) store<f32>(to, f32x4.extract_lane(four, 0));
  if (left > 1) store<f32>(to, f32x4.extract_lane(four, 1), 4);
  if (left > 2) store<f32>(to, f32x4.extract_lane(four, 2), 8);
}

function narrowed(low: v128, high: v128): v128 {
  return v128.shuffle<i64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
}
