/** The densities and the law of cost motion in space. */
import { inv } from "mathjs";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { fitDensity, fitStudentT } from "../../../src/costs/density/fit-student.js";
import {
  bindStudentT,
  determinantOf,
  eigenOf,
  type Matrix,
  minusLogDensity,
  type StudentT,
  squareWithin,
} from "../../../src/costs/density/student.js";
import { alongAxes, matrixOf, persistenceOf, stretched } from "../../../src/costs/motion/law.js";
import { areaOf, sizeOf } from "../../../src/costs/places/area.js";
import { floorOf } from "../../../src/costs/places/rounding.js";
import { densityAt, localDensity, squaresOf } from "../../../src/costs/places/shares.js";

const matrix: { readonly [Entry in keyof Matrix]-?: number } = { xx: 4, xy: 1.2, yy: 0.9, xz: -0.8, yz: 0.1, zz: 2 };
const rowsOf = ({ xx, xy, yy, xz = 0, yz = 0, zz = 0 }: Matrix) => [
  [xx, xy, xz],
  [xy, yy, yz],
  [xz, yz, zz],
];
const ofRows = (m: number[][]): Matrix => ({
  ...{ xx: m[0][0], xy: m[0][1], yy: m[1][1], xz: m[0][2], yz: m[1][2], zz: m[2][2] },
});
const product = (a: number[][], b: number[][]) =>
  a.map((row) => b[0].map((_, n) => row.reduce((s, v, k) => s + v * b[k][n], 0)));
const wide = { share: 0.3, times: 12 };

/** Samples of a t of tail 2: a normal over the root of half a χ². */
function samples({ xx, xy, yy, xz = 0, yz = 0, zz = 1 }: Matrix, count: number): number[][] {
  const random = randomStreams(11).next().value;
  const a = Math.sqrt(xx);
  const [b, d] = [xy / a, xz / a];
  const c = Math.sqrt(yy - b * b);
  const e = (yz - b * d) / c;
  const f = Math.sqrt(zz - d * d - e * e);
  const axes: number[][] = [[], [], []];
  for (let n = 0; n < count; n++) {
    const stretch = Math.sqrt(1 / -Math.log(1 - random.uniform(0, 1)));
    const [u, v, w] = [0, 1, 2].map(() => stretch * random.normal());
    [a * u, b * u + c * v, d * u + e * v + f * w].forEach((value, axis) => {
      axes[axis].push(value);
    });
  }
  return axes;
}

