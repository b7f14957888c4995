import type { MotionModel } from "./model.js";
import { type BoundStudentT, bindStudentT, falloff } from "./student.js";

/** The density of a later link of one span after an earlier one of another, ready to evaluate. */
export interface Rule extends BoundStudentT {
  /** R_ab, whitened. */
  readonly expected: readonly [xx: number, xy: number, yx: number, yy: number];
}

/** By the span of the earlier link, and of the later one, less 1. */
export function rulesOf({ step, persistence }: MotionModel): Rule[][] {
  return step.map((row, n) =>
    row.map((density, m) => {
      const bound = bindStudentT(density);
      const { a, b, c } = bound;
      const { xx, xy, yy } = persistence[n][m];
      return { ...bound, expected: [a * xx, a * xy, b * xx + c * xy, b * xy + c * yy] };
    }),
  );
}

/** Points in the plane, whitened by one rule. */
export interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export function pointsOf(count: number): Points {
  return { x: new Float64Array(count), y: new Float64Array(count) };
}

/** The deviation (zx, zy) of a later link, whitened. */
export function laterX({ a }: Rule, zx: number): number {
  return a * zx;
}

export function laterY({ b, c }: Rule, zx: number, zy: number): number {
  return b * zx + c * zy;
}

/** The deviation that is expected after an earlier link of deviation (zx, zy), whitened. */
export function expectedX({ expected: [xx, xy] }: Rule, zx: number, zy: number): number {
  return xx * zx + xy * zy;
}

export function expectedY({ expected: [, , yx, yy] }: Rule, zx: number, zy: number): number {
  return yx * zx + yy * zy;
}

/**
 * The falloffs of the squared distances from (fromX, fromY) to points begin … end − 1, written to the front of `into`. All costs of pairs of links
 * come from here: one of the pair is expected after the earlier link, and the other one is the later link.
 */
export function putFalloffs(
  rule: Rule,
  fromX: number,
  fromY: number,
  { x, y }: Points,
  begin: number,
  end: number,
  into: Float64Array,
): void {
  for (let n = begin; n < end; n++) {
    const u = x[n] - fromX;
    const w = y[n] - fromY;
    into[n - begin] = falloff(rule, u * u + w * w);
  }
}

/** The place of the least of the first `count` falloffs, each times weight[from + n]; −1 where none is below Infinity. */
export function cheapest(falloffs: Float64Array, count: number, weight: Float64Array, from: number): number {
  let least = Number.POSITIVE_INFINITY;
  let at = -1;
  for (let n = 0; n < count; n++) {
    const value = falloffs[n] * weight[from + n];
    if (value < least) {
      least = value;
      at = n;
    }
  }
  return at;
}
