import { describe, expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/tracks.js";
import type { Detections } from "../../../src/core/detections.js";
import { type RandomStream, randomStreams } from "../../../src/core/random.js";
import { fitDensity } from "../../../src/costs/density/fit-student.js";
import { evenly, type StudentT } from "../../../src/costs/density/student.js";
import { candidateLinks } from "../../../src/costs/motion/candidates.js";
import { firstFit } from "../../../src/costs/motion/first-fit.js";
import { fitTracks } from "../../../src/costs/motion/fit.js";
import { binomialTail, estimateGaps, GAPS_NOT_SOUGHT } from "../../../src/costs/motion/gaps.js";
import type { TrackCosts } from "../../../src/costs/motion/links.js";
import type { MotionModel } from "../../../src/costs/motion/model.js";
import { priceMotion } from "../../../src/costs/motion/price-motion.js";
import { localShares, squaresOf } from "../../../src/costs/places/shares.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { firstPass, motionFields } from "../../../src/run/motion-passes.js";
import { scene } from "../scenes.js";

const blind = (detections: Detections): Detections => ({ ...detections, vx: null, vy: null });

test("jitter too small for its squares leaves targets that stand, not a density of NaN", () => {
  const [frames, targets] = [12, 4];
  const count = frames * targets;
  const [random] = randomStreams(3);
  const standing: Detections = {
    frames,
    frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets),
    x: Float64Array.from({ length: count }, () => 1e-200 * random.uniform(1, 10)),
    y: Float64Array.from({ length: count }, (_, d) => 10 * (d % targets)),
    vx: null,
    vy: null,
    target: null,
    timeStep: 1,
  };
  const { prior, step } = firstFit(standing).model;
  for (const density of [...prior, ...step.flat()]) expect(density.xx * density.yy).toBeGreaterThan(0);
});

