// Histograms of gradients for SIFT, two pixels at a time in f64 (AssemblyScript): the samples of ../../features/sift/descriptor.ts and the sums of it and of
// orientation.ts, to the bit. A window is a part of a plane in f32 with a pixel around it, of `stride` floats a row, and has two floats of room behind it.

/** Numbers of a sample: place along the turned axes in cells, direction, weight. */
const SAMPLE = 4;
/** Sums of one direction: 8 × 8 cells, of which those at 1 … 4 count. */
const CELLS: i32 = 8;

/**
 * Lists the gradients whose pixels lie within two and a half cells of the place along both turned axes. The first pixel of the window is at (column, row), the place at
 * (x, y); (cos, sin) is the direction of the axes over the side of a cell. @returns how many there are
 */
export function samples(
  window: usize,
  stride: i32,
  columns: i32,
  rows: i32,
  column: f64,
  row: f64,
  x: f64,
  y: f64,
  cos: f64,
  sin: f64,
  angle: f64,
  directions: f64,
  across: usize,
  down: usize,
  list: usize,
): i32 {
  const limit = f64x2.splat(2.5);
  const perRadian = directions / (2 * Math.PI);
  let to = list;
  for (let r = 0; r < rows; r++) {
    const dy = row + <f64>r - y;
    const middle = window + (((r + 1) * stride + 1) << 2);
    const ofRow = v128.load64_splat(down + (r << 3));
    for (let c = 0; c < columns; c += 2) {
      const dx = f64x2.sub(f64x2(column + <f64>c, column + <f64>(c + 1)), f64x2.splat(x));
      const u = f64x2.add(f64x2.mul(f64x2.splat(cos), dx), f64x2.splat(sin * dy));
      const v = f64x2.add(f64x2.mul(f64x2.splat(-sin), dx), f64x2.splat(cos * dy));
      const near = v128.and(f64x2.lt(f64x2.abs(u), limit), f64x2.lt(f64x2.abs(v), limit));
      if (!v128.any_true(near)) continue;
      const at = middle + (c << 2);
      const gx = f64x2.mul(f64x2.splat(0.5), difference(at + 4, at - 4));
      const gy = f64x2.mul(f64x2.splat(0.5), difference(at + (stride << 2), at - (stride << 2)));
      const weight = f64x2.mul(f64x2.mul(lengthOf(gx, gy), v128.load(across + (c << 3))), ofRow);
      let turn = f64x2.mul(f64x2.sub(directionOf(gx, gy), f64x2.splat(angle)), f64x2.splat(perRadian));
      const turns = f64x2.floor(f64x2.div(turn, f64x2.splat(directions)));
      turn = f64x2.sub(turn, f64x2.mul(turns, f64x2.splat(directions)));
      const a = f64x2.sub(f64x2.add(u, f64x2.splat(2)), f64x2.splat(0.5));
      const b = f64x2.sub(f64x2.add(v, f64x2.splat(2)), f64x2.splat(0.5));
      if (i64x2.extract_lane(near, 0) !== 0) {
        v128.store(to, v128.shuffle<i64>(a, b, 0, 2));
        v128.store(to, v128.shuffle<i64>(turn, weight, 0, 2), 16);
        to += SAMPLE << 3;
      }
      if (i64x2.extract_lane(near, 1) !== 0 && c + 1 < columns) {
        v128.store(to, v128.shuffle<i64>(a, b, 1, 3));
        v128.store(to, v128.shuffle<i64>(turn, weight, 1, 3), 16);
        to += SAMPLE << 3;
      }
    }
  }
  return <i32>((to - list) >> 5);
}

/** Spreads `count` samples over the two nearest cells of each axis and the two nearest directions. `sums` are zeros: for each direction 8 rows of 8 cells. */
export function spread(list: usize, count: i32, directions: i32, sums: usize): void {
  for (let k = 0; k < count; k++, list += SAMPLE << 3) {
    const u = load<f64>(list);
    const v = load<f64>(list, 8);
    const turn = load<f64>(list, 16);
    const weight = load<f64>(list, 24);
    const i = floor(u);
    const j = floor(v);
    const t = floor(turn);
    // Rounding may have made a whole turn of nearly one.
    const first = <i32>t < directions ? <i32>t : 0;
    const second = first + 1 < directions ? first + 1 : 0;
    const before = f64x2.splat(1 - turn + t);
    const after = f64x2.splat(turn - t);
    const ofCells = f64x2(1 - abs(u - i), 1 - abs(u - (i + 1)));
    let at = sums + (((<i32>j + 1) * CELLS + <i32>i + 1) << 3);
    for (let b: f64 = 0; b < 2; b++, at += CELLS << 3) {
      const cells = f64x2.mul(f64x2.splat(weight * (1 - abs(v - (j + b)))), ofCells);
      add(at + ((first * CELLS * CELLS) << 3), f64x2.mul(cells, before));
      add(at + ((second * CELLS * CELLS) << 3), f64x2.mul(cells, after));
    }
  }
}

