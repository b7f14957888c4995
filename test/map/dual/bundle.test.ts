import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bundle, createBundle, createBundleKernels } from "../../../src/map/dual/bundle.js";
import { anyRecipe } from "../arbitrary.js";
import type { Recipe } from "../problems.js";
import { evaluate, pairOf, type Scene, scene, setMultipliers } from "../scene.js";

interface BundleScene extends Scene {
  readonly bundle: Bundle;
  readonly bundleKernels: ReturnType<typeof createBundleKernels>;
}

const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const tau = fc.constantFrom(2 ** -6, 0.25, 2);
const CLOSE = 1e-9;

/** A bundle opened at random multipliers, with planes from some passes of the ascent. */
function opened(recipe: Recipe, seed: number, tau: number, passes: number, capacity = 4): BundleScene {
  const here = scene(recipe, seed);
  const { graph, state, kernels, pairs } = here;
  const bundle = createBundle(graph, capacity);
  const bundleKernels = createBundleKernels(graph, state, bundle);
  evaluate(here);
  for (let p = 0; p < pairs; p++) {
    kernels.keep(p);
    bundleKernels.begin(p);
  }
  for (let p = 0; p < pairs; p++) bundleKernels.stand(p, tau);
  for (let pass = 0; pass < passes; pass++) {
    for (let p = 0; p < pairs; p++) {
      kernels.price(p);
      kernels.assign(p);
      bundleKernels.refine(p, tau);
    }
    for (let p = 0; p < pairs; p++) bundleKernels.refineKept(p, tau);
  }
  return { ...here, bundle, bundleKernels };
}

function model({ bundle, bundleKernels, pairs }: BundleScene): number {
  let sum = 0;
  for (let p = 0; p < pairs; p++) {
    bundleKernels.measure(p);
    sum += bundle.model[p];
  }
  return sum;
}

/** A + (X − Y) · centre + τ/2 ‖X − Y‖², which the passes bring down: the dual of the proximal problem. */
function proximal({ bundle, state }: BundleScene, tau: number): number {
  let value = bundle.constant.reduce((sum, a) => sum + a, 0);
  bundle.taken.forEach((x, e) => {
    const s = x - bundle.passed[e];
    value += s * state.kept[e] + (tau / 2) * s * s;
  });
  return value;
}