/** −ln of the density, written out. */
function minusLog({ tail, xx, xy, yy, wide }: StudentT, x: number, y: number): number {
  const determinant = xx * yy - xy * xy;
  const q = (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant;
  const part = (k: number) =>
    (1 + q / k ** 2 / tail) ** (-(tail + 2) / 2) / (2 * Math.PI * Math.sqrt(determinant) * k ** 2);
  const { share, times } = wide ?? { share: 0, times: 1 };
  return -Math.log((1 - share) * part(1) + share * part(times));
}

const model: MotionModel = {
  drift: [0.5, -0.2],
  velocityWeight: 0,
  prior: [{ tail: 2, xx: 1.5, xy: 0.4, yy: 0.8 }],
  step: [[{ tail: 1.4, xx: 0.2, xy: -0.05, yy: 0.3 }]],
  persistence: [[{ xx: 0.8, xy: -0.1, yy: 0.6 }]],
  births: 0.01,
  ends: 0.04,
  missed: 0,
  clutter: 0.001,
};

/** The same with targets that stand most of the time. */
const twoScales: MotionModel = {
  ...model,
  prior: [{ tail: 2, xx: 0.3, xy: 0.1, yy: 0.2, wide: { share: 0.4, times: 4 } }],
  step: [[{ tail: 2, xx: 0.02, xy: -0.005, yy: 0.03, wide: { share: 0.3, times: 9 } }]],
};

/** Costs of starts and ends that are the same everywhere, null for none. */
function costsOf({ x }: Detections, m: MotionModel, ends: readonly [birth: number, death: number] | null): TrackCosts {
  const all = (value: number) => new Float64Array(x.length).fill(value);
  const goOn = m.prior.map((_, n) =>
    all(-(n + 1) * Math.log(1 - m.ends) - (n > 0 ? n * Math.log(m.missed) : 0) - Math.log(1 - m.missed)),
  );
  const maxBirthCost = ends === null ? Number.NEGATIVE_INFINITY : ends[0];
  return { ends: ends && { birth: all(ends[0]), death: all(ends[1]) }, maxBirthCost, goOn, single: all(0) };
}

/** Prices all links up to the model's spans that are within `reach`. */
function priced(detections: Detections, m: MotionModel, costs: TrackCosts, reach: Float64Array | null = null) {
  const spans = m.prior.map((_, n) => n + 1);
  const { links, triplets, birthDeath, origin } = priceMotion(
    detections,
    m,
    costs,
    candidateLinks(detections, m, costs, spans, { reach }),
  );
  if (triplets?.kind !== "csr") throw new Error("triplets are stored");
  return { links, triplets, birthDeath, origin };
}

/** Every link and continuation, with nothing dropped; the formulas of the mathematics page once more. */
function unpruned(
  { frames, frameStart, x, y }: Detections,
  m: MotionModel,
  birth: number,
  death: number,
): PricedProblem {
  const tail: number[] = [];
  const head: number[] = [];
  for (let p = 0; p + 1 < frames; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        tail.push(i);
        head.push(j);
      }
    }
  }
  const z = tail.map((i, e) => [x[head[e]] - x[i] - m.drift[0], y[head[e]] - y[i] - m.drift[1]]);
  const prior = z.map(([zx, zy]) => minusLog(m.prior[0], zx, zy));
  const rowStart = [0];
  const successor: number[] = [];
  const cost: number[] = [];
  for (let e = 0; e < tail.length; e++) {
    for (let f = 0; f < tail.length; f++) {
      if (tail[f] !== head[e]) continue;
      const { xx, xy, yy } = m.persistence[0][0];
      const [hx, hy] = z[e];
      successor.push(f);
      cost.push(minusLog(m.step[0][0], z[f][0] - xx * hx - xy * hy, z[f][1] - xy * hx - yy * hy) - prior[f]);
    }
    rowStart.push(successor.length);
  }
  return {
    links: {
      frameStart,
      tail: Int32Array.from(tail),
      head: Int32Array.from(head),
      cost: Float64Array.from(prior, (c) => c - Math.log(1 - m.ends)),
    },
    triplets: {
      kind: "csr",
      rowStart: Uint32Array.from(rowStart),
      successor: Uint32Array.from(successor),
      cost: Float64Array.from(cost),
    },
    birthDeath: { birth: new Float64Array(x.length).fill(birth), death: new Float64Array(x.length).fill(death) },
  };
}

function scattered(random: RandomStream, counts: readonly number[]): Detections {
  return blind(
    scene(counts.map((n) => Array.from({ length: n }, () => [random.uniform(0, 6), random.uniform(0, 6), 0, 0]))),
  );
}

