import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import {
  alongAxes,
  bestBetween,
  bestLaw,
  type Forgetting,
  matrixOf,
  NEVER_FORGETS,
  NOISELESS_BETWEEN,
  persistenceOf,
  remainder,
  stretched,
  variance,
} from "../../../src/costs/motion/law.js";

const SPANS = [1, 2, 3, 4] as const;
const laws: Forgetting[] = [0.3, 1, 4, 20, 1000].flatMap((memory) =>
  [0, 0.1, 0.5, 1].map((noise) => ({ memory, noise })),
);

describe("the law in the plane", () => {
  test("has noise that is the same in all directions: the less targets move, the greater its part", () => {
    const law = { memory: 5, noise: 0.1 };
    // Velocities of variance 1 along an axis and v across, and the noise r² of the law.
    const [moved, r2] = [variance({ ...law, noise: 0 }, 1), 0.1 * 25 * (1 - Math.exp(-1 / 5)) ** 2];
    for (const v of [1, 0.4, 0.11]) {
      const [, { law: across }] = alongAxes(law, { xx: moved + 2 * r2, xy: 0, yy: v * moved + 2 * r2 });
      expect(across.memory).toBe(5);
      expect(across.noise).toBeCloseTo(0.1 / v, 10);
    }
    // Lanes: across them is little but noise, and nothing is kept.
    const lanes = alongAxes(law, { xx: moved + 2 * r2, xy: 0, yy: 1.9 * r2 });
    const rho = matrixOf(lanes, (one) => persistenceOf(one, 1, 1));
    expect(rho.yy).toBeCloseTo(0, 10);
    expect(rho.xx).toBeCloseTo(persistenceOf(law, 1, 1), 10);
  });

  test("turns with the recording, and is the same along all axes of a circle", () => {
    const law = { memory: 5, noise: 0.1 };
    const [cos, sin] = [0.6, 0.8];
    const plane = alongAxes(law, { xx: 9 * cos * cos + sin * sin, xy: 8 * cos * sin, yy: 9 * sin * sin + cos * cos });
    const [one, other] = plane.map(({ law: each }) => persistenceOf(each, 1, 2));
    const { xx, xy, yy } = matrixOf(plane, (each) => persistenceOf(each, 1, 2));
    expect([cos * xx + sin * xy, cos * xy + sin * yy]).toEqual(
      [cos * one, sin * one].map((v) => expect.closeTo(v, 10)),
    );
    expect([cos * xy - sin * xx, cos * yy - sin * xy]).toEqual(
      [-sin * other, cos * other].map((v) => expect.closeTo(v, 10)),
    );
    const [, round] = alongAxes(law, { xx: 2, xy: 0, yy: 2 });
    expect(round.law.noise).toBeCloseTo(law.noise, 10);
  });

  test("stretches a density as its samples are", () => {
    // z = A u with u of scale 1: S = A Aᵀ. Then B A has B S Bᵀ.
    const density = { tail: 3, xx: 2, xy: 0.5, yy: 1 };
    const by = { xx: 3, xy: 0.2, yy: 0.7 };
    const { xx, xy, yy, tail } = stretched(density, by, [0, 0]);
    expect(tail).toBe(3);
    expect(xx).toBeCloseTo(3 * 3 * 2 + 2 * 3 * 0.2 * 0.5 + 0.2 * 0.2 * 1, 12);
    expect(xy).toBeCloseTo(3 * 0.2 * 2 + (3 * 0.7 + 0.2 * 0.2) * 0.5 + 0.2 * 0.7 * 1, 12);
    expect(yy).toBeCloseTo(0.2 * 0.2 * 2 + 2 * 0.2 * 0.7 * 0.5 + 0.7 * 0.7 * 1, 12);
    expect(stretched(density, by, [2, 2])).toEqual({ tail, xx, xy, yy: 4 });
  });
});

