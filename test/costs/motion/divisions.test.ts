import { describe, expect, test } from "vitest";
import { joinFrames } from "../../../src/core/detections.js";
import { randomStreams } from "../../../src/core/random.js";
import { evenly } from "../../../src/costs/density/student.js";
import { bindLaw } from "../../../src/costs/motion/division-law.js";
import { findDivisions, priceDivisions } from "../../../src/costs/motion/divisions.js";
import { follow } from "../../../src/costs/motion/follow.js";
import { linksBy } from "../../../src/costs/motion/links.js";
import type { MotionModel } from "../../../src/costs/motion/model.js";

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

  const law = { rate: 0.02, middle: 0.4, apart: 1.5, evidence: 20 };

  /** The costs of a mother's links to places around her as those of a second daughter. */
  function around(places: readonly (readonly number[])[]) {
    const at = (x: number, y: number) => ({ x, y, vx: 0, vy: 0, target: 0 });
    const frames = [[at(0, 0)], places.map(([x, y]) => at(x, y))];
    const detections = { ...joinFrames(frames, 1), vx: null, vy: null };
    const tail = new Int32Array(places.length);
    const links = linksBy(detections, model, { tail, head: tail.map((_, n) => n + 1) });
    const flat = new Float64Array(places.length + 1);
    const costs = { ends: { birth: flat.map(() => 1e3), death: flat }, maxBirthCost: 1e3, goOn: [flat], single: flat };
    return priceDivisions(detections, links, model, costs, law);
  }

  test("the place of one daughter has a density that is one in all", () => {
    const { one } = bindLaw(law, 2);
    const step = 0.25;
    const line = Array.from({ length: 240 }, (_, n) => (step * (n - 119.5)) ** 2);
    const sum = line.flatMap((x) => line.map((y) => Math.exp(-one(x + y)))).reduce((a, b) => a + b) * step * step;
    // Beyond 30 lies (1 + 30²/4s²)^−2 of the density.
    expect(sum).toBeGreaterThan(0.995);
    expect(sum).toBeLessThan(1);
  });

  test("cost the least where the second daughter is on the other side of the first one, who is at the end of the likeliest other link", () => {
    const places = [
      [1.3, 0],
      [-1.4, 0.1],
      [1.4, 0.5],
    ];
    const [first, other, same] = around(places)?.cost ?? [];
    expect(other).toBeLessThan(same - 2);
    // Given the one place or the other, both orders say the same.
    const { one } = bindLaw(law, 2);
    const alone = places.map(([x, y]) => one(x * x + y * y));
    expect(first + alone[1]).toBeCloseTo(other + alone[0], 10);
    // Who else may be there changes nothing, as long as the first one is the likeliest.
    expect(around(places.slice(0, 2))?.cost).toEqual(Float64Array.of(first, other));
  });

  test("have no price where a detection has one link alone", () => {
    expect(around([[1.5, 0]])?.cost).toEqual(new Float64Array(0));
  });

  test("are found where daughters part by many times a step, and starts are cheap: EM begins twice", () => {
    const { detections, track } = colony(true, true);
    const small = { tail: 4, xx: 0.04, xy: 0, yy: 0.04 };
    const { all, law } = findDivisions(detections, follow(detections, track), {
      ...model,
      prior: [small],
      step: [[small]],
      births: 3e-4,
    });
    expect(all).toHaveLength(20);
    expect(law?.apart).toBeCloseTo(APART / Math.SQRT2, 0);
  });

  test("are none where as many start somewhere else", () => {
    const { detections, track } = colony(false);
    expect(findDivisions(detections, follow(detections, track), model).all).toEqual([]);
  });
});