describe("costs of a track", () => {
  test.each([model, twoScales])(
    "are the likelihood of the whole chain: the prior once, then each step given the one before (%#)",
    (model) => {
      const rows = [
        [0, 0],
        [1, 0.3],
        [1.8, 0],
        [3.1, -0.4],
        [3.2, -0.1],
      ];
      const detections = blind(scene(rows.map(([x, y]) => [[x, y, 0, 0]])));
      const { links, triplets } = priced(detections, model, costsOf(detections, model, null));
      let sum = links.cost.reduce((a, b) => a + b, 0);
      for (let e = 0; e + 1 < rows.length - 1; e++) {
        expect(Array.from(triplets.successor.subarray(triplets.rowStart[e], triplets.rowStart[e + 1]))).toEqual([
          e + 1,
        ]);
        sum += triplets.cost[triplets.rowStart[e]];
      }
      const z = rows.slice(1).map(([x, y], n) => [x - rows[n][0] - 0.5, y - rows[n][1] + 0.2]);
      let expected = minusLog(model.prior[0], z[0][0], z[0][1]) - 4 * Math.log(1 - model.ends);
      for (let n = 1; n < z.length; n++) {
        const [hx, hy] = z[n - 1];
        expected += minusLog(model.step[0][0], z[n][0] - 0.8 * hx + 0.1 * hy, z[n][1] + 0.1 * hx - 0.6 * hy);
      }
      expect(sum).toBeCloseTo(expected, 10);
    },
  );

  test.each([model, twoScales])("what is dropped leaves the optimum as it is (%#)", (model) => {
    const random = randomStreams(3).next().value;
    let dropped = 0;
    for (let n = 0; n < 30; n++) {
      const detections = scattered(random, [3, 2, 3, 3]);
      const [birth, death] = [random.uniform(0, 5), random.uniform(0, 4)];
      const all = unpruned(detections, model, birth, death);
      const { links, triplets } = priced(detections, model, costsOf(detections, model, [birth, death]));
      dropped += (all.triplets?.kind === "csr" ? all.triplets.cost.length : 0) - triplets.cost.length;
      const kept = bruteForce({ links, triplets, birthDeath: all.birthDeath });
      expect(kept?.cost).toBeCloseTo(bruteForce(all)?.cost ?? Number.NaN, 9);
    }
    // The comparison means something only where much is dropped.
    expect(dropped).toBeGreaterThan(500);
  });

  test("a gate that is stated holds, and nothing is dropped where tracks may not end", () => {
    const detections = scattered(randomStreams(4).next().value, [3, 3, 3]);
    const costs = costsOf(detections, model, null);
    expect(priced(detections, model, costs).triplets.cost.length).toBe(27);
    const reach = new Float64Array(9).fill(2);
    const { links } = priced(detections, model, costs, reach);
    expect(links.tail.length).toBeLessThan(18);
    links.tail.forEach((i, e) => {
      const j = links.head[e];
      expect(Math.hypot(detections.x[j] - detections.x[i], detections.y[j] - detections.y[i])).toBeLessThan(2);
    });
  });
});

