// Filters of planes in f32, four pixels at a time (AssemblyScript). Planes have `stride` floats a row, a multiple of four and more than `width`; pointers are in bytes.
// Each function computes the rows first … end − 1, so that threads share a plane.

import { clamp, gathered, sumOfLanes } from "./lanes";

/** Convolves rows; `taps` are the weights at 0 … radius, and borders repeat. */
export function blurAcross(
  first: i32,
  end: i32,
  from: usize,
  to: usize,
  width: i32,
  stride: i32,
  taps: usize,
  radius: i32,
): void {
  for (let y = first; y < end; y++) {
    const row = from + ((y * stride) << 2);
    const out = to + ((y * stride) << 2);
    let x = 0;
    while (x < width) {
      if (x >= radius && x + 4 + radius <= width) {
        const at = row + (x << 2);
        let sum = f32x4.mul(v128.load(at), v128.load32_splat(taps));
        for (let k = 1; k <= radius; k++) {
          const both = f32x4.add(v128.load(at - (k << 2)), v128.load(at + (k << 2)));
          sum = f32x4.add(sum, f32x4.mul(both, v128.load32_splat(taps + (k << 2))));
        }
        v128.store(out + (x << 2), sum);
        x += 4;
        continue;
      }
      let sum = load<f32>(row + (x << 2)) * load<f32>(taps);
      for (let k = 1; k <= radius; k++) {
        const both = load<f32>(row + (clamp(x - k, width - 1) << 2)) + load<f32>(row + (clamp(x + k, width - 1) << 2));
        sum += both * load<f32>(taps + (k << 2));
      }
      store<f32>(out + (x << 2), sum);
      x++;
    }
  }
}

/** Convolves columns. */
export function blurDown(
  first: i32,
  end: i32,
  from: usize,
  to: usize,
  height: i32,
  stride: i32,
  taps: usize,
  radius: i32,
): void {
  for (let y = first; y < end; y++) {
    const out = to + ((y * stride) << 2);
    for (let x = 0; x < stride << 2; x += 16) {
      let sum = f32x4.mul(v128.load(from + ((y * stride) << 2) + x), v128.load32_splat(taps));
      for (let k = 1; k <= radius; k++) {
        const above = from + ((clamp(y - k, height - 1) * stride) << 2) + x;
        const below = from + ((clamp(y + k, height - 1) * stride) << 2) + x;
        sum = f32x4.add(
          sum,
          f32x4.mul(f32x4.add(v128.load(above), v128.load(below)), v128.load32_splat(taps + (k << 2))),
        );
      }
      v128.store(out + x, sum);
    }
  }
}

/**
 * Samples a plane, times `scale`, at places whose taps are listed: four columns and their weights for each column of the result, and four rows and weights for
 * each row.
 */
export function resample(
  first: i32,
  end: i32,
  from: usize,
  fromStride: i32,
  to: usize,
  width: i32,
  stride: i32,
  columns: usize,
  columnWeights: usize,
  rows: usize,
  rowWeights: usize,
  scale: f32,
): void {
  for (let y = first; y < end; y++) {
    const r0 = from + ((load<i32>(rows + (y << 4)) * fromStride) << 2);
    const r1 = from + ((load<i32>(rows + (y << 4), 4) * fromStride) << 2);
    const r2 = from + ((load<i32>(rows + (y << 4), 8) * fromStride) << 2);
    const r3 = from + ((load<i32>(rows + (y << 4), 12) * fromStride) << 2);
    const w0 = v128.load32_splat(rowWeights + (y << 4));
    const w1 = v128.load32_splat(rowWeights + (y << 4), 4);
    const w2 = v128.load32_splat(rowWeights + (y << 4), 8);
    const w3 = v128.load32_splat(rowWeights + (y << 4), 12);
    for (let x = 0; x < width; x++) {
      const c0 = load<i32>(columns + (x << 4)) << 2;
      const c3 = load<i32>(columns + (x << 4), 12) << 2;
      const weights = v128.load(columnWeights + (x << 4));
      let sum: f32;
      if (c3 - c0 === 12) {
        const upper = f32x4.add(f32x4.mul(w0, v128.load(r0 + c0)), f32x4.mul(w1, v128.load(r1 + c0)));
        const lower = f32x4.add(f32x4.mul(w2, v128.load(r2 + c0)), f32x4.mul(w3, v128.load(r3 + c0)));
        sum = sumOfLanes(f32x4.mul(weights, f32x4.add(upper, lower)));
      } else {
        const c1 = load<i32>(columns + (x << 4), 4) << 2;
        const c2 = load<i32>(columns + (x << 4), 8) << 2;
        const upper = f32x4.add(
          f32x4.mul(w0, gathered(r0, c0, c1, c2, c3)),
          f32x4.mul(w1, gathered(r1, c0, c1, c2, c3)),
        );
        const lower = f32x4.add(
          f32x4.mul(w2, gathered(r2, c0, c1, c2, c3)),
          f32x4.mul(w3, gathered(r3, c0, c1, c2, c3)),
        );
        sum = sumOfLanes(f32x4.mul(weights, f32x4.add(upper, lower)));
      }
      store<f32>(to + ((y * stride + x) << 2), scale * sum);
    }
  }
}