function add(at: usize, two: v128): void {
  v128.store(at, f64x2.add(v128.load(at), two));
}

/**
 * Adds the gradients around a place to `count` bins of directions, the two nearest each. `perPixelX` and `perPixelY` are what a difference of two neighbours is
 * multiplied with, for each column and row: 0.5, and 1 where one is the pixel itself.
 */
export function directionSums(
  window: usize,
  stride: i32,
  columns: i32,
  rows: i32,
  column: f64,
  row: f64,
  x: f64,
  y: f64,
  limit: f64,
  across: usize,
  down: usize,
  perPixelX: usize,
  perPixelY: usize,
  count: i32,
  bins: usize,
): void {
  const turn: f64 = 2 * Math.PI;
  for (let r = 0; r < rows; r++) {
    const dy = row + <f64>r - y;
    const middle = window + (((r + 1) * stride + 1) << 2);
    for (let c = 0; c < columns; c += 2) {
      const dx = f64x2.sub(f64x2(column + <f64>c, column + <f64>(c + 1)), f64x2.splat(x));
      const square = f64x2.add(f64x2.mul(dx, dx), f64x2.splat(dy * dy));
      const near = f64x2.lt(square, f64x2.splat(limit));
      if (!v128.any_true(near)) continue;
      const at = middle + (c << 2);
      const gx = f64x2.mul(v128.load(perPixelX + (c << 3)), difference(at + 4, at - 4));
      const ofRow = v128.load64_splat(perPixelY + (r << 3));
      const gy = f64x2.mul(ofRow, difference(at + (stride << 2), at - (stride << 2)));
      const ofPlace = f64x2.mul(lengthOf(gx, gy), v128.load(across + (c << 3)));
      const weight = f64x2.mul(ofPlace, v128.load64_splat(down + (r << 3)));
      let angle = directionOf(gx, gy);
      angle = v128.bitselect(f64x2.add(angle, f64x2.splat(turn)), angle, f64x2.lt(angle, f64x2.splat(0)));
      const bin = f64x2.sub(f64x2.div(f64x2.mul(angle, f64x2.splat(<f64>count)), f64x2.splat(turn)), f64x2.splat(0.5));
      if (i64x2.extract_lane(near, 0) !== 0)
        share(bins, count, f64x2.extract_lane(bin, 0), f64x2.extract_lane(weight, 0));
      if (i64x2.extract_lane(near, 1) !== 0 && c + 1 < columns) {
        share(bins, count, f64x2.extract_lane(bin, 1), f64x2.extract_lane(weight, 1));
      }
    }
  }
}

function share(bins: usize, count: i32, bin: f64, weight: f64): void {
  const below = floor(bin);
  const first = bins + (((<i32>below + count) % count) << 3);
  store<f64>(first, load<f64>(first) + (1 - bin + below) * weight);
  const second = bins + (((<i32>below + 1) % count) << 3);
  store<f64>(second, load<f64>(second) + (bin - below) * weight);
}

/** Of two neighbouring floats each. */
function difference(a: usize, b: usize): v128 {
  return f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(a)), f64x2.promote_low_f32x4(v128.load64_zero(b)));
}

function lengthOf(x: v128, y: v128): v128 {
  return f64x2.sqrt(f64x2.add(f64x2.mul(x, x), f64x2.mul(y, y)));
}

/**
 * Math.atan2(y, x) as V8 has it, to the bit, for finite numbers of which none is −0: the algorithm and the constants are fdlibm's e_atan2.c and s_atan.c
 * (Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved).
 */