describe("links over missed detections", () => {
  const gappy: MotionModel = {
    ...model,
    missed: 0.1,
    prior: [1, 2, 3].map((span) => ({ tail: 2, xx: 1.5 * span, xy: 0.4, yy: 0.8 * span })),
    step: [1, 2, 3].map((a) =>
      [1, 2, 3].map((b) => ({
        tail: 2,
        xx: 0.2 * b,
        xy: -0.05,
        yy: 0.3 + 0.1 * a,
        wide: a === b ? { share: 0.3, times: 3 * a } : undefined,
      })),
    ),
    persistence: [1, 2, 3].map((a) =>
      [1, 2, 3].map((b) => ({ xx: (0.8 * b) / a + 0.05, xy: 0.1 * b, yy: (0.6 * b) / a })),
    ),
  };

  /** The least cost of all sets of tracks over at most nine detections, by trying each; a track may skip up to two frames. */
  function leastCost(detections: Detections, costs: TrackCosts): number {
    const { frames, frameStart, x, y } = detections;
    const frame = Array.from(x, (_, d) => {
      let p = 0;
      while (frameStart[p + 1] <= d) p++;
      return p;
    });
    const ends = costs.ends;
    if (ends === null) throw new Error("tracks may end here");
    const z = (i: number, j: number) => {
      const span = frame[j] - frame[i];
      return [x[j] - x[i] - span * gappy.drift[0], y[j] - y[i] - span * gappy.drift[1], span] as const;
    };
    let best = Number.POSITIVE_INFINITY;
    const visit = (d: number, last: number[], before: (number | null)[], sum: number): void => {
      if (d === x.length) {
        // A track of one has no half of what a single saves to give back.
        const dying = last.reduce((total, i, t) => {
          const end = frame[i] < frames - 1 ? ends.death[i] : 0;
          return total + end + (before[t] === null ? 0 : costs.single[i] / 2);
        }, 0);
        best = Math.min(best, sum + dying);
        return;
      }
      visit(d + 1, [...last, d], [...before, null], sum + (frame[d] > 0 ? ends.birth[d] : 0));
      last.forEach((i, t) => {
        const [zx, zy, span] = z(i, d);
        if (span < 1 || span > 3) return;
        let cost = costs.goOn[span - 1][i];
        const h = before[t];
        if (h === null) cost += minusLog(gappy.prior[span - 1], zx, zy) + costs.single[i] / 2;
        else {
          const [hx, hy, a] = z(h, i);
          const { xx, xy, yy } = gappy.persistence[a - 1][span - 1];
          cost += minusLog(gappy.step[a - 1][span - 1], zx - xx * hx - xy * hy, zy - xy * hx - yy * hy);
        }
        visit(d + 1, last.with(t, d), before.with(t, i), sum + cost);
      });
    };
    visit(0, [], [], 0);
    return best;
  }

  test("as chains through detections of their own have the optimum of tracks that skip frames", () => {
    const random = randomStreams(12).next().value;
    let skipped = 0;
    for (let n = 0; n < 25; n++) {
      const detections = scattered(random, [2, 1, 1, 2, 1]);
      const costs = costsOf(detections, gappy, [random.uniform(3, 8), random.uniform(3, 7)]);
      // Frames in the middle may hold false detections.
      costs.single.forEach((_, d) => {
        if (d >= detections.frameStart[1] && d < detections.frameStart[4]) costs.single[d] = random.uniform(0, 3);
      });
      const { origin, ...problem } = priced(detections, gappy, costs);
      const found = bruteForce(problem);
      expect(found?.cost).toBeCloseTo(leastCost(detections, costs), 8);
      // Half a chain is never used: what enters a detection between leaves it again.
      origin.forEach((d, at) => {
        if (d >= 0 || !found) return;
        expect(found.next.includes(at)).toBe(found.next[at] >= 0);
        if (found.next[at] >= 0) skipped++;
      });
    }
    expect(skipped).toBeGreaterThan(5);
  });

  /** Targets on noisy straight lines in a wide field, of which `missed` of the detections are left out. */
  function walkers(missed: number) {
    const random = randomStreams(13).next().value;
    const targets = Array.from({ length: 25 }, () => ({
      x: random.uniform(0, 100),
      y: random.uniform(0, 100),
      vx: random.normal(),
      vy: random.normal(),
    }));
    const target: number[] = [];
    const frames = Array.from({ length: 30 }, (_, p) =>
      targets.flatMap(({ x, y, vx, vy }, t) => {
        if (random.uniform(0, 1) < missed) return [];
        target.push(t);
        return [[x + p * vx + 0.05 * random.normal(), y + p * vy + 0.05 * random.normal(), 0, 0]];
      }),
    );
    return { detections: blind(scene(frames)), target: Int32Array.from(target) };
  }

  /** Each target's detections in a row are a track; a missed one ends it. */
  function consecutive({ detections, target }: ReturnType<typeof walkers>): Int32Array {
    const { frames, frameStart } = detections;
    let tracks = 0;
    let before = new Map<number, number>();
    const track = new Int32Array(target.length);
    for (let p = 0; p < frames; p++) {
      const now = new Map<number, number>();
      for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
        track[d] = before.get(target[d]) ?? tracks++;
        now.set(target[d], track[d]);
      }
      before = now;
    }
    return track;
  }

  test("are of one frame, and dear, unless tracks come back more often than by chance", () => {
    const full = walkers(0);
    const whole = estimateGaps(
      full.detections,
      full.target,
      { ...model, drift: [0, 0], persistence: [[evenly(1)]] },
      null,
    );
    expect(whole.gaps).toMatchObject({ spans: 2, seen: false });
    // Half a miss beside 725 links and the 50 detections of the prior.
    expect(whole.gaps.missed).toBeCloseTo(0.5 / (25 * 29 + 50), 12);
    expect(whole.track).toBe(full.target);
    const some = walkers(0.1);
    const seen = estimateGaps(
      some.detections,
      consecutive(some),
      { ...model, drift: [0, 0], persistence: [[evenly(1)]] },
      null,
    );
    expect(seen.gaps.spans).toBeGreaterThanOrEqual(2);
    expect(seen.gaps.seen).toBe(true);
    expect(seen.gaps.missed).toBeGreaterThan(0.05);
    expect(seen.gaps.missed).toBeLessThan(0.2);
    // What is joined is one target.
    const targetOf = new Map<number, number>();
    let mixed = 0;
    seen.track.forEach((t, d) => {
      const known = targetOf.get(t) ?? some.target[d];
      targetOf.set(t, some.target[d]);
      if (known !== some.target[d]) mixed++;
    });
    expect(mixed).toBeLessThan(10);
  });
});

