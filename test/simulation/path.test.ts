import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../src/core/random.js";
import {
  firstCrossing,
  KNOT_SPACING,
  type Path,
  pathAt,
  polynomialPath,
  splinePath,
} from "../../src/simulation/path.js";

const stream = (seed: number) => randomStreams(seed).next().value;

/** Distance of the path's point at x from its point at x0. */
const distance = (path: Path, x0: number, x: number) => Math.hypot(x - x0, pathAt(path, x).y - pathAt(path, x0).y);

/** First x of a fine grid that is at least `radius` away: not before the first crossing, and less than a cell after it. */
function crossingByGrid(path: Path, x0: number, radius: number, cells: number): number {
  for (let c = 1; c <= cells; c++) {
    const x = x0 + (radius * c) / cells;
    if (distance(path, x0, x) >= radius) return x;
  }
  return x0 + radius;
}

const polynomial = (coefficients: number[]): Path => ({
  pieces: [{ origin: 0, end: Number.POSITIVE_INFINITY, coefficients }],
});

describe("first crossing of the circle", () => {
  test("takes the first of several crossings", () => {
    // Out of the circle, back in and out again: three crossings on (0, 1].
    const path = polynomial([0, 12, -36, 24]);
    const u = firstCrossing(path, 0, 1);
    const inside = [0.3, 0.5, 0.95].map((x) => distance(path, 0, x) < 1);
    expect(inside).toEqual([false, true, false]);
    expect(u).toBeLessThan(0.3);
    expect(distance(path, 0, u)).toBeCloseTo(1, 12);
  });

  test("is the radius itself on a level path", () => {
    expect(firstCrossing(polynomial([3, 0, 0, 0]), 5, 1.7)).toBe(5 + 1.7);
  });

  test("is radius / √2 further on a diagonal", () => {
    expect(firstCrossing(polynomial([1, 1]), 2, Math.SQRT2)).toBeCloseTo(3, 12);
  });

  const scene = fc.record({
    seed: fc.integer({ min: 0, max: 1e6 }),
    degree: fc.constantFrom(3, 4),
    amplitude: fc.constantFrom(0.1, 4, 64, 400),
    x0: fc.double({ min: 0, max: 60, noNaN: true }),
    radius: fc.double({ min: 0.1, max: 4, noNaN: true }),
  });

  test("agrees with dense sampling on polynomials", () => {
    fc.assert(
      fc.property(scene, ({ seed, degree, amplitude, x0, radius }) => {
        const path = polynomialPath(degree, amplitude, stream(seed));
        const x = firstCrossing(path, x0, radius);
        expect(Math.abs(distance(path, x0, x) / radius - 1)).toBeLessThan(1e-7);
        const grid = crossingByGrid(path, x0, radius, 2000);
        expect(x).toBeGreaterThan(x0);
        expect(x).toBeLessThanOrEqual(grid + 1e-12);
        expect(x).toBeGreaterThan(grid - (1.01 * radius) / 2000);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test("agrees with dense sampling on splines, across knots too", () => {
    fc.assert(
      fc.property(scene, ({ seed, amplitude, x0, radius }) => {
        const path = splinePath(48, amplitude, stream(seed));
        const x = firstCrossing(path, x0, 8 * radius);
        expect(Math.abs(distance(path, x0, x) / (8 * radius) - 1)).toBeLessThan(1e-7);
        expect(x).toBeLessThanOrEqual(crossingByGrid(path, x0, 8 * radius, 2000) + 1e-12);
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  test("finds a root that rounding hides on a knot: just short of the circle before it, just outside after it", () => {
    const path: Path = {
      pieces: [
        { origin: 0, end: 1, coefficients: [0, 1 - 1e-15] },
        { origin: 1, end: Number.POSITIVE_INFINITY, coefficients: [1 + 1e-15, 1] },
      ],
    };
    expect(firstCrossing(path, 0, Math.SQRT2)).toBeCloseTo(1, 14);
  });
});

describe("paths", () => {
  test("polynomial coefficients stay in ±A/16^d and fill it", () => {
    const drawn = Array.from({ length: 4000 }, (_, seed) => polynomialPath(4, 4, stream(seed)).pieces[0].coefficients);
    for (let d = 0; d <= 4; d++) {
      const bound = 4 / 16 ** d;
      const sizes = drawn.map((c) => Math.abs(c[d]));
      expect(Math.max(...sizes)).toBeLessThan(bound);
      expect(sizes.reduce((s, v) => s + v, 0) / sizes.length / bound).toBeCloseTo(0.5, 1);
      expect(drawn.filter((c) => c[d] < 0).length / drawn.length).toBeCloseTo(0.5, 1);
    }
  });

  test("the spline is twice continuously differentiable at its knots and straight at its ends", () => {
    const { pieces } = splinePath(100, 4, stream(3));
    const h = KNOT_SPACING;
    const second = ([, , c2 = 0, c3 = 0]: readonly number[], u: number) => 2 * c2 + 6 * c3 * u;
    for (let k = 0; k + 1 < pieces.length; k++) {
      const [c0, c1, c2, c3] = pieces[k].coefficients;
      const next = pieces[k + 1].coefficients;
      expect(c0 + h * (c1 + h * (c2 + h * c3))).toBeCloseTo(next[0], 10);
      expect(c1 + h * (2 * c2 + h * 3 * c3)).toBeCloseTo(next[1], 10);
      expect(second(pieces[k].coefficients, h)).toBeCloseTo(second(next, 0), 10);
    }
    expect(second(pieces[0].coefficients, 0)).toBeCloseTo(0, 12);
    for (const { coefficients } of pieces) expect(Math.abs(coefficients[0])).toBeLessThan(4);
  });
});