function directionOf(x: v128, y: v128): v128 {
  const zero = f64x2.splat(0);
  const below: f64 = 1.2246467991473532e-16;
  const pi: f64 = Math.PI;
  const exponentX = i64x2.shr_u(f64x2.abs(x), 32);
  const exponentY = i64x2.shr_u(f64x2.abs(y), 32);
  // |y / x| above 2⁶⁰, x = 0 among them.
  const steep = i64x2.gt_s(i64x2.sub(exponentY, exponentX), i64x2.splat((61 << 20) - 1));
  const behind = v128.andnot(f64x2.lt(x, zero), steep);
  let angle = arcOf(f64x2.abs(f64x2.div(y, x)));
  angle = v128.bitselect(f64x2.splat(pi / 2), angle, steep);
  angle = v128.bitselect(f64x2.sub(f64x2.splat(pi), f64x2.sub(angle, f64x2.splat(below))), angle, behind);
  angle = v128.bitselect(f64x2.neg(angle), angle, f64x2.lt(y, zero));
  return v128.andnot(angle, v128.and(f64x2.eq(x, zero), f64x2.eq(y, zero)));
}

/** atan of numbers that are not negative. */
function arcOf(t: v128): v128 {
  const one = f64x2.splat(1);
  // From 7/16, 11/16, 19/16 and 39/16 on the arc is that of a known angle and of what the numerator over the denominator leaves.
  const a = f64x2.ge(t, f64x2.splat(0.4375));
  const b = f64x2.ge(t, f64x2.splat(0.6875));
  const c = f64x2.ge(t, f64x2.splat(1.1875));
  const d = f64x2.ge(t, f64x2.splat(2.4375));
  let over = v128.bitselect(f64x2.sub(f64x2.add(t, t), one), t, a);
  let under = v128.bitselect(f64x2.add(f64x2.splat(2), t), one, a);
  over = v128.bitselect(f64x2.sub(t, one), over, b);
  under = v128.bitselect(f64x2.add(t, one), under, b);
  over = v128.bitselect(f64x2.sub(t, f64x2.splat(1.5)), over, c);
  under = v128.bitselect(f64x2.add(one, f64x2.mul(f64x2.splat(1.5), t)), under, c);
  over = v128.bitselect(f64x2.splat(-1), over, d);
  under = v128.bitselect(t, under, d);
  const high = step4(a, b, c, d, 0.4636476090008061, 0.7853981633974483, 0.982793723247329, 1.5707963267948966);
  const low = step4(
    a,
    b,
    c,
    d,
    2.2698777452961687e-17,
    3.061616997868383e-17,
    1.3903311031230998e-17,
    6.123233995736766e-17,
  );
  const x = f64x2.div(over, under);
  const z = f64x2.mul(x, x);
  const w = f64x2.mul(z, z);
  let even = f64x2.splat(0.016285820115365782);
  even = f64x2.add(f64x2.splat(0.049768779946159324), f64x2.mul(w, even));
  even = f64x2.add(f64x2.splat(0.06661073137387531), f64x2.mul(w, even));
  even = f64x2.add(f64x2.splat(0.09090887133436507), f64x2.mul(w, even));
  even = f64x2.add(f64x2.splat(0.14285714272503466), f64x2.mul(w, even));
  even = f64x2.add(f64x2.splat(0.3333333333333293), f64x2.mul(w, even));
  let odd = f64x2.splat(-0.036531572744216916);
  odd = f64x2.add(f64x2.splat(-0.058335701337905735), f64x2.mul(w, odd));
  odd = f64x2.add(f64x2.splat(-0.0769187620504483), f64x2.mul(w, odd));
  odd = f64x2.add(f64x2.splat(-0.11111110405462356), f64x2.mul(w, odd));
  odd = f64x2.add(f64x2.splat(-0.19999999999876483), f64x2.mul(w, odd));
  const rest = f64x2.mul(x, f64x2.add(f64x2.mul(z, even), f64x2.mul(w, odd)));
  return f64x2.sub(high, f64x2.sub(f64x2.sub(rest, low), x));
}

/** 0, or the number of the last of four masks that holds. */
function step4(a: v128, b: v128, c: v128, d: v128, ofA: f64, ofB: f64, ofC: f64, ofD: f64): v128 {
  let value = v128.and(f64x2.splat(ofA), a);
  value = v128.bitselect(f64x2.splat(ofB), value, b);
  value = v128.bitselect(f64x2.splat(ofC), value, c);
  return v128.bitselect(f64x2.splat(ofD), value, d);
}
