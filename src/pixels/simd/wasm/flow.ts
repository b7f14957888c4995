// The warps and iterations of TV-L1 in f32, four pixels at a time (AssemblyScript): the steps of ../flow/warp.ts and ../flow/iterate.ts, whose comments say what they
// are. Planes are as in filters.ts, and so are rows, bands and scratch.

import { clamp, gathered, sumOfLanes } from "./lanes";

/** to = a + b. */
export function add(first: i32, end: i32, a: usize, b: usize, to: usize, stride: i32): void {
  const last = (end * stride) << 2;
  for (let at = (first * stride) << 2; at < last; at += 16) {
    v128.store(to + at, f32x4.add(v128.load(a + at), v128.load(b + at)));
  }
}

/** Residual and gradient of image 1 at x + u, and the column behind the last of u and v, which repeats it for the iterations. */
export function linearize(
  first: i32,
  end: i32,
  image0: usize,
  image1: usize,
  u: usize,
  v: usize,
  residual: usize,
  gradientX: usize,
  gradientY: usize,
  width: i32,
  height: i32,
  stride: i32,
): void {
  const line = stride << 2;
  for (let y = first; y < end; y++) {
    const row = y * line;
    for (let x = 0; x < width; x++) {
      const at = row + (x << 2);
      const atX = <f32>x + load<f32>(u + at);
      const atY = <f32>y + load<f32>(v + at);
      if (!(atX >= 0 && atX <= <f32>(width - 1) && atY >= 0 && atY <= <f32>(height - 1))) {
        store<f32>(residual + at, 0);
        store<f32>(gradientX + at, 0);
        store<f32>(gradientY + at, 0);
        continue;
      }
      const left = <i32>atX;
      const top = <i32>atY;
      const across = cubicWeights(atX - <f32>left);
      const down = cubicWeights(atY - <f32>top);
      let value = f32x4.splat(0);
      let slopeX = value;
      let slopeY = value;
      if (left >= 2 && left + 3 < width && top >= 2 && top + 3 < height) {
        let tap = image1 + (top - 1) * line + ((left - 1) << 2);
        let above = v128.load(tap - line);
        let here = v128.load(tap);
        for (let k = 0; k < 4; k++) {
          const below = v128.load(tap + line);
          const weight = lane(down, k);
          value = f32x4.add(value, f32x4.mul(weight, here));
          slopeX = f32x4.add(slopeX, f32x4.mul(weight, f32x4.sub(v128.load(tap, 4), v128.load(tap - 4))));
          slopeY = f32x4.add(slopeY, f32x4.mul(weight, f32x4.sub(below, above)));
          above = here;
          here = below;
          tap += line;
        }
      } else {
        for (let k = 0; k < 4; k++) {
          const row = clamp(top + k - 1, height - 1);
          const tap = image1 + row * line;
          const above = image1 + clamp(row - 1, height - 1) * line;
          const below = image1 + clamp(row + 1, height - 1) * line;
          const weight = lane(down, k);
          const inX = f32x4.sub(beside(tap, left - 1, width, 1), beside(tap, left - 1, width, -1));
          const inY = f32x4.sub(beside(below, left - 1, width, 0), beside(above, left - 1, width, 0));
          value = f32x4.add(value, f32x4.mul(weight, beside(tap, left - 1, width, 0)));
          slopeX = f32x4.add(slopeX, f32x4.mul(weight, inX));
          slopeY = f32x4.add(slopeY, f32x4.mul(weight, inY));
        }
      }
      store<f32>(residual + at, sumOfLanes(f32x4.mul(across, value)) - load<f32>(image0 + at));
      store<f32>(gradientX + at, <f32>0.5 * sumOfLanes(f32x4.mul(across, slopeX)));
      store<f32>(gradientY + at, <f32>0.5 * sumOfLanes(f32x4.mul(across, slopeY)));
    }
    repeatLast(u + row, width);
    repeatLast(v + row, width);
  }
}

function repeatLast(row: usize, width: i32): void {
  store<f32>(row + (width << 2), load<f32>(row + ((width - 1) << 2)));
}

/** Catmull-Rom weights of the taps at −1, 0, 1, 2. */
function cubicWeights(t: f32): v128 {
  const at = f32x4.splat(t);
  const upper = f32x4.add(f32x4.mul(f32x4(-0.5, 1.5, -1.5, 0.5), at), f32x4(1, -2.5, 2, -0.5));
  return f32x4.add(f32x4.mul(f32x4.add(f32x4.mul(upper, at), f32x4(-0.5, 0, 0.5, 0)), at), f32x4(0, 1, 0, 0));
}