describe("the bundle's model", () => {
  test("meets L where it is opened", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = opened(recipe, seed, 1, 0);
        for (let p = 0; p < here.pairs; p++) here.kernels.restore(p);
        expect(model(here)).toBeCloseTo(evaluate(here), 9);
      }),
      { numRuns: 100 },
    );
  });

  test("is nowhere below L, whatever combination of planes it stands at", () => {
    fc.assert(
      fc.property(anyRecipe, seed, tau, fc.integer({ min: 0, max: 5 }), (recipe, seed, tau, passes) => {
        const here = opened(recipe, seed, tau, passes);
        for (let other = 1; other <= 4; other++) {
          const value = model(here);
          expect(value).toBeGreaterThanOrEqual(evaluate(here) - CLOSE);
          setMultipliers(here, seed + other);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("every plane kept is the Lagrangian of an assignment: nowhere below its pair's part of L", () => {
    fc.assert(
      fc.property(anyRecipe, seed, tau, (recipe, seed, tau) => {
        const here = opened(recipe, seed, tau, 3);
        const { state, bundle, pairs } = here;
        for (let other = 1; other <= 3; other++) {
          setMultipliers(here, seed + other);
          evaluate(here);
          for (let p = 0; p < pairs; p++) {
            for (let m = 0; m < bundle.capacity; m++) {
              if (bundle.planeStamp[m * pairs + p] === 0) continue;
              expect(planeAt(here, p, m)).toBeGreaterThanOrEqual(state.pairValue[p] - CLOSE);
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("refine and refineKept", () => {
  test("stay at v = centre + τ (X − Y)", () => {
    fc.assert(
      fc.property(anyRecipe, seed, tau, fc.integer({ min: 0, max: 5 }), (recipe, seed, tau, passes) => {
        const { state, bundle } = opened(recipe, seed, tau, passes);
        state.v.forEach((value, e) => {
          expect(Math.abs(value - state.kept[e] - tau * (bundle.taken[e] - bundle.passed[e]))).toBeLessThan(CLOSE);
        });
      }),
      { numRuns: 100 },
    );
  });

  test("never raise the proximal dual, and stop at its least along the step", () => {
    fc.assert(
      fc.property(anyRecipe, seed, tau, fc.boolean(), (recipe, seed, tau, kept) => {
        const here = opened(recipe, seed, tau, 2);
        const { state, kernels, bundle, bundleKernels, pairs } = here;
        for (let p = 0; p < pairs; p++) {
          const before = proximal(here, tau);
          const from = snapshot(bundle);
          if (kept) bundleKernels.refineKept(p, tau);
          else {
            kernels.price(p);
            kernels.assign(p);
            bundleKernels.refine(p, tau);
          }
          const after = proximal(here, tau);
          expect(after).toBeLessThanOrEqual(before + CLOSE);
          // A little less and, unless it is a full step, a little more of the same step is no better.
          const to = snapshot(bundle);
          for (const extra of [-0.1, 0.1]) {
            from.forEach((values, k) => {
              values.forEach((value, n) => {
                target(bundle, k)[n] = to[k][n] + extra * (to[k][n] - value);
              });
            });
            if (extra < 0 || !isPlane(here, p, to)) expect(proximal(here, tau)).toBeGreaterThanOrEqual(after - CLOSE);
          }
          to.forEach((values, k) => {
            target(bundle, k).set(values);
          });
          state.v.forEach((_, e) => {
            state.v[e] = state.kept[e] + tau * (bundle.taken[e] - bundle.passed[e]);
          });
        }
      }),
      { numRuns: 100 },
    );
  });

  test("keep X and Y convex combinations: one edge a row, one successor a column", () => {
    fc.assert(
      fc.property(anyRecipe, seed, tau, (recipe, seed, tau) => {
        const { graph, bundle } = opened(recipe, seed, tau, 4);
        const { frames, frameStart, tail, edges } = graph;
        for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) {
          const out = Array.from({ length: edges }, (_, e) => e).filter((e) => tail[e] === d);
          for (const values of [bundle.taken, bundle.passed]) {
            expect(out.reduce((sum, e) => sum + values[e], 0)).toBeCloseTo(1, 9);
            for (const e of out) expect(values[e]).toBeGreaterThanOrEqual(-CLOSE);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test("move along the edges that have a weight or lie on the plane to the bits of a move along all", () => {
    let fewer = 0;
    fc.assert(
      fc.property(anyRecipe, seed, tau, fc.integer({ min: 0, max: 5 }), (recipe, seed, tau, passes) => {
        const here = opened(recipe, seed, tau, passes);
        const { graph, state, bundle, bundleKernels, pairs } = here;
        for (let p = 0; p < pairs; p++) {
          for (const [weight, at, size] of [
            [bundle.taken, bundle.takenAt, bundle.takenSize],
            [bundle.passed, bundle.passedAt, bundle.passedSize],
          ] as const) {
            const all = Array.from(
              { length: graph.birthStart[p] - graph.edgeStart[p] },
              (_, k) => graph.edgeStart[p] + k,
            );
            const support = Array.from(at.subarray(graph.edgeStart[p], graph.edgeStart[p] + size[p]));
            expect(support).toEqual(all.filter((e) => weight[e] !== 0));
            if (support.length < all.length) fewer++;
          }
          const expected = slowlyRefined(here, p, tau);
          bundleKernels.refineKept(p, tau);
          for (const [name, values] of Object.entries({ v: state.v, taken: bundle.taken, passed: bundle.passed }))
            expect(values, name).toEqual(expected[name as keyof typeof expected]);
        }
      }),
      { numRuns: 150 },
    );
    expect(fewer).toBeGreaterThan(100);
  });

  test("the slot least recently used makes way, the others stay", () => {
    const here = opened({ seed: 5, counts: [4, 4, 4] }, 5, 0.25, 12, 3);
    const { bundle, bundleKernels, pairs } = here;
    for (let p = 0; p < pairs; p++) {
      const before = Array.from({ length: 3 }, (_, m) => bundle.planeStamp[m * pairs + p]);
      bundleKernels.collect(p);
      const oldest = before.indexOf(Math.min(...before));
      for (let m = 0; m < 3; m++) {
        const stamp = bundle.planeStamp[m * pairs + p];
        if (m === oldest) expect(stamp).toBeGreaterThan(Math.max(...before));
        else expect(stamp).toBe(before[m]);
      }
    }
  });

  test("a plane that the point moves towards is used: it makes way last", () => {
    let moved = 0;
    for (let seed = 0; seed < 20; seed++) {
      const here = opened({ seed, counts: [4, 4, 4, 4] }, seed, 0.25, 6);
      const { bundle, bundleKernels, pairs } = here;
      for (let p = 0; p < pairs; p++) {
        const stamps = () => Array.from({ length: bundle.capacity }, (_, m) => bundle.planeStamp[m * pairs + p]);
        const [before, constant] = [stamps(), bundle.constant[p]];
        bundleKernels.refineKept(p, 0.25);
        const changed = stamps().filter((stamp, m) => stamp !== before[m]);
        if (bundle.constant[p] === constant) continue;
        moved++;
        expect(changed).toEqual([Math.max(...before) + 1]);
      }
    }
    expect(moved).toBeGreaterThan(10);
  });
});

/** Plane m of pair p at the present multipliers, from the edges and successors it stores. */
function planeAt({ graph, state, bundle }: BundleScene, p: number, m: number): number {
  const { frames, frameStart } = graph;
  const detections = frameStart[frames];
  let value = bundle.planeConstant[m * (frames - 1) + p];
  for (let i = frameStart[p]; i < frameStart[p + 1] && p > 0; i++) {
    value += state.v[bundle.planeEdge[m * detections + i]];
  }
  for (let j = frameStart[p + 1]; j < frameStart[p + 2] && p + 2 < frames; j++) {
    value -= state.v[bundle.planeSuccessor[m * detections + j]];
  }
  return value;
}

/** v, X and Y after a step towards the least plane kept, with sums over all edges of the pair and of the next one. */
function slowlyRefined({ graph, state, bundle, pairs }: BundleScene, p: number, tau: number) {
  const { frames, frameStart, edgeStart, birthStart } = graph;
  const detections = frameStart[frames];
  const [v, taken, passed] = [state.v, bundle.taken, bundle.passed].map((values) => values.slice());
  let [slot, least] = [-1, Number.POSITIVE_INFINITY];
  for (let m = 0; m < bundle.capacity; m++) {
    if (bundle.planeStamp[m * pairs + p] === 0) continue;
    const value = planeAt({ graph, state, bundle } as BundleScene, p, m);
    if (value < least) [slot, least] = [m, value];
  }
  let [present, distance] = [bundle.constant[p], 0];
  const moves: (() => void)[] = [];
  let gamma = 0;
  const side = (weight: Float64Array, plane: Int32Array, pair: number, sign: 1 | -1): void => {
    const edges = plane.subarray(slot * detections + frameStart[pair], slot * detections + frameStart[pair + 1]);
    for (let e = edgeStart[pair]; e < birthStart[pair]; e++) {
      const count = edges.includes(e) ? 1 : 0;
      present += sign * (weight[e] * v[e]);
      distance += (count - weight[e]) ** 2;
      moves.push(() => {
        const d = gamma * (count - weight[e]);
        weight[e] += d;
        v[e] += sign * tau * d;
      });
    }
  };
  if (p > 0) side(taken, bundle.planeEdge, p, 1);
  if (p + 1 < pairs) side(passed, bundle.planeSuccessor, p + 1, -1);
  gamma = distance > 0 ? Math.min(1, Math.max(0, (present - least) / (tau * distance))) : 0;
  if (gamma > 0) for (const move of moves) move();
  return { v, taken, passed };
}

function target(bundle: Bundle, k: number): Float64Array {
  return [bundle.constant, bundle.taken, bundle.passed][k];
}

function snapshot(bundle: Bundle): Float64Array[] {
  return [0, 1, 2].map((k) => Float64Array.from(target(bundle, k)));
}

/** Whether the pair's combination is a single plane, so that no step can go further. */
function isPlane({ graph }: BundleScene, p: number, [, taken, passed]: Float64Array[]): boolean {
  const whole = (value: number) => Math.abs(value - Math.round(value)) < CLOSE;
  for (let e = 0; e < graph.edges; e++) {
    const pair = pairOf(graph, e);
    if ((pair === p && !whole(taken[e])) || (pair === p + 1 && !whole(passed[e]))) return false;
  }
  return true;
}
