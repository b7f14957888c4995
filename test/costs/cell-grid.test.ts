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
/** Depths of places in space: on a lattice too, in one plane for some frames, or deep. */
const depths = fc.constantFrom<(n: number) => number>(
  (n) => n % 5,
  () => 2,
  (n) => 1e3 * Math.sin(n),
);
const square = (dx: number, dy: number, dz: number) => dx * dx + dy * dy + dz * dz;

describe("cells", () => {
  test("leave out no detection within reach, and keep the order", () => {
    fc.assert(
      fc.property(frame(1), place, reach, fc.nat(20), fc.option(depths), (places, [px, py], r, first, depth) => {
        const x = Float64Array.from([...Array(first).fill(0), ...places.map(([a]) => a)]);
        const y = Float64Array.from([...Array(first).fill(0), ...places.map(([, b]) => b)]);
        const z = x.map((_, d) => depth?.(d) ?? 0);
        const grid = new CellGrid({ x, y, ...(depth && { z }) }, first, x.length);
        // The rows of the frame itself are asked for too, since gates are often as long as a distance.
        for (const [cx, cy, cz] of [[px, py, 1], ...places.slice(0, 10).map(([a, b], n) => [a, b, z[first + n]])]) {
          const deep = depth === null ? 0 : cz;
          const count = grid.near(cx, cy, deep, r);
          const within = (d: number) => square(x[d] - cx, y[d] - cy, z[d] - deep) < r * r;
          const all = places.map((_, n) => first + n);
          expect([...grid.found.subarray(0, count)].filter(within)).toEqual(all.filter(within));
        }
      }),
    );
  });

  test("find the first of the nearest", () => {
    fc.assert(
      fc.property(frame(40), frame(1), fc.option(depths), (one, other, depth) => {
        const flat = scene([one, other].map((places) => places.map(([a, b]) => [a, b, 0, 0])));
        const { x, y } = flat;
        const z = x.map((_, d) => depth?.(d) ?? 0);
        const detections = { ...flat, ...(depth && { z }) };
        const everywhere = x.map(() => Number.POSITIVE_INFINITY);
        const distance = (i: number, j: number) => square(x[j] - x[i], y[j] - y[i], z[j] - z[i]);
        const next = mutuallyCheapest(x.length, withinReach(detections, everywhere, distance));
        expect(mutuallyNearest(detections)).toEqual(next);
      }),
    );
  });

  test.each([
    [1, 9, 30],
    [10, 27, 150],
  ])("look at a few of many detections only, in %i layers", (layers, least, most) => {
    const places = Array.from({ length: 10_000 }, (_, n) => [
      n % 100,
      Math.floor(n / 100) % (100 / layers),
      Math.floor((layers * n) / 10_000),
    ]);
    const [x, y, z] = [0, 1, 2].map((axis) => Float64Array.from(places, (place) => place[axis]));
    const grid = new CellGrid(layers === 1 ? { x, y } : { x, y, z }, 0, places.length);
    const counts = places.map(([a, b, c]) => grid.near(a, b, c, 1.5));
    // As many lie within the square, or cube, of the reach; its border cuts cells of 2.
    expect(Math.max(...counts)).toBeLessThanOrEqual(most);
    expect(counts.reduce((sum, count) => sum + count, 0) / counts.length).toBeGreaterThanOrEqual(least / 2);
  });
});