describe("the law of displacements over any number of frames", () => {
  test("is constant velocity where nothing is forgotten", () => {
    // To the thousandth that a memory of 1,000 frames forgets in one.
    for (const a of SPANS) {
      expect(Math.abs(variance(NEVER_FORGETS, a) / variance(NEVER_FORGETS, 1) / a ** 2 - 1)).toBeLessThan(1e-3);
      for (const b of SPANS) {
        expect(Math.abs((persistenceOf(NEVER_FORGETS, a, b) * a) / b - 1)).toBeLessThan(4e-3);
        // What is left grows as white noise of the acceleration has it: the variance of z_b − z_a b / a goes with b² (a + b).
        const left = remainder(NEVER_FORGETS, a, b) / remainder(NEVER_FORGETS, 1, 1);
        expect(Math.abs(left / ((b * b * (a + b)) / 2) - 1)).toBeLessThan(4e-3);
      }
    }
  });

  test("is free diffusion where all is forgotten at once", () => {
    const law = { memory: 0.01, noise: 0 };
    for (const a of SPANS) {
      // But for the hundredth of a frame that it remembers.
      expect(Math.abs(variance(law, a) / variance(law, 1) / a - 1)).toBeLessThan(0.01);
      for (const b of SPANS) expect(Math.abs(persistenceOf(law, a, b))).toBeLessThan(0.01);
    }
    expect(persistenceOf({ ...law, noise: 1 }, 1, 1)).toBe(0);
  });

  /** Displacements over a and then b frames of a velocity that is simulated in small steps, with unit variance. */
  function simulated({ memory, noise }: Forgetting, a: number, b: number, count: number) {
    const random = randomStreams(7).next().value;
    const steps = 32;
    const keep = Math.exp(-1 / (steps * memory));
    const [spread, deviation] = [Math.sqrt(1 - keep * keep), memory * -Math.expm1(-1 / memory) * Math.sqrt(noise)];
    return Array.from({ length: count }, () => {
      let v = random.normal();
      const moved = (frames: number) => {
        let sum = 0;
        for (let n = 0; n < frames * steps; n++) {
          sum += v / steps / 2;
          v = keep * v + spread * random.normal();
          sum += v / steps / 2;
        }
        return sum;
      };
      const [one, other] = [moved(a), moved(b)];
      const [p, q, r] = [0, 1, 2].map(() => deviation * random.normal());
      return [one + q - p, other + r - q] as const;
    });
  }

  test.each([
    { memory: 2, noise: 0, a: 1, b: 1 },
    { memory: 0.7, noise: 0.4, a: 1, b: 3 },
    { memory: 8, noise: 0.2, a: 2, b: 1 },
  ])("has the variances and covariances of simulated tracks: $memory, $noise, $a, $b", ({ a, b, ...law }) => {
    const all = simulated(law, a, b, 20_000);
    const mean = (of: (one: readonly [number, number]) => number) =>
      all.reduce((sum, one) => sum + of(one), 0) / all.length;
    const [before, after, both] = [mean(([z]) => z * z), mean(([, z]) => z * z), mean(([y, z]) => y * z)];
    expect(before / variance(law, a)).toBeCloseTo(1, 1);
    expect(after / variance(law, b)).toBeCloseTo(1, 1);
    expect(Math.abs(both / before - persistenceOf(law, a, b))).toBeLessThan(0.03);
    expect((after - both ** 2 / before) / remainder(law, a, b)).toBeCloseTo(1, 1);
  });

  test("is white noise of the acceleration and noise of positions beside measured velocities", () => {
    const random = randomStreams(9).next().value;
    const [steps, noise] = [32, 0.4];
    // A density of 12 (1 − noise), and positions of variance noise / 2, make var_1 = 1.
    const kicked = (frames: number) => {
      let [v, x] = [0, 0];
      for (let n = 0; n < frames * steps; n++) {
        const kick = Math.sqrt((12 * (1 - noise)) / steps) * random.normal();
        x += (v + kick / 2) / steps;
        v += kick;
      }
      return x - (frames * v) / 2;
    };
    const [a, b, count] = [1, 3, 20_000];
    const all = Array.from({ length: count }, () => {
      const [p, q, r] = [0, 1, 2].map(() => Math.sqrt(noise / 2) * random.normal());
      return [kicked(a) + q - p, kicked(b) + r - q] as const;
    });
    const mean = (of: (one: readonly [number, number]) => number) => all.reduce((sum, one) => sum + of(one), 0) / count;
    const law = { memory: null, noise };
    const [before, after, both] = [mean(([z]) => z * z), mean(([, z]) => z * z), mean(([y, z]) => y * z)];
    expect(before / variance(law, a)).toBeCloseTo(1, 1);
    expect(after / variance(law, b)).toBeCloseTo(1, 1);
    expect(Math.abs(both / before - persistenceOf(law, a, b))).toBeLessThan(0.05);
    expect((after - both ** 2 / before) / remainder(law, a, b)).toBeCloseTo(1, 1);
    expect(persistenceOf(NOISELESS_BETWEEN, 1, 2)).toBe(0);
    expect(alongAxes(law, { xx: 3, xy: 1, yy: 1 }).map((axis) => axis.law)).toEqual([law, law]);
    expect(bestBetween((tried) => -Math.abs(tried.noise - 0.6))).toEqual({ memory: null, noise: 0.5 });
  });

  test("never makes skipping a frame surer: what is left grows with either span", () => {
    // A detection in a place that its target's links foretell exactly is as likely as can be when it is linked; two tracks that alternate are less so.
    for (const law of laws) {
      for (const a of SPANS) {
        for (const b of SPANS) {
          expect(variance(law, a)).toBeGreaterThan(0);
          expect(remainder(law, a, b)).toBeGreaterThan(0);
          expect(remainder(law, a, b + 1)).toBeGreaterThan(remainder(law, a, b));
          expect(remainder(law, 2, 2)).toBeGreaterThan(remainder(law, 1, 1));
        }
      }
    }
  });

  test("is found by its likelihood", () => {
    const truth = { memory: 3, noise: 0.2 };
    const chains = SPANS.slice(0, 2).flatMap((a) => [1, 2].map((b) => ({ a, b, z: simulated(truth, a, b, 2_000) })));
    const law = bestLaw((tried) => {
      const likelihoods = chains.flatMap(({ a, b, z }) => {
        const [first, left] = [variance(tried, a), remainder(tried, a, b)];
        const rho = persistenceOf(tried, a, b);
        return z.map(([y, x]) => -0.5 * (Math.log(first * left) + y ** 2 / first + (x - rho * y) ** 2 / left));
      });
      return { likelihoods: Float64Array.from(likelihoods), certainties: new Float64Array(likelihoods.length) };
    }, false);
    expect(Math.abs(Math.log(law.memory / truth.memory))).toBeLessThan(Math.log(1.6));
    expect(Math.abs(law.noise - truth.noise)).toBeLessThan(0.1);
  });

  test("is the one that tells targets most surely, unless chance may explain that and another one is clearly likelier", () => {
    const found = (gain: (sample: number) => number, likelier: (sample: number) => number, overlap = false) =>
      bestLaw(({ memory }) => {
        const samples = Array.from({ length: 100 }, (_, n) => n);
        return {
          likelihoods: Float64Array.from(samples, (n) => (memory > 500 ? likelier(n) : 0)),
          certainties: Float64Array.from(samples, (n) => (memory < 0.5 ? gain(n) : 0)),
        };
      }, overlap).memory;
    const [clearly, byOne, hardly] = [
      () => 0.1,
      (n: number) => (n === 7 ? 10 : 0),
      (n: number) => 0.1 * (n % 2) - 0.04,
    ];
    expect(found(clearly, clearly)).toBe(0.3);
    // One sample has all the say, as a wrong link where all others are sure.
    expect(found(byOne, clearly)).toBe(1000);
    expect(found(byOne, clearly, true)).toBe(0.3);
    expect(found(byOne, byOne)).toBe(0.3);
    expect(found(hardly, clearly)).toBe(1000);
    expect(found(hardly, hardly)).toBe(0.3);
  });
});
