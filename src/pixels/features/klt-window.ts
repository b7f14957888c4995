import type { GreyImage } from "../image.js";
import { KLT_STATUS, type KltOptions, type KltTracks } from "./klt-options.js";

/** A point's window on a level: values and gradients of the first image, and the equations. */
export class KltWindow {
  readonly #side: number;
  readonly #value: Float64Array;
  readonly #gx: Float64Array;
  readonly #gy: Float64Array;
  /** 1 within the image, 0 beyond, where pixels do not count. */
  readonly #within: Float64Array;
  /** The window and a pixel around it. */
  readonly #patch: Float64Array;

  constructor(private readonly options: KltOptions) {
    this.#side = options.window;
    const pixels = this.#side ** 2;
    this.#value = new Float64Array(pixels);
    this.#gx = new Float64Array(pixels);
    this.#gy = new Float64Array(pixels);
    this.#within = new Float64Array(pixels);
    this.#patch = new Float64Array((this.#side + 2) ** 2);
  }

  track(
    first: readonly GreyImage[],
    second: readonly GreyImage[],
    [x0, y0]: readonly [number, number],
    tracks: KltTracks,
    k: number,
  ): void {
    const half = (this.#side - 1) / 2;
    const levels = Math.min(first.length, second.length);
    let scale = 2 ** -(levels - 1);
    let [x, y] = [x0 * scale, y0 * scale];
    let status: number = KLT_STATUS.tracked;
    let iterations = 0;
    let lastStep = 0;
    for (let level = levels - 1; level >= 0; level--, scale *= 2) {
      const [px, py] = [x0 * scale, y0 * scale];
      status = this.#level(first[level], second[level], px, py, half);
      if (status === KLT_STATUS.tracked) {
        const end = this.#descend(second[level], x, y, half);
        [x, y, status, lastStep] = [end.x, end.y, end.status, end.lastStep];
        iterations += end.iterations;
      }
      if (level > 0) [x, y] = [2 * x, 2 * y];
    }
    tracks.x[k] = x;
    tracks.y[k] = y;
    tracks.status[k] = status;
    tracks.iterations[k] = iterations;
    tracks.lastStep[k] = lastStep;
    tracks.residual[k] = status === KLT_STATUS.tracked ? this.#residual(second[0], x, y, half) : Number.NaN;
  }

  /** Loads the window of the first image. */
  #level(image: GreyImage, other: GreyImage, px: number, py: number, half: number): number {
    if (isOutside(image, px, py, half) || isOutside(other, px, py, half)) return KLT_STATUS.outside;
    sample(image, px - half - 1, py - half - 1, this.#side + 2, this.#patch);
    this.#gradients(this.#gx, this.#gy);
    this.#forgetBeyond(image, px - half, py - half);
    const wide = this.#side + 2;
    for (let r = 0; r < this.#side; r++) {
      for (let c = 0; c < this.#side; c++) this.#value[r * this.#side + c] = this.#patch[(r + 1) * wide + c + 1];
    }
    if (this.options.light) this.#forgetLight(this.#gx, this.#gy);
    return this.#equations(this.#gx, this.#gy) === null ? KLT_STATUS.flat : KLT_STATUS.tracked;
  }

  /** Scharr's gradients of the patch in grey levels a pixel. */
  #gradients(gx: Float64Array, gy: Float64Array): void {
    const [p, side, wide] = [this.#patch, this.#side, this.#side + 2];
    for (let r = 0, k = 0; r < side; r++) {
      for (let c = 0; c < side; c++, k++) {
        const a = r * wide + c;
        const d = a + wide;
        const g = d + wide;
        gx[k] = (3 * (p[a + 2] - p[a] + p[g + 2] - p[g]) + 10 * (p[d + 2] - p[d])) / 32;
        gy[k] = (3 * (p[g] - p[a] + p[g + 2] - p[a + 2]) + 10 * (p[g + 1] - p[a + 1])) / 32;
      }
    }
  }

  /** Pixels beyond the image do not count: they have no gradient, as in OpenCV. */
  #forgetBeyond({ width, height }: GreyImage, left: number, top: number): void {
    const side = this.#side;
    this.#within.fill(1);
    if (left >= 0 && top >= 0 && left + side <= width && top + side <= height) return;
    for (let r = 0, k = 0; r < side; r++) {
      for (let c = 0; c < side; c++, k++) {
        const [x, y] = [left + c, top + r];
        if (x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1) continue;
        this.#gx[k] = 0;
        this.#gy[k] = 0;
        this.#within[k] = 0;
      }
    }
  }

  /**
   * Leaves of the gradients what no gain and no offset of the first image's window can give, so that the equations have the least squares over the
   * move, gain and offset together (Hager & Belhumeur 1998 §3).
   */
  #forgetLight(gx: Float64Array, gy: Float64Array): void {
    const mean = meanWithin(this.#value, this.#within);
    const centred = this.#value.map((value) => value - mean);
    for (const g of [gx, gy]) forget(g, centred, this.#within);
  }

  /** A⁻¹ as (xx, xy, yy), or null where the window has too little texture. */
  #equations(gx: Float64Array, gy: Float64Array): readonly [number, number, number] | null {
    let [xx, xy, yy] = [0, 0, 0];
    for (let k = 0; k < gx.length; k++) {
      xx += gx[k] * gx[k];
      xy += gx[k] * gy[k];
      yy += gy[k] * gy[k];
    }
    const least = (xx + yy - Math.hypot(xx - yy, 2 * xy)) / 2;
    const determinant = xx * yy - xy * xy;
    if (least / gx.length / 1024 < this.options.leastEigenvalue || determinant <= 0) return null;
    return [yy / determinant, -xy / determinant, xx / determinant];
  }

  #descend(image: GreyImage, fromX: number, fromY: number, half: number) {
    const { symmetric, step } = this.options;
    const [side, wide, patch] = [this.#side, this.#side + 2, this.#patch];
    let [gx, gy] = [this.#gx, this.#gy];
    let inverse = this.#equations(gx, gy);
    let [x, y] = [fromX, fromY];
    let [lastX, lastY] = [0, 0];
    let lastStep = 0;
    let iterations = 0;
    for (; iterations < this.options.iterations; iterations++) {
      if (isOutside(image, x, y, half)) return { x, y, status: KLT_STATUS.outside, iterations, lastStep };
      sample(image, x - half - 1, y - half - 1, wide, patch);
      if (symmetric) {
        [gx, gy] = [new Float64Array(side * side), new Float64Array(side * side)];
        this.#gradients(gx, gy);
        if (this.options.light) this.#forgetLight(gx, gy);
        for (let k = 0; k < gx.length; k++) [gx[k], gy[k]] = [(gx[k] + this.#gx[k]) / 2, (gy[k] + this.#gy[k]) / 2];
        inverse = this.#equations(gx, gy);
      }
      if (inverse === null) return { x, y, status: KLT_STATUS.flat, iterations, lastStep };
      let [bx, by] = [0, 0];
      for (let r = 0, k = 0; r < side; r++) {
        for (let c = 0, at = (r + 1) * wide + 1; c < side; c++, k++, at++) {
          const difference = this.#value[k] - patch[at];
          bx += gx[k] * difference;
          by += gy[k] * difference;
        }
      }
      const dx = inverse[0] * bx + inverse[1] * by;
      const dy = inverse[1] * bx + inverse[2] * by;
      x += dx;
      y += dy;
      lastStep = Math.hypot(dx, dy);
      if (dx * dx + dy * dy <= step * step) {
        iterations++;
        break;
      }
      // Steps that undo each other: the minimum lies half way.
      if (iterations > 0 && Math.abs(dx + lastX) < step && Math.abs(dy + lastY) < step) {
        x -= dx / 2;
        y -= dy / 2;
        lastStep = 0;
        iterations++;
        break;
      }
      [lastX, lastY] = [dx, dy];
    }
    const status = isOutside(image, x, y, half) ? KLT_STATUS.outside : KLT_STATUS.tracked;
    return { x, y, status, iterations, lastStep };
  }

  #residual(image: GreyImage, x: number, y: number, half: number): number {
    const [side, wide, patch] = [this.#side, this.#side + 2, this.#patch];
    sample(image, x - half - 1, y - half - 1, wide, patch);
    const rest = this.#value.map((value, k) => value - patch[(Math.floor(k / side) + 1) * wide + (k % side) + 1]);
    if (this.options.light) forgetLight(rest, this.#value);
    const sum = rest.reduce((square, value) => square + value * value, 0);
    return Math.sqrt(sum / (side * side));
  }
}

/** Leaves of the differences of two windows what no gain and no offset of `value` can give. */
export function forgetLight(rest: Float64Array, value: Float64Array): void {
  const all = new Float64Array(value.length).fill(1);
  const mean = meanWithin(value, all);
  const centred = value.map((one) => one - mean);
  forget(rest, centred, all);
}

function meanWithin(values: Float64Array, within: Float64Array): number {
  let [sum, count] = [0, 0];
  for (let k = 0; k < values.length; k++) {
    sum += within[k] * values[k];
    count += within[k];
  }
  return sum / count;
}

/** Takes the mean, and the share of values whose mean is 0, off others, where they count. */
function forget(values: Float64Array, centred: Float64Array, within: Float64Array): void {
  const mean = meanWithin(values, within);
  let [shared, whole] = [0, 0];
  for (let k = 0; k < values.length; k++) {
    shared += within[k] * centred[k] * (values[k] - mean);
    whole += within[k] * centred[k] * centred[k];
  }
  const share = whole > 0 ? shared / whole : 0;
  for (let k = 0; k < values.length; k++) values[k] -= within[k] * (mean + share * centred[k]);
}

/** A window no pixel of which is in the image, as OpenCV has it. */
function isOutside({ width, height }: GreyImage, x: number, y: number, half: number): boolean {
  const [left, top, side] = [Math.floor(x - half), Math.floor(y - half), 2 * half + 1];
  return !(left >= -side && top >= -side && left < width && top < height);
}

/** Bilinear values at (left + c, top + r); pixels beyond the border repeat it. */
function sample(
  { width, height, pixels }: GreyImage,
  left: number,
  top: number,
  side: number,
  out: Float64Array,
): void {
  const [x0, y0] = [Math.floor(left), Math.floor(top)];
  const [fx, fy] = [left - x0, top - y0];
  const [w00, w10, w01, w11] = [(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy];
  const inside = x0 >= 0 && y0 >= 0 && x0 + side < width && y0 + side < height;
  for (let r = 0, k = 0; r < side; r++) {
    const up = (inside ? y0 + r : Math.min(Math.max(y0 + r, 0), height - 1)) * width;
    const down = (inside ? y0 + r + 1 : Math.min(Math.max(y0 + r + 1, 0), height - 1)) * width;
    for (let c = 0; c < side; c++, k++) {
      const l = inside ? x0 + c : Math.min(Math.max(x0 + c, 0), width - 1);
      const m = inside ? l + 1 : Math.min(Math.max(x0 + c + 1, 0), width - 1);
      out[k] = w00 * pixels[up + l] + w10 * pixels[up + m] + w01 * pixels[down + l] + w11 * pixels[down + m];
    }
  }
}
