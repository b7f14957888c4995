import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CellGrid } from "../../src/costs/cell-grid.js";
import { mutuallyCheapest, mutuallyNearest, withinReach } from "../../src/costs/mutual.js";
import { scene } from "./scenes.js";

/** Places on a lattice, so that many distances are equal; in a long strip; in clusters far from 0; of extreme size. */
const lattice = fc.tuple(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: 16 }));
const strip = fc.tuple(fc.double({ min: -5, max: 5, noNaN: true }), fc.double({ min: -50, max: 50, noNaN: true }));
const far = fc.tuple(fc.double({ min: 1e9, max: 1e9 + 1, noNaN: true }), fc.constant(-1e9));
const extreme = fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 1e300, -5e-324));
const place = fc.oneof(lattice, strip, far);
const frame = (minLength: number) =>
  fc.oneof(
    ...[lattice, strip, far, fc.oneof(place, extreme)].map((one) =>
      fc.array<readonly [number, number]>(one, { minLength, maxLength: 150, size: "max" }),
    ),
  );
const reach = fc.oneof(
  fc.double({ min: 0, max: 8, noNaN: true }),
  // Just above a distance of two places, one of which may lie at the border of a cell.
  fc.integer({ min: 1, max: 8 }).map((r) => r * (1 + 2 ** -50)),
  fc.constantFrom(1, 2, Math.SQRT2, 2 ** -500, 1e200, Number.POSITIVE_INFINITY),
);
const square = (dx: number, dy: number) => dx * dx + dy * dy;

describe("cells", () => {
  test("leave out no detection within reach, and keep the order", () => {
    fc.assert(
      fc.property(frame(1), place, reach, fc.nat(20), (places, [px, py], r, first) => {
        const x = Float64Array.from([...Array(first).fill(0), ...places.map(([a]) => a)]);
        const y = Float64Array.from([...Array(first).fill(0), ...places.map(([, b]) => b)]);
        const grid = new CellGrid({ x, y }, first, x.length);
        // The rows of the frame itself are asked for too, since gates are often as long as a distance.
        for (const [cx, cy] of [[px, py], ...places.slice(0, 10)]) {
          const count = grid.near(cx, cy, r);
          const within = (d: number) => square(x[d] - cx, y[d] - cy) < r * r;
          const all = places.map((_, n) => first + n);
          expect([...grid.found.subarray(0, count)].filter(within)).toEqual(all.filter(within));
        }
      }),
    );
  });

  test("find the first of the nearest", () => {
    fc.assert(
      fc.property(frame(40), frame(1), (one, other) => {
        const detections = scene([one, other].map((places) => places.map(([a, b]) => [a, b, 0, 0])));
        const { x, y } = detections;
        const everywhere = x.map(() => Number.POSITIVE_INFINITY);
        const distance = (i: number, j: number) => square(x[j] - x[i], y[j] - y[i]);
        const next = mutuallyCheapest(x.length, withinReach(detections, everywhere, distance));
        expect(mutuallyNearest(detections)).toEqual(next);
      }),
    );
  });

  test("look at a few of many detections only", () => {
    const places = Array.from({ length: 10_000 }, (_, n) => [n % 100, Math.floor(n / 100)]);
    const grid = new CellGrid(
      { x: Float64Array.from(places, ([a]) => a), y: Float64Array.from(places, ([, b]) => b) },
      0,
      places.length,
    );
    const counts = places.map(([a, b]) => grid.near(a, b, 1.5));
    // 9 to 16 lie within the square of the reach; its border cuts cells of 2.
    expect(Math.max(...counts)).toBeLessThanOrEqual(30);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
  });
});