/** Number k of four, four times. */
function lane(four: v128, k: i32): v128 {
  const bytes = i8x16(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
  return i8x16.swizzle(four, i8x16.add(i8x16.splat(<i8>(k << 2)), bytes));
}

/** The neighbours, `by` columns away, of four pixels; pixels and neighbours repeat at borders. */
function beside(row: usize, x: i32, width: i32, by: i32): v128 {
  const last = width - 1;
  return gathered(
    row,
    clamp(clamp(x, last) + by, last) << 2,
    clamp(clamp(x + 1, last) + by, last) << 2,
    clamp(clamp(x + 2, last) + by, last) << 2,
    clamp(clamp(x + 3, last) + by, last) << 2,
  );
}

/**
 * `count` iterations of the rows first … end − 1, from the six planes at `from`, `size` bytes apart (u − u⁰, v − v⁰ and p), to those at `to`. They run in scratch on the rows
 * and `count` more on either side, of which those next to the end go stale with each iteration.
 */
export function iterate(
  first: i32,
  end: i32,
  count: i32,
  from: usize,
  to: usize,
  size: usize,
  u: usize,
  v: usize,
  residual: usize,
  gradientX: usize,
  gradientY: usize,
  width: i32,
  height: i32,
  stride: i32,
  limit: f32,
  theta: f32,
  rate: f32,
  scratch: usize,
  room: usize,
  band: i32,
): void {
  const begin = max(first - count, 0);
  const behind = min(end + count, height);
  const line = stride << 2;
  const plane: usize = room / 6;
  const rows: usize = scratch + <usize>(first / band) * room;
  for (let c: usize = 0; c < 6; c++) {
    memory.fill(rows + c * plane, 0, line);
    memory.copy(rows + c * plane + line, from + c * size + begin * line, (behind - begin) * line);
  }
  // Row y of the image is row y + 1 − begin of the scratch, whose row 0 is zero.
  const origin: usize = rows + line - begin * line;
  for (let k = 0; k < count; k++) {
    const low = begin === 0 ? 0 : begin + k + 1;
    const high = behind === height ? height : behind - k;
    const dualHigh = behind === height ? height : high - 1;
    for (let y = low; y <= high; y++) {
      const at = y * line;
      if (y < high) {
        primal(origin + at, plane, line, residual + at, gradientX + at, gradientY + at, width, limit, theta);
      }
      if (y === low || y > dualHigh) continue;
      const above = at - line;
      const down = y < height ? line : 0;
      dual(origin + above, u + above, origin + 2 * plane + above, plane, line, down, width, rate);
      dual(origin + plane + above, v + above, origin + 4 * plane + above, plane, line, down, width, rate);
    }
  }
  for (let c: usize = 0; c < 6; c++) {
    memory.copy(to + c * size + first * line, origin + c * plane + first * line, (end - first) * line);
  }
}

function primal(
  row: usize,
  plane: usize,
  line: i32,
  residual: usize,
  gradientX: usize,
  gradientY: usize,
  width: i32,
  limit: f32,
  theta: f32,
): void {
  const most = f32x4.splat(limit);
  const least = f32x4.splat(-limit);
  const coupling = f32x4.splat(theta);
  const leastSlope = f32x4.splat(1e-10);
  const bytes = <usize>(width << 2);
  for (let x: usize = 0; x < bytes; x += 16) {
    const at = row + x;
    const gx = v128.load(gradientX + x);
    const gy = v128.load(gradientY + x);
    const du = v128.load(at);
    const dv = v128.load(at + plane);
    const square = f32x4.add(f32x4.mul(gx, gx), f32x4.mul(gy, gy));
    const rho = f32x4.add(v128.load(residual + x), f32x4.add(f32x4.mul(gx, du), f32x4.mul(gy, dv)));
    const newton = f32x4.pmax(f32x4.pmin(f32x4.div(f32x4.neg(rho), square), most), least);
    const step = v128.and(newton, f32x4.ge(square, leastSlope));
    v128.store(
      at,
      f32x4.add(f32x4.add(du, f32x4.mul(step, gx)), f32x4.mul(coupling, divergence(at + 2 * plane, plane, line))),
    );
    v128.store(
      at + plane,
      f32x4.add(f32x4.add(dv, f32x4.mul(step, gy)), f32x4.mul(coupling, divergence(at + 4 * plane, plane, line))),
    );
  }
}

function divergence(px: usize, plane: usize, line: i32): v128 {
  const across = f32x4.sub(v128.load(px), v128.load(px - 4));
  return f32x4.add(across, f32x4.sub(v128.load(px + plane), v128.load(px + plane - line)));
}

function dual(d: usize, base: usize, px: usize, plane: usize, line: i32, down: i32, width: i32, rate: f32): void {
  const one = f32x4.splat(1);
  const factor = f32x4.splat(rate);
  const bytes = <usize>(width << 2);
  repeatLast(d, width);
  for (let x: usize = 0; x < bytes; x += 16) {
    const here = v128.load(d + x);
    const baseHere = v128.load(base + x);
    const ax = f32x4.add(f32x4.sub(v128.load(d + x + 4), here), f32x4.sub(v128.load(base + x + 4), baseHere));
    const ay = f32x4.add(f32x4.sub(v128.load(d + x + down), here), f32x4.sub(v128.load(base + x + down), baseHere));
    const length = f32x4.sqrt(f32x4.add(f32x4.mul(ax, ax), f32x4.mul(ay, ay)));
    const scale = f32x4.div(one, f32x4.add(one, f32x4.mul(factor, length)));
    v128.store(px + x, f32x4.mul(f32x4.add(v128.load(px + x), f32x4.mul(factor, ax)), scale));
    v128.store(px + x + plane, f32x4.mul(f32x4.add(v128.load(px + x + plane), f32x4.mul(factor, ay)), scale));
  }
  // What lies left of the next row's first pixel.
  store<f32>(px + line - 4, 0);
}