test("the tail of a binomial is the sum of its terms", () => {
  // 8 of 8 at 1/3; 3 of 4 at 1/2: (4 + 1)/16.
  expect(binomialTail(8, 8, 1 / 3)).toBeCloseTo(3 ** -8, 12);
  expect(binomialTail(4, 3, 0.5)).toBeCloseTo(5 / 16, 12);
  expect(binomialTail(30, 0, 0.2)).toBeCloseTo(1, 12);
  expect(binomialTail(0, 0, 0.2)).toBe(1);
});

describe("estimates", () => {
  /** Targets at random places that all move by the drift and a little of their own; the same number in every frame. */
  function belt(random: RandomStream, drift: readonly [number, number], spread: number) {
    const targets = Array.from({ length: 40 }, () => ({
      x: random.uniform(0, 60),
      y: random.uniform(0, 60),
      vx: drift[0] + spread * random.normal(),
      vy: drift[1] + spread * random.normal(),
    }));
    return blind(
      scene(Array.from({ length: 12 }, (_, p) => targets.map(({ x, y, vx, vy }) => [x + p * vx, y + p * vy, 0, 0]))),
    );
  }

  test("a drift longer than the spacing is found by votes", () => {
    // The spacing is about 5: mutually nearest pairs see no drift at all.
    const drifting = belt(randomStreams(5).next().value, [17, -9], 0.05);
    const { drift } = firstFit(drifting).model;
    expect(Math.hypot(drift[0] - 17, drift[1] + 9)).toBeLessThan(1);
    const { estimates } = motionFields(firstPass(drifting, { gate: "auto", birthDeath: "auto", maxGap: null }));
    expect(estimates[0]).toMatch(/most pairs of detections share/);
  });

  test("targets that go both ways are followed, although their common drift is 0", () => {
    const random = randomStreams(6).next().value;
    const walkers = Array.from({ length: 60 }, (_, n) => ({
      x: random.uniform(0, 40),
      y: random.uniform(0, 20),
      v: n % 2 === 0 ? 1.5 : -1.5,
    }));
    const frames = Array.from({ length: 15 }, (_, p) =>
      walkers.map(({ x, y, v }) => [x + p * v + 0.03 * random.normal(), y + 0.03 * random.normal(), 0, 0]),
    );
    const detections = blind(scene(frames));
    const track = Int32Array.from({ length: 60 * 15 }, (_, d) => d % 60);
    const first = firstFit(detections).model;
    const { model } = fitTracks(detections, track, first, {
      persistence: false,
      gaps: GAPS_NOT_SOUGHT,
      divisions: "none",
    });
    expect(Math.sqrt(model.step[0][0].xx)).toBeLessThan(0.2);
    expect(Math.sqrt(model.prior[0].xx)).toBeGreaterThan(0.8);
    expect(Math.abs(model.drift[1])).toBeLessThan(0.05);
  });

  test("a few that walk keep their displacement, though noise that reverses is likelier for the many that stand among them", () => {
    const random = randomStreams(14).next().value;
    const persistenceAmong = (walking: number) => {
      const targets = Array.from({ length: 80 }, (_, n) => {
        const { cos, sin } = random.direction();
        const speed = n < walking ? random.uniform(0.2, 0.6) : 0;
        return { x: random.uniform(0, 12), y: random.uniform(0, 12), vx: speed * cos, vy: speed * sin };
      });
      const detections = blind(
        scene(
          Array.from({ length: 25 }, (_, p) =>
            targets.map(({ x, y, vx, vy }) => [
              x + p * vx + 0.02 * random.normal(),
              y + p * vy + 0.02 * random.normal(),
              0,
              0,
            ]),
          ),
        ),
      );
      const track = Int32Array.from({ length: 80 * 25 }, (_, d) => d % 80);
      const options = { persistence: true, gaps: GAPS_NOT_SOUGHT, divisions: "none" } as const;
      return fitTracks(detections, track, firstFit(detections).model, options).model.persistence[0][0].xx;
    };
    expect(persistenceAmong(10)).toBeGreaterThanOrEqual(0.8);
    // Where none walks, a displacement says nothing about the next one.
    expect(persistenceAmong(0)).toBe(0);
  });

  test("rounded positions are no exact ones: equal steps of whole pixels stay as wide as the rounding", () => {
    const random = randomStreams(12).next().value;
    const walkers = Array.from({ length: 50 }, (_, n) => {
      const angle = random.uniform(0, 6.283);
      const speed = n % 2 === 0 ? 0 : 7;
      return {
        x: random.uniform(0, 200),
        y: random.uniform(0, 200),
        vx: speed * Math.cos(angle),
        vy: speed * Math.sin(angle),
      };
    });
    const frames = (round: (value: number) => number) =>
      blind(
        scene(
          Array.from({ length: 15 }, (_, p) =>
            walkers.map(({ x, y, vx, vy }) => [round(x + p * vx), round(y + p * vy), 0, 0]),
          ),
        ),
      );
    const track = Int32Array.from({ length: 50 * 15 }, (_, d) => d % 50);
    const narrowest = (detections: Detections) => {
      const first = firstFit(detections).model;
      const { prior, step } = fitTracks(detections, track, first, {
        persistence: true,
        gaps: GAPS_NOT_SOUGHT,
        divisions: "none",
      }).model;
      return [prior[0], step[0][0]].map(({ xx, yy }) => Math.sqrt(Math.min(xx, yy)));
    };
    for (const pixel of [1, 3]) {
      const detections = frames((value) => pixel * Math.round(value / pixel));
      for (const scale of narrowest(detections)) expect(scale).toBeGreaterThan(0.28 * pixel);
      // Steps that do not change tell of the rounding, also where no coordinates are equal any more.
      const { x, y } = detections;
      const turned = {
        ...detections,
        x: x.map((v, d) => Math.cos(0.5) * v - Math.sin(0.5) * y[d]),
        y: x.map((v, d) => Math.sin(0.5) * v + Math.cos(0.5) * y[d]),
      };
      for (const scale of narrowest(turned)) expect(scale).toBeGreaterThan(0.28 * pixel);
    }
  });

  test("follow units and places: lengths scale, costs move by a constant, and the same is dropped", () => {
    const detections = belt(randomStreams(8).next().value, [1, 0.5], 0.2);
    const far = {
      ...detections,
      x: detections.x.map((x) => 1024 * x + 4096),
      y: detections.y.map((y) => 1024 * y - 512),
    };
    const passes = [detections, far].map((d) => firstPass(d, { gate: "auto", birthDeath: "auto", maxGap: null }));
    const [prior, farPrior] = passes.map(({ fit }) => fit.model.prior[0]);
    expect(farPrior.xx).toBeCloseTo(1024 ** 2 * prior.xx, -3);
    const [one, other] = passes.map(({ priced }) => priced);
    expect(Array.from(other.links.head)).toEqual(Array.from(one.links.head));
    const shift = 2 * Math.log(1024);
    expect(other.links.cost[0] - one.links.cost[0]).toBeCloseTo(shift, 6);
    expect((other.birthDeath?.birth[0] ?? 0) - (one.birthDeath?.birth[0] ?? 0)).toBeCloseTo(shift, 6);
    const triplets = [one, other].map(({ triplets: t }) => (t?.kind === "csr" ? Array.from(t.cost) : []));
    triplets[1].forEach((cost, t) => {
      expect(cost).toBeCloseTo(triplets[0][t], 6);
    });
  });

  test("steps over spans that no track shows are as wide as the targets' own", () => {
    // White noise of the acceleration, in 16 steps a frame.
    const [targets, frames, fine] = [2000, 9, 16];
    const random = randomStreams(5).next().value;
    const paths = Array.from({ length: targets }, () => {
      let [x, y] = [random.uniform(0, 1000), random.uniform(0, 1000)];
      let [vx, vy] = [random.normal(), random.normal()];
      return Array.from({ length: frames * fine }, () => {
        [vx, vy] = [vx + random.normal() / Math.sqrt(fine), vy + random.normal() / Math.sqrt(fine)];
        [x, y] = [x + vx / fine, y + vy / fine];
        return [x, y, 0, 0] as const;
      });
    });
    const seen = Array.from({ length: 3 }, (_, p) => paths.map((path) => path[p * fine]));
    const track = Int32Array.from({ length: 3 * targets }, (_, d) => d % targets);
    const { step } = fitTracks(
      blind(scene(seen)),
      track,
      { ...model, drift: [0, 0] },
      { persistence: false, gaps: { ...GAPS_NOT_SOUGHT, spans: 3, missed: 0.1 }, divisions: "none" },
    ).model;
    for (const [a, b] of [
      [1, 2],
      [1, 3],
      [2, 1],
      [2, 2],
      [3, 1],
      [3, 3],
    ]) {
      const left = [0, 1].map((axis) =>
        paths.map((path) => {
          const [p, q, r] = [0, a, a + b].map((frame) => path[frame * fine][axis]);
          return r - q - ((q - p) * b) / a;
        }),
      );
      const { density } = fitDensity([left[0], left[1]], [1e-6, 1e-6]);
      const ratio = Math.sqrt(step[a - 1][b - 1].xx / density.xx);
      expect(ratio, `over ${a} and ${b} frames`).toBeGreaterThan(0.9);
      expect(ratio, `over ${a} and ${b} frames`).toBeLessThan(1.1);
    }
  });

  test("too few links to learn from change nothing", () => {
    const detections = blind(scene([[[0, 0, 0, 0]], [[1, 0, 0, 0]], [[2, 0, 0, 0]]]));
    const before = firstFit(detections).model;
    expect(
      fitTracks(detections, Int32Array.of(0, 0, 0), before, {
        persistence: true,
        gaps: GAPS_NOT_SOUGHT,
        divisions: "none",
      }).model,
    ).toBe(before);
  });
});

