import { describe, expect, test } from "vitest";
import type { Detections } from "../../../src/core/detections.js";
import { randomStreams } from "../../../src/core/random.js";
import { bindStudentT, minusLogDensity, roundStudentT } from "../../../src/costs/density/student.js";
import { candidateLinks, NEAREST } from "../../../src/costs/motion/candidates.js";
import { countOf } from "../../../src/costs/motion/continuations.js";
import { leastCosts, leastCostsOf, neededContinuations } from "../../../src/costs/motion/least-costs.js";
import { linkCosts, mergeLinks, pickLinks, type TrackCosts } from "../../../src/costs/motion/links.js";
import type { MotionModel } from "../../../src/costs/motion/model.js";
import { priceMotion } from "../../../src/costs/motion/price-motion.js";
import { reducedCosts, WORTH_A_TRY } from "../../../src/costs/motion/reduced-costs.js";
import { scattered } from "./scattered.js";

const FRAMES = 5;
const EACH = 40;

/** Forty detections in each of five frames, anywhere in a square. */
const scene = (seed: number): Detections => scattered(FRAMES, EACH, seed);

function modelOf(spans: number): MotionModel {
  const by = Array.from({ length: spans }, (_, n) => n + 1);
  return {
    drift: [0.5, -0.25],
    velocityWeight: 0,
    prior: by.map((a) => ({ tail: 4, xx: a, xy: 0.3 * a, yy: 2 * a })),
    step: by.map((a) => by.map((b) => roundStudentT(2.8, 0.3 * (a + b)))),
    persistence: by.map((a) => by.map((b) => ({ xx: (0.9 * b) / a, xy: 0.2, yy: (0.7 * b) / a }))),
    births: 0.01,
    ends: 0.05,
    missed: spans > 1 ? 0.1 : 0,
    clutter: 0.001,
  };
}

function costsOf(spans: number): TrackCosts {
  const of = (value: number) => new Float64Array(FRAMES * EACH).fill(value);
  return {
    ends: { birth: of(20), death: of(20) },
    maxBirthCost: 20,
    goOn: Array.from({ length: spans }, (_, n) => of(n)),
    single: of(0).map((_, d) => (d % 3 === 0 ? 1.5 : 0)),
  };
}

describe.each([1, 3])("links of up to %i frames", (spans) => {
  const detections = scene(spans);
  const model = modelOf(spans);
  const costs = costsOf(spans);
  const by = Array.from({ length: spans }, (_, n) => n + 1);
  const links = candidateLinks(detections, model, costs, by);

  test("are those of the least −ln prior, in order", () => {
    const { frameStart, x, y } = detections;
    const wanted: string[] = [];
    for (let p = 0; p < FRAMES; p++) {
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
        for (const span of by.filter((span) => p + span < FRAMES)) {
          const [ux, uy] = model.drift.map((u) => span * u);
          const prior = bindStudentT(model.prior[span - 1]);
          const cost = (j: number) => minusLogDensity(prior, x[j] - x[i] - ux, y[j] - y[i] - uy);
          const heads = Array.from({ length: EACH }, (_, n) => frameStart[p + span] + n)
            .sort((one, other) => cost(one) - cost(other))
            .slice(0, NEAREST)
            .sort((one, other) => one - other);
          wanted.push(...heads.map((j) => `${i} ${j} ${span}`));
        }
      }
    }
    expect(Array.from(links.tail, (i, e) => `${i} ${links.head[e]} ${links.span[e]}`)).toEqual(wanted);
  });

  test("have the cheapest continuations of all pairs, as far as these are within their limits", () => {
    const random = randomStreams(7).next().value;
    const count = links.tail.length;
    // Limits of thousands of nats leave the range of exponentials.
    const draw = () =>
      Float64Array.from({ length: count }, () => (random.uniform(0, 1) < 0.5 ? 2 : 2000) * random.normal());
    const limits = { byEarlier: draw(), byLater: draw() };
    const { into, out } = leastCosts(links, links, model, costs, limits);
    const { prior, span, tail, zx, zy } = links;
    const wanted = { into: new Float64Array(count), out: new Float64Array(count) };
    let pairs = 0;
    for (let e = 0; e < count; e++) {
      for (let f = 0; f < count; f++) {
        if (tail[f] !== links.head[e]) continue;
        const { xx, xy, yy } = model.persistence[span[e] - 1][span[f] - 1];
        const step = bindStudentT(model.step[span[e] - 1][span[f] - 1]);
        const [x, y] = [zx[f] - xx * zx[e] - xy * zy[e], zy[f] - xy * zx[e] - yy * zy[e]];
        const cost = minusLogDensity(step, x, y) - prior[f] - costs.single[tail[f]];
        const beyond = cost - limits.byEarlier[e] - limits.byLater[f];
        wanted.out[e] = Math.min(wanted.out[e], beyond);
        wanted.into[f] = Math.min(wanted.into[f], beyond);
        pairs++;
      }
    }
    for (const found of ["into", "out"] as const) {
      const differences = { into, out }[found].map((value, e) => Math.abs(value - wanted[found][e]));
      expect(Math.max(...differences)).toBeLessThan(1e-9);
      expect(wanted[found].filter((value) => value === 0).length).toBeGreaterThan(0.01 * count);
    }
    expect(countOf(links, FRAMES * EACH)).toBe(pairs);
  });

  test("have the same cheapest continuations among those that are left, found from those of all and found anew", () => {
    const random = randomStreams(11).next().value;
    let [all, found] = [links, leastCosts(links, links, model, costs)];
    for (const share of [0.6, 0.95, 0.99]) {
      const places = Uint32Array.from(all.tail.keys()).filter(() => random.uniform(0, 1) < share);
      all = pickLinks(all, places);
      found = leastCostsOf(all, places, found, model, costs);
      const { into, out } = leastCosts(all, all, model, costs);
      expect(found.into).toEqual(into);
      expect(found.out).toEqual(out);
    }
  });

  test("lose in pricing what costs no less than an end and a start, and what is left has that as its cheapest", () => {
    const of = (value: number) => new Float64Array(FRAMES * EACH).fill(value);
    const cheapEnds = { ...costs, ends: { birth: of(2), death: of(3) } };
    const { kept } = priceMotion(detections, model, cheapEnds, links);
    expect(kept.tail.length).toBeLessThan(0.9 * links.tail.length);
    const cost = linkCosts(kept, costs);
    const { into, out } = leastCosts(kept, kept, model, costs);
    // The last of the rounds may leave some that another one would drop.
    const most = 5 + 1e-9;
    const needless = cost.filter((value, e) => value + into[e] + out[e] >= most);
    expect(needless.length).toBeLessThan(0.01 * kept.tail.length);
  });
});

