import { expect, test } from "vitest";
import { type Detections, frameRange } from "../../src/core/detections.js";
import { evenly, roundStudentT } from "../../src/costs/density/student.js";
import { candidateLinks } from "../../src/costs/motion/candidates.js";
import type { TrackCosts } from "../../src/costs/motion/links.js";
import type { MotionModel } from "../../src/costs/motion/model.js";
import { type PricedMotion, priceMotion } from "../../src/costs/motion/price-motion.js";
import { carriedMultipliers } from "../../src/run/carried-multipliers.js";
import { scattered } from "../costs/motion/scattered.js";

const FRAMES = 8;
const EACH = 12;
const WIDEST = 3;

const recording = scattered(FRAMES, EACH, 5);

/** Detections priced by a model of such a scale, with links of up to three frames and so many candidates. */
function priced(detections: Detections, scale: number, nearest: number): PricedMotion {
  const by = Array.from({ length: WIDEST }, (_, n) => n + 1);
  const model: MotionModel = {
    drift: [0.1, 0],
    velocityWeight: 0,
    prior: by.map((a) => roundStudentT(2.8, scale * a)),
    step: by.map((a) => by.map((b) => roundStudentT(2.8, 0.5 * scale * (a + b)))),
    persistence: by.map((a) => by.map((b) => evenly((0.9 * b) / a))),
    births: 0.01,
    ends: 0.05,
    missed: 0.1,
    clutter: 0.001,
  };
  const of = (value: number) => new Float64Array(detections.x.length).fill(value);
  const costs: TrackCosts = {
    ends: { birth: of(8), death: of(8) },
    maxBirthCost: 8,
    goOn: by.map((n) => of(n)),
    single: of(0),
  };
  return priceMotion(detections, model, costs, candidateLinks(detections, model, costs, by, { nearest }));
}

/** What each multiplier of a problem belongs to: the first part of a link, a death, or null where nothing is to be carried over. */
function namesOf({ links, origin, kept }: PricedMotion, first: number): (string | null)[] {
  const { frameStart } = links;
  const last = frameStart[frameStart.length - 2];
  const names: (string | null)[] = [];
  let e = 0;
  for (const tail of links.tail) {
    if (origin[tail] < 0) names.push(null);
    else {
      const link = `${kept.tail[e] + first} to ${kept.head[e] + first}`;
      names.push(kept.span[e++] === 1 && tail >= frameStart[1] ? link : null);
    }
  }
  for (let d = 0; d < last; d++) names.push(d < frameStart[1] || origin[d] < 0 ? null : `end ${origin[d] + first}`);
  for (let d = frameStart[1]; d < origin.length; d++) names.push(null);
  return names;
}

const cases = {
  "the same problem": [priced(recording, 0.5, 24), priced(recording, 0.5, 24), 0],
  "other costs and candidates": [priced(recording, 0.3, 3), priced(recording, 0.6, 24), 0],
  "fewer candidates": [priced(recording, 0.6, 24), priced(recording, 0.3, 2), 0],
  "the whole, after a stretch": [priced(frameRange(recording, 2, 6), 0.5, 5), priced(recording, 0.5, 24), 2 * EACH],
} as const;

test.each(Object.entries(cases))(
  "links of one frame and deaths keep their multipliers, all else has 0: %s",
  (_, given) => {
    const [before, next, first] = given;
    const namesBefore = namesOf(before, first);
    // Those that a problem does not have are marked, so that nothing may come of them.
    const v = Float64Array.from(namesBefore, (name, n) => (name === null ? Number.NaN : n + 1));
    const { frameStart, tail } = before.links;
    for (let e = 0; e < tail.length; e++) if (tail[e] < frameStart[1]) v[e] = 0;
    for (let d = 0; d < frameStart[1]; d++) v[tail.length + d] = 0;
    const known = new Map(namesBefore.map((name, n) => [name, v[n]]));
    const start = carriedMultipliers(next, { problem: before, v, first });
    const wanted = namesOf(next, 0).map((name) => (name === null ? 0 : (known.get(name) ?? 0)));
    expect([...start]).toEqual(wanted);
    expect(wanted.filter((value) => value > 0).length).toBeGreaterThan(50);
    expect(before.kept.span.some((span) => span > 1)).toBe(true);
  },
);

test("without a problem before, all begin at 0", () => {
  const problem = priced(recording, 0.5, 24);
  const start = carriedMultipliers(problem, null);
  expect(start.length).toBe(namesOf(problem, 0).length);
  expect(start.every((value) => value === 0)).toBe(true);
});