describe("where tracks start", () => {
  const field = { x: 0, y: 0, width: 64, height: 64 };
  /** Tracks of eight detections that walk in from the left, or jump about so that their place says nothing. */
  function walks(random: RandomStream, fromLeft: boolean) {
    const track: number[] = [];
    const x: number[] = [];
    const y: number[] = [];
    const first: number[] = [];
    for (let t = 0; t < 200; t++) {
      const begin = random.uniform(0, 4);
      const height = random.uniform(0, 64);
      for (let n = 0; n < 8; n++) {
        track.push(t);
        x.push(fromLeft ? begin + 4 * n : random.uniform(0, 64));
        y.push(fromLeft ? height : random.uniform(0, 64));
        first.push(n === 0 ? 1 : 0);
      }
    }
    const detections = {
      ...blind(scene([[[0, 0, 0, 0]]])),
      x: Float64Array.from(x),
      y: Float64Array.from(y),
    };
    return localShares(
      squaresOf(detections, field),
      Int32Array.from(track),
      Uint8Array.from(first),
      new Uint8Array(x.length).fill(1),
    );
  }

  test("is told by the place if the data say so", () => {
    const { share, strength } = walks(randomStreams(9).next().value, true);
    expect(strength).toBeLessThan(Number.POSITIVE_INFINITY);
    const mean = (n: number) => share.filter((_, d) => d % 8 === n).reduce((a, b) => a + b, 0) / 200;
    expect(mean(0)).toBeGreaterThan(0.5);
    expect(mean(4)).toBeLessThan(0.05);
  });

  test("is the same everywhere if they do not", () => {
    const { share } = walks(randomStreams(10).next().value, false);
    expect(Math.max(...share) / Math.min(...share)).toBeLessThan(2.5);
  });
});