test("reduced costs of links over several frames are those of the formula, pair by pair, as far as they are worth a try", () => {
  const spans = 3;
  const detections = scene(5);
  const { frameStart, x } = detections;
  const [model, costs] = [modelOf(spans), costsOf(spans)];
  const near = candidateLinks(detections, model, costs, [1]);
  const far = candidateLinks(detections, model, costs, [2, 3]);
  const random = randomStreams(9).next().value;
  const draw = (count: number, scale: number) => Float64Array.from({ length: count }, () => scale * random.normal());
  const edges = near.tail.length + 2 * x.length;
  // Insistence on a link puts thousands of nats into multipliers: weights of pairs must not overflow.
  const given = { v: draw(edges, 2000), delta: draw(edges, 2000) };
  const [rowDual, columnDual] = [draw(x.length, 2000), draw(x.length, 2000)];
  const reduced = reducedCosts(detections, near, far, model, costs, { ...given, rowDual, columnDual });
  // What an edge costs beyond the duals is nowhere charged to what follows it, or goes before it.
  const deaths = near.tail.length;
  const births = deaths + frameStart[FRAMES - 1] - frameStart[1];
  const ofNear = linkCosts(near, costs);
  const slack = (e: number): number => {
    const both = given.v[e] + given.delta[e];
    if (e < deaths) return both + ofNear[e] - rowDual[near.tail[e]] - columnDual[near.head[e]];
    return both + 20 - (e < births + frameStart[1] ? rowDual[e - deaths] : columnDual[e - births]);
  };
  const less = (value: number, e: number) => value - Math.max(0, slack(e));
  const [v, delta] = [given.v.map(less), given.delta.map(less)];

  const all = mergeLinks(near, far);
  const nothing = new Float64Array(all.tail.length);
  const continuations = neededContinuations(all, nothing, { into: nothing, out: nothing }, null, model, costs);
  const own = new Map([...all.span.keys()].filter((e) => all.span[e] === 1).map((e, n) => [e, n]));
  const before = new Map<number, number>();
  const after = new Map<number, number>();
  const lower = (least: Map<number, number>, e: number, value: number) =>
    least.set(e, Math.min(value, least.get(e) ?? Number.POSITIVE_INFINITY));
  for (let e = 0; e < all.tail.length; e++) {
    const count = continuations.find(e);
    for (let n = 0; n < count; n++) {
      const [f, cost] = [continuations.follower[n], continuations.cost[n]];
      const [one, other] = [own.get(e), own.get(f)];
      if (one !== undefined && other === undefined) lower(before, f, cost - delta[one]);
      if (one === undefined && other !== undefined) lower(after, e, cost - v[other]);
    }
  }
  const birthOf = (d: number) => near.tail.length + frameStart[FRAMES - 1] + d - frameStart[1];
  const cost = linkCosts(all, costs);
  const wide = [...all.span.keys()].filter((e) => !own.has(e));
  expect(wide.length).toBeGreaterThan(1000);
  let worth = 0;
  wide.forEach((e, n) => {
    const [i, k] = [all.tail[e], all.head[e]];
    const least = (found: number | undefined, other: number) => Math.min(found ?? Number.POSITIVE_INFINITY, other);
    const into = i < frameStart[1] ? 0 : least(before.get(e), -delta[birthOf(i)]);
    const out = k >= frameStart[FRAMES - 1] ? 0 : least(after.get(e), -v[near.tail.length + k]);
    const exact = cost[e] + into + out - rowDual[i] - columnDual[k];
    if (exact < WORTH_A_TRY) {
      worth++;
      expect(reduced[n]).toBeCloseTo(exact, 9);
    } else expect(reduced[n]).toBeGreaterThanOrEqual(WORTH_A_TRY);
  });
  expect(worth).toBeGreaterThan(100);
  expect(worth).toBeLessThan(wide.length - 100);
});
