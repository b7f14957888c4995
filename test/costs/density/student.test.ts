import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { fitDensity, fitStudentT } from "../../../src/costs/density/fit-student.js";
import { bindStudentT, minusLogDensity, type StudentT, squareWithin } from "../../../src/costs/density/student.js";

const flat: StudentT = { tail: 2.8, xx: 4, xy: 1.2, yy: 0.5 };

/** Samples of a t: a normal over the root of a gamma variate, which for even 2ν' is a sum of exponentials. */
function samples(tail: 2 | 4, { xx, xy, yy }: Omit<StudentT, "tail">, count: number) {
  const random = randomStreams(11).next().value;
  const a = Math.sqrt(xx);
  const b = xy / a;
  const c = Math.sqrt(yy - b * b);
  const draws = Array.from({ length: count }, () => {
    // χ² with `tail` degrees of freedom.
    let chi = 0;
    for (let k = 0; k < tail / 2; k++) chi -= 2 * Math.log(1 - random.uniform(0, 1));
    const stretch = Math.sqrt(tail / chi);
    const [u, w] = [random.normal() * stretch, random.normal() * stretch];
    return [a * u, b * u + c * w];
  });
  return [draws.map(([x]) => x), draws.map(([, y]) => y)] as const;
}

describe("Student's t in the plane", () => {
  test("is the formula, its quadratic form written out", () => {
    const bound = bindStudentT(flat);
    const { tail, xx, xy, yy } = flat;
    const determinant = xx * yy - xy * xy;
    for (const [x, y] of [
      [0, 0],
      [1, 2],
      [-30, 0.1],
      [5, -7],
    ]) {
      const q = (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant;
      const density = (1 + q / tail) ** (-(tail + 2) / 2) / (2 * Math.PI * Math.sqrt(determinant));
      expect(minusLogDensity(bound, x, y)).toBeCloseTo(-Math.log(density), 11);
    }
  });

  test("integrates to 1", () => {
    // By symmetry in the whitened plane: the mass within radius r is 1 − (1 + r²/ν)^(−ν/2), here by rings.
    const round = bindStudentT({ tail: 2.8, xx: 9, xy: 0, yy: 9 });
    let mass = 0;
    const width = 0.05;
    for (let r = width / 2; r < 3000; r += width)
      mass += 2 * Math.PI * r * width * Math.exp(-minusLogDensity(round, r, 0));
    expect(mass).toBeCloseTo(1 - (1 + (3000 / 3) ** 2 / 2.8) ** -1.4, 4);
  });

  test.each([2, 4] as const)("is found again from samples with tail %d", (tail) => {
    const truth = { xx: 4, xy: 1.2, yy: 0.5 };
    const [x, y] = samples(tail, truth, 8000);
    const { density } = fitStudentT([x, y], [1e-6, 1e-6]);
    expect(density.tail).toBe(tail);
    expect(density.xx / truth.xx).toBeCloseTo(1, 1);
    expect(density.yy / truth.yy).toBeCloseTo(1, 1);
    expect(density.xy / truth.xy).toBeCloseTo(1, 1);
  });

  test("no other scale or tail of the grid is likelier", () => {
    const [x, y] = samples(2, { xx: 1, xy: 0.3, yy: 2 }, 500);
    const { density, logLikelihood } = fitStudentT([x, y], [1e-6, 1e-6]);
    const likelihood = (t: StudentT) => {
      const bound = bindStudentT(t);
      return -x.reduce((sum, _, n) => sum + minusLogDensity(bound, x[n], y[n]), 0);
    };
    expect(likelihood(density)).toBeCloseTo(logLikelihood, 8);
    for (const factor of [0.8, 0.9, 1.1, 1.25]) {
      const { tail, xx, xy, yy } = density;
      expect(likelihood({ tail, xx: xx * factor, xy: xy * factor, yy: yy * factor })).toBeLessThan(logLikelihood);
    }
    for (const tail of [0.7, 1, 4]) expect(likelihood({ ...density, tail })).toBeLessThan(logLikelihood);
  });

  test("keeps its floor where nothing varies, and where one axis does not", () => {
    const still = fitStudentT(
      [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
      [0.01, 0.01],
    ).density;
    expect(still.xx).toBeGreaterThanOrEqual(1e-4);
    const [x] = samples(4, { xx: 1, xy: 0, yy: 1 }, 300);
    const line = fitStudentT([x, x.map(() => 0)], [0.01, 0.01]).density;
    expect(line.xx * line.yy - line.xy ** 2).toBeGreaterThan(0);
    expect(fitStudentT([[], []], [0.5, 0.5]).density.xx).toBeGreaterThan(0);
  });
});

describe("two scales", () => {
  const mixed: StudentT = { tail: 2, xx: 0.04, xy: 0.012, yy: 0.005, wide: { share: 0.3, times: 12 } };

  test("integrate to 1, and say where their cost is exceeded", () => {
    const round = bindStudentT({ tail: 2, xx: 1, xy: 0, yy: 1, wide: { share: 0.3, times: 12 } });
    let mass = 0;
    const width = 0.02;
    for (let r = width / 2; r < 2000; r += width)
      mass += 2 * Math.PI * r * width * Math.exp(-minusLogDensity(round, r, 0));
    // Beyond r the two parts still have (1 + r²/2)⁻¹ each.
    expect(mass).toBeCloseTo(1 - 0.7 / (1 + 2000 ** 2 / 2) - 0.3 / (1 + 2000 ** 2 / 288), 4);
    for (const r of [0.01, 1, 30, 1e6]) {
      expect(squareWithin(round, minusLogDensity(round, r, 0)) / (r ** 2 / 2)).toBeCloseTo(1, 8);
    }
    expect(squareWithin(round, minusLogDensity(round, 0, 0) - 0.01)).toBeLessThan(0);
  });

  test("are found again from samples, and not where there is one", () => {
    const { xx, xy, yy } = mixed;
    const [nearX, nearY] = samples(2, { xx, xy, yy }, 2800);
    const [farX, farY] = samples(2, { xx: 144 * xx, xy: 144 * xy, yy: 144 * yy }, 1200);
    const { density } = fitDensity(
      [
        [...nearX, ...farX],
        [...nearY, ...farY],
      ],
      [1e-6, 1e-6],
    );
    expect(density.wide?.share).toBeCloseTo(0.3, 1);
    expect((density.wide?.times ?? 0) / 12).toBeCloseTo(1, 0);
    expect(density.xx / xx).toBeCloseTo(1, 0);
    expect(density.xy / xy).toBeCloseTo(1, 0);
    for (const tail of [2, 4] as const) {
      const [x, y] = samples(tail, { xx: 1, xy: 0, yy: 1 }, 1000);
      expect(fitDensity([x, y], [1e-6, 1e-6]).density.wide).toBeUndefined();
    }
  });

  test("are compared with one by a likelihood of which their two parameters more are paid", () => {
    const [x, y] = samples(2, { xx: 1, xy: 0, yy: 1 }, 400);
    const still = (values: readonly number[]) => values.map((value, n) => (n % 5 < 2 ? 0 : value));
    for (const [xs, ys, parameters] of [
      [x, y, 0],
      [still(x), still(y), 2],
    ] as const) {
      const { density, logLikelihood } = fitDensity([xs, ys], [1e-3, 1e-3]);
      expect(density.wide === undefined ? 0 : 2).toBe(parameters);
      const bound = bindStudentT(density);
      const sum = xs.reduce((total, value, n) => total - minusLogDensity(bound, value, ys[n]), 0);
      expect(logLikelihood).toBeCloseTo(sum - (parameters / 2) * Math.log(xs.length), 9);
    }
  });

  test("are not seen in fewer samples than each part must have", () => {
    const [x, y] = samples(2, { xx: 1, xy: 0, yy: 1 }, 40);
    const still = (values: readonly number[], count: number) =>
      values.slice(0, count).map((v, n) => (n % 5 < 2 ? 0 : v));
    expect(fitDensity([still(x, 20), still(y, 20)], [1e-3, 1e-3]).density.wide).toBeUndefined();
    expect(fitDensity([still(x, 40), still(y, 40)], [1e-3, 1e-3]).density.wide).toBeDefined();
  });

  test("keep to their floor where most samples are equal, in the same way in any unit", () => {
    const [x, y] = samples(4, { xx: 1, xy: 0, yy: 1 }, 300);
    const still = (values: readonly number[]) => values.map((value, n) => (n % 2 === 0 ? value : 0));
    const one = fitDensity([still(x), still(y)], [0.01, 0.01]).density;
    expect(one.wide?.share).toBeCloseTo(0.5, 1);
    expect(one.xx).toBeGreaterThanOrEqual(1e-4);
    const inMillimetres = (values: readonly number[]) => values.map((value) => 1000 * value);
    const other = fitDensity([inMillimetres(still(x)), inMillimetres(still(y))], [10, 10]).density;
    expect(other.xx / one.xx).toBeCloseTo(1e6, -2);
    expect(other.wide?.times).toBeCloseTo(one.wide?.times ?? 0, 4);
  });
});
