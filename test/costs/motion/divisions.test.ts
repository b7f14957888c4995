import { describe, expect, test } from "vitest";
import { joinFrames } from "../../../src/core/detections.js";
import { randomStreams } from "../../../src/core/random.js";
import { findDivisions } from "../../../src/costs/motion/divisions.js";
import { follow } from "../../../src/costs/motion/follow.js";
import { evenly } from "../../../src/costs/motion/matrix.js";
import type { MotionModel } from "../../../src/costs/motion/model.js";
import { constantOdds, withDivisions } from "../../../src/costs/motion/odds.js";

const FRAMES = 12;
const APART = 4;

const model: MotionModel = {
  drift: [0, 0],
  velocityWeight: 0,
  prior: [{ tail: 4, xx: 0.25, xy: 0, yy: 0.25 }],
  step: [[{ tail: 4, xx: 0.25, xy: 0, yy: 0.25 }]],
  persistence: [[evenly(0)]],
  births: 1e-4,
  ends: 0.01,
  missed: 0,
  clutter: 1e-6,
};

/**
 * Forty targets that hardly move, of which every second one divides after its sixth frame: `beside` its mother, or with the second one as far off as any
 * newcomer is. The track of the first daughter is her mother's, unless `divided`.
 */
function colony(beside: boolean, divided = false) {
  const random = randomStreams(5).next().value;
  const frames = Array.from(
    { length: FRAMES },
    () => [] as { x: number; y: number; vx: number; vy: number; target: number }[],
  );
  for (let n = 0; n < 40; n++) {
    let [x, y] = [30 * (n % 8), 30 * Math.floor(n / 8)];
    const other = { x: x + (beside ? 0 : 11 + 3 * random.normal()), y: y + (beside ? 0 : 11 + 3 * random.normal()) };
    const angle = random.uniform(0, 2 * Math.PI);
    for (let p = 0; p < FRAMES; p++) {
      const isAfter = n % 2 === 0 && p >= 6;
      const [dx, dy] = isAfter && beside ? [APART * Math.cos(angle), APART * Math.sin(angle)] : [0, 0];
      const name = divided && isAfter ? 100 + n : n;
      x += 0.3 * random.normal();
      y += 0.3 * random.normal();
      frames[p].push({ x: x + dx, y: y + dy, vx: 0, vy: 0, target: name });
      if (isAfter) frames[p].push({ x: other.x - dx, y: other.y - dy, vx: 0, vy: 0, target: 200 + n });
    }
  }
  const detections = { ...joinFrames(frames, 1), vx: null, vy: null };
  const track = Int32Array.from(detections.target ?? []);
  return { detections, track, first: detections.frameStart[6] };
}

describe("divisions", () => {
  test.each([false, true])(
    "are found where two lie on either side of a third: each of them (divided before: %s)",
    (divided) => {
      const { detections, track, first } = colony(true, divided);
      const { all, law } = findDivisions(detections, follow(detections, track), model);
      expect(all).toHaveLength(20);
      for (const { mother, daughters } of all) {
        expect(mother).toBeLessThan(first);
        const n = track[mother];
        expect(daughters.map((d) => track[d] % 100)).toEqual([n, n]);
        expect(Math.min(...daughters)).toBeGreaterThanOrEqual(first);
      }
      expect(law?.evidence).toBeGreaterThan(10);
    },
  );

  test("cost what they are worth as an end and two starts, which make no start dearer and change nothing elsewhere", () => {
    const { detections, track } = colony(true, true);
    const divisions = findDivisions(detections, follow(detections, track), model);
    const before = constantOdds(model, detections.x.length);
    const cheap = divisions.all[0].daughters[0];
    before.birth[cheap] = 0.5;
    const odds = withDivisions(before, divisions);
    const among = new Set<number>();
    for (const { mother, daughters, cost, probability } of divisions.all) {
      for (const d of [mother, ...daughters]) among.add(d);
      expect(odds.ends[mother]).toBe(Math.min(0.9, probability));
      if (daughters[0] === cheap) continue;
      const births = daughters.reduce((sum, d) => sum + odds.birth[d], 0);
      expect(births - Math.log(odds.ends[mother])).toBeCloseTo(cost, 10);
    }
    expect(odds.birth[cheap]).toBe(0.5);
    for (let d = 0; d < detections.x.length; d++) {
      if (among.has(d)) continue;
      expect([odds.birth[d], odds.ends[d]]).toEqual([before.birth[d], before.ends[d]]);
    }
  });

  test("are found where daughters part by many times a step, and starts are cheap: EM begins twice", () => {
    const { detections, track } = colony(true, true);
    const small = { tail: 4, xx: 0.04, xy: 0, yy: 0.04 };
    const { all, law } = findDivisions(detections, follow(detections, track), {
      ...model,
      prior: [small],
      step: [[small]],
      births: 0.01,
    });
    expect(all).toHaveLength(20);
    expect(law?.apart).toBeCloseTo(APART / Math.SQRT2, 0);
  });

  test("are none where as many start somewhere else", () => {
    const { detections, track } = colony(false);
    expect(findDivisions(detections, follow(detections, track), model).all).toEqual([]);
  });
});