/**
 * The median over side × side pixels, borders repeated. Of 25 numbers the least and the greatest of any 14 are not the median: both go, another number comes, and
 * so on with 13, … 3 (forgetful selection). Band number n, of `band` rows, has `room` bytes at scratch + n · room for a window and `side` rows of stride + 8 floats.
 */
export function median(
  first: i32,
  end: i32,
  from: usize,
  to: usize,
  width: i32,
  height: i32,
  stride: i32,
  side: i32,
  scratch: usize,
  room: i32,
  band: i32,
): void {
  const radius = side >> 1;
  const count = side * side;
  const mostKept = (count + 3) >> 1;
  const window: usize = scratch + (first / band) * room;
  const lines: usize = window + 16 * 16;
  const line = (stride + 8) << 2;
  for (let y = first; y < end; y++) {
    for (let k = 0; k < side; k++) {
      const row = from + ((clamp(y + k - radius, height - 1) * stride) << 2);
      const at = lines + k * line;
      memory.copy(at + 16, row, width << 2);
      for (let m = 1; m <= radius; m++) {
        store<f32>(at + 16 - (m << 2), load<f32>(row));
        store<f32>(at + 16 + ((width - 1 + m) << 2), load<f32>(row + ((width - 1) << 2)));
      }
    }
    const out = to + ((y * stride) << 2);
    for (let x = 0; x < width << 2; x += 16) {
      // Values come row after row, the first of them into the window.
      let at = lines + 16 - (radius << 2) + x;
      let behind = at + (side << 2);
      let kept = 0;
      for (let seen = 0; seen < count; seen++) {
        if (at === behind) {
          at += line - (side << 2);
          behind += line;
        }
        if (seen >= mostKept) {
          dropEnds(window, kept);
          kept -= 2;
          // The place of the least is free.
          v128.store(window, v128.load(at));
        } else v128.store(window + (kept << 4), v128.load(at));
        kept++;
        at += 4;
      }
      dropEnds(window, kept);
      v128.store(out + x, v128.load(window + 16));
    }
  }
}

/** Leaves all of `count` values but the least and the greatest, at 1 … count − 2. */
function dropEnds(values: usize, count: i32): void {
  let low = values;
  let high = values + ((count - 1) << 4);
  let a = v128.load(low);
  let b = v128.load(high);
  let least = f32x4.pmin(a, b);
  let greatest = f32x4.pmax(a, b);
  for (low += 16, high -= 16; low < high; low += 16, high -= 16) {
    a = v128.load(low);
    b = v128.load(high);
    const lower = f32x4.pmin(a, b);
    const upper = f32x4.pmax(a, b);
    v128.store(low, f32x4.pmax(least, lower));
    v128.store(high, f32x4.pmin(greatest, upper));
    least = f32x4.pmin(least, lower);
    greatest = f32x4.pmax(greatest, upper);
  }
  if (low !== high) return;
  a = f32x4.pmax(least, v128.load(low));
  v128.store(low, f32x4.pmin(greatest, a));
}