describe("Student's t in space", () => {
  // c by the gamma functions of half numbers: Γ(3)/(Γ(1.5) (3π)^1.5) with Γ(1.5) = √π/2, and Γ(2.5)/(Γ(1) (2π)^1.5) with Γ(2.5) = ¾ √π.
  test.each([
    [3, 2 / ((Math.sqrt(Math.PI) / 2) * (3 * Math.PI) ** 1.5)],
    [2, (0.75 * Math.sqrt(Math.PI)) / (2 * Math.PI) ** 1.5],
  ])("is the formula with tail %d, its quadratic form by the inverse", (tail, c) => {
    const bound = bindStudentT({ tail, ...matrix });
    const inverse = inv(rowsOf(matrix)) as number[][];
    for (const z of [
      [0, 0, 0],
      [1, 2, -1],
      [-30, 0.1, 4],
    ]) {
      const q = z.reduce((sum, v, a) => sum + v * z.reduce((s, w, b) => s + w * inverse[a][b], 0), 0);
      const density = (c * (1 + q / tail) ** (-(tail + 3) / 2)) / Math.sqrt(determinantOf(matrix));
      expect(minusLogDensity(bound, z[0], z[1], z[2])).toBeCloseTo(-Math.log(density), 10);
    }
  });

  test.each([
    { tail: 0.7, wide: undefined },
    { tail: 2.8, wide: undefined },
    { tail: 2, wide },
  ])("integrates to 1, and says where its cost is exceeded: $tail", ({ tail, wide }) => {
    const round = bindStudentT({ tail, xx: 9, xy: 0, yy: 9, xz: 0, yz: 0, zz: 9, wide });
    // By shells whose radii grow by a factor.
    let mass = 0;
    for (let r = 1e-4; r < 1e9; r *= 1.001) {
      const middle = r * Math.sqrt(1.001);
      mass += 4 * Math.PI * middle ** 2 * 0.001 * r * Math.exp(-minusLogDensity(round, middle, 0, 0));
    }
    expect(mass).toBeCloseTo(1, 3);
    for (const r of [0.01, 1, 30, 1e6]) {
      expect(squareWithin(round, minusLogDensity(round, 0, r, 0)) / (r ** 2 / (9 * tail))).toBeCloseTo(1, 8);
    }
  });

  test("is found again from samples, of one scale and of two", () => {
    const { density } = fitStudentT(samples(matrix, 8000), [1e-6, 1e-6, 1e-6]);
    expect(density.tail).toBe(2);
    const far = Object.fromEntries(
      Object.entries(matrix).map(([key, value]) => [key, 144 * value]),
    ) as unknown as Matrix;
    const mixed = samples(matrix, 2800).map((axis, n) => [...axis, ...samples(far, 1200)[n]]);
    const { density: both } = fitDensity(mixed, [1e-6, 1e-6, 1e-6]);
    expect(both.wide?.share).toBeCloseTo(0.3, 1);
    expect((both.wide?.times ?? 0) / 12).toBeCloseTo(1, 0);
    for (const key of ["xx", "xy", "yy", "xz", "zz"] as const) {
      expect((density[key] ?? 0) / matrix[key]).toBeCloseTo(1, 1);
      expect((both[key] ?? 0) / matrix[key]).toBeCloseTo(1, 0);
    }
  });

  test("keeps a floor on each axis, also where all lies in a plane that no axis is at right angles to", () => {
    const still = fitStudentT(
      [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
      [0.01, 0.01, 3],
    ).density;
    expect(still).toMatchObject({ xx: expect.closeTo(1e-4, 8), zz: expect.closeTo(9, 8) });
    const [x, y] = samples(matrix, 300);
    const flat = fitStudentT([x, y, x.map((value, n) => 0.5 * value - 0.3 * y[n])], [1e-6, 1e-6, 1e-6]).density;
    expect(determinantOf(flat)).toBeGreaterThan(0);
    expect(Number.isFinite(bindStudentT(flat).f)).toBe(true);
  });
});

describe("the law in space", () => {
  const law = { memory: 5, noise: 0.1 };

  test("goes along the axes of the displacements: these are the eigenvectors", () => {
    const axes = eigenOf(matrix);
    const again = matrixOf(
      axes.map(({ vector }) => ({ law, direction: vector })),
      () => 1,
    );
    expect(rowsOf(again).flat()).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1].map((v) => expect.closeTo(v, 12)));
    for (const { value, vector } of axes) {
      const image = rowsOf(matrix).map((row) => row.reduce((sum, v, k) => sum + v * vector[k], 0));
      expect(image).toEqual(vector.map((v) => expect.closeTo(value * v, 10)));
    }
    expect(axes.map(({ value }) => value)).toEqual(axes.map(({ value }) => value).sort((a, b) => b - a));
  });

  test("is that of the plane where targets move in the plane, and the same for other names of the axes", () => {
    const { xx, xy, yy } = matrix;
    const rho = (shape: Matrix) => matrixOf(alongAxes(law, shape), (one) => persistenceOf(one, 1, 2));
    const [plane, deep] = [rho({ xx, xy, yy }), rho({ xx, xy, yy, xz: 0, yz: 0, zz: 1e-3 })];
    for (const key of ["xx", "xy", "yy"] as const) expect(deep[key]).toBeCloseTo(plane[key], 10);
    // Across the plane is only noise, which says nothing about the next frame.
    const still = matrixOf(alongAxes(law, { xx, xy, yy, xz: 0, yz: 0, zz: 1e-3 }), (one) => persistenceOf(one, 1, 1));
    expect(still.zz).toBeCloseTo(0, 10);
    const named = rho(matrix);
    const other = rho({ xx: matrix.zz, xy: matrix.xz, yy: xx, xz: matrix.yz, yz: xy, zz: yy });
    expect(other.xx).toBeCloseTo(named.zz ?? 0, 10);
    expect(other.yz).toBeCloseTo(named.xy, 10);
  });

  test("stretches a density as its samples are", () => {
    const by = { xx: 3, xy: 0.2, yy: 0.7, xz: -0.5, yz: 0.3, zz: 1.5 };
    const expected = ofRows(product(product(rowsOf(by), rowsOf(matrix)), rowsOf(by)));
    const found: StudentT = stretched({ tail: 3, ...matrix }, by, [0, 0, 0]);
    for (const key of ["xx", "xy", "yy", "xz", "yz", "zz"] as const)
      expect(found[key]).toBeCloseTo(expected[key] ?? 0, 12);
    expect(stretched({ tail: 3, ...matrix }, by, [0, 0, 9]).zz).toBe(81);
  });
});

test("the density by place is that of cubes, per unit of volume", () => {
  const random = randomStreams(4).next().value;
  const axis = (extent: number) => Float64Array.from({ length: 20_000 }, () => random.uniform(0, extent));
  const [x, y, z] = [axis(10), axis(20), axis(5)];
  // Half of all lie in an eighth of the volume.
  for (let d = 0; d < x.length; d += 2) [x[d], y[d], z[d]] = [x[d] / 2, y[d] / 2, z[d] / 2];
  const area = areaOf({ x, y, z }, 1);
  expect(sizeOf(area) / 1000).toBeCloseTo(1, 1);
  const { places } = localDensity(squaresOf({ x, y, z }, area), 10, area, Int32Array.from(x.keys()));
  const mean = (of: (part: number) => number) =>
    Array.from({ length: 500 }, (_, n) => of(n)).reduce((sum, value) => sum + value, 0) / 500;
  const within = (low: number, high: number) => () => random.uniform(low, high);
  const [left, right] = [within(0.1, 0.4), within(0.6, 0.9)];
  const at = (part: () => number) => densityAt(places, area, 10 * part(), 20 * part(), 5 * part());
  // Per frame: all of one half, and its share of the other half.
  expect(mean(() => at(left)) / ((10_000 / 125 + 10_000 / 1000) / 10)).toBeCloseTo(1, 1);
  expect(mean(() => at(right)) / (10_000 / 1000 / 10)).toBeCloseTo(1, 0);
});

test("slices that are far apart are a rounding of z alone", () => {
  const random = randomStreams(4).next().value;
  const axis = () => Float64Array.from({ length: 400 }, () => random.uniform(0, 40));
  const [x, y, z] = [axis(), axis(), axis()];
  const frameStart = Uint32Array.from([0, 100, 200, 300, 400]);
  const base = { frames: 4, frameStart, x, y, vx: null, vy: null, target: null, timeStep: 1 };
  const floor = (depths: Float64Array) => floorOf({ ...base, z: depths }, 8, 1, []);
  expect(floor(z)).toEqual([1e-3, 1e-3, 1e-3]);
  const [fine, , coarse] = floor(z.map((depth) => 2 * Math.round(depth / 2)));
  expect(fine).toBe(1e-3);
  // 2/√6 of a rounding to 2.
  expect(coarse / (2 / Math.sqrt(6))).toBeCloseTo(1, 0);
});
