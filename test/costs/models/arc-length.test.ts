import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hermiteLength } from "../../../src/costs/models/arc-length.js";

type Curve = [number, number, number, number, number, number];

/** Composite Simpson on many cells: slow and accurate. */
function simpson([cx, cy, ax, ay, bx, by]: Curve, cells: number): number {
  const speed = (t: number) => {
    const chord = 6 * t * (1 - t);
    const start = 3 * t * t - 4 * t + 1;
    const end = 3 * t * t - 2 * t;
    return Math.hypot(chord * cx + start * ax + end * bx, chord * cy + start * ay + end * by);
  };
  let sum = 0;
  for (let c = 0; c < cells; c++) {
    sum += speed(c / cells) + 4 * speed((c + 0.5) / cells) + speed((c + 1) / cells);
  }
  return sum / (6 * cells);
}

describe("arc length of the clamped cubic", () => {
  test("is the chord on a straight line, at equal and at unequal speeds", () => {
    expect(hermiteLength(3, 4, 3, 4, 3, 4)).toBeCloseTo(5, 14);
    expect(hermiteLength(3, 4, 6, 8, 1.5, 2)).toBeCloseTo(5, 14);
    expect(hermiteLength(3, 4, 0, 0, 0, 0)).toBeCloseTo(5, 14);
  });

  test("counts the way back when the line is overshot", () => {
    // p(t) = 6t³ − 9t² + 4t on a line: out to 5/9 at t = 1/3, back to 4/9 at t = 2/3, on to 1.
    expect(hermiteLength(1, 0, 4, 0, 4, 0)).toBeCloseTo(11 / 9, 2);
  });

  test("is exact for a parabola", () => {
    // (t, t²): ∫ √(1 + 4t²) dt = √5/2 + asinh(2)/4.
    expect(hermiteLength(1, 1, 1, 0, 1, 2)).toBeCloseTo(Math.sqrt(5) / 2 + Math.asinh(2) / 4, 13);
  });

  test("is exact to 1e-9 for curves whose ends turn by less than a right angle", () => {
    const angle = fc.double({ min: -0.75, max: 0.75, noNaN: true });
    const size = fc.double({ min: 0.7, max: 1.5, noNaN: true });
    fc.assert(
      fc.property(angle, angle, size, size, (a, b, r, s) => {
        const curve: Curve = [1, 0, r * Math.cos(a), r * Math.sin(a), s * Math.cos(b), s * Math.sin(b)];
        expect(Math.abs(hermiteLength(...curve) - simpson(curve, 2000))).toBeLessThan(1e-9);
      }),
      { seed: 1 },
    );
  });

  test("is good to 0.5 % of the longest vector on any curve, cusps and loops included, and not below the chord by more", () => {
    const component = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(component, component, component, component, component, component, (...curve) => {
        const length = hermiteLength(...curve);
        const scale = Math.max(...[0, 2, 4].map((k) => Math.hypot(curve[k], curve[k + 1])));
        expect(Math.abs(length - simpson(curve, 4000))).toBeLessThanOrEqual(5e-3 * scale + 1e-12);
        expect(length).toBeGreaterThan(Math.hypot(curve[0], curve[1]) - 5e-3 * scale - 1e-12);
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  test("does not change when the curve is run backwards", () => {
    expect(hermiteLength(1, 2, 3, -1, 0.5, 2)).toBeCloseTo(hermiteLength(-1, -2, -0.5, -2, -3, 1), 12);
  });
});
