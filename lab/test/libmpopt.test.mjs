import highs from "highs";
import { solve } from "rmap";
import { expect, test } from "vitest";
import { randomStreams } from "../../dist/core/random.js";
import { costInText, instanceOf, parseJug } from "../lineages/libmpopt-instance.mjs";
import { programOf } from "../lineages/program.mjs";

/** A made instance: three times, detections that exclude each other, some worth using alone, and divisions. */
function textOf(/** @type {number} */ seed, /** @type {"sums" | "any"} */ divisions) {
  const [random] = randomStreams(seed);
  const cost = (/** @type {number} */ least, /** @type {number} */ most) =>
    Math.round(random.uniform(least, most) * 8) / 8;
  const lines = ["# made", ""];
  const times = [0, 1, 2, 3].map((time) => [0, 1, 2].map((n) => 10 * time + n));
  let variable = 0;
  for (const [time, ids] of times.entries())
    for (const id of ids) {
      lines.push(`H ${time} ${id} ${cost(-2, 1)}`);
      lines.push(`APP ${variable++} ${id} ${cost(0, 2)}`, `DISAPP ${variable++} ${id} ${cost(0, 2)}`);
    }
  for (const [time, ids] of times.slice(0, -1).entries())
    for (const i of ids) {
      const to = times[time + 1].filter(() => divisions === "sums" || random.uniform(0, 1) < 0.8);
      const moves = to.map((j) => [j, cost(-1, 1)]);
      for (const [j, price] of moves) lines.push(`MOVE ${variable++} ${i} ${j} ${price}`);
      const more = cost(-0.5, 1);
      for (const [n, [j, a]] of moves.entries())
        for (const [k, b] of moves.slice(0, n))
          if (divisions === "sums" || random.uniform(0, 1) < 0.6)
            lines.push(`DIV ${variable++} ${i} ${j} ${k} ${a + b + (divisions === "sums" ? more : cost(-0.5, 1))}`);
    }
  for (const ids of times) lines.push(`CONFSET ${ids[0]} + ${ids[1]} <= 1`);
  return lines.join("\n");
}

test.each(/** @type {const} */ ([["sums"], ["any"]]))(
  "instances of libmpopt's text, divisions %s, have HiGHS's optimum",
  async (divisions) => {
    const program = await /** @type {any} */ (highs)();
    let [alone, divided] = [0, 0];
    for (let seed = 0; seed < 25; seed++) {
      const jug = parseJug(textOf(seed, divisions));
      const instance = instanceOf(jug);
      expect(instance.isExact, `seed ${seed}`).toBe(divisions === "sums");
      const { tracks, parents, lowerBound } = await solve(instance.problem, { device: "cpu", gap: 0, threads: 1 });
      const { Status, ObjectiveValue } = program.solve(programOf(jug), { mip_rel_gap: 0 });
      expect(Status).toBe("Optimal");
      expect(lowerBound).toBeLessThan(ObjectiveValue + 1e-6);
      const cost = costInText(jug, instance, { tracks: /** @type {Int32Array} */ (tracks), parents });
      expect(cost).toBeGreaterThan(ObjectiveValue - 1e-6);
      if (divisions === "sums") {
        expect(cost, `seed ${seed}`).toBeCloseTo(ObjectiveValue, 6);
        expect(lowerBound, `seed ${seed}`).toBeCloseTo(ObjectiveValue, 6);
      }
      divided += parents.size;
      alone += Array.from(jug.detections.values()).filter(({ cost, begins, ends }) => cost + begins + ends < 0).length;
    }
    expect([alone > 20, divided > 10]).toEqual([true, true]);
  },
);

test("a line of another kind is refused with its number", () => {
  expect(() => parseJug("H 0 1 -2\nMOVE 1 2\n")).toThrow('line 2: is "MOVE 1 2"');
  expect(() => parseJug("APP 1 7 0.5\n")).toThrow("line 1: detection 7 has no line H before it");
});
