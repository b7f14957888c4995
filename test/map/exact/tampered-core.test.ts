import { describe, expect, test, vi } from "vitest";
import type { Core } from "../../../src/map/exact/core.js";
import { checkExactly } from "../../../src/map/exact/exact-check.js";
import type * as Stages from "../../../src/map/exact/stages.js";
import { randomProblem, solveProblem } from "../problems.js";

/** What is done to the cores that the f64 code cuts; null where they stay as they are. */
const tampering = vi.hoisted(() => ({ with: null as ((core: Core) => Core) | null }));
vi.mock("../../../src/map/exact/stages.js", async (original) => {
  const stages = await original<typeof Stages>();
  const changed = (core: Core) => tampering.with?.(core) ?? core;
  return {
    ...stages,
    narrow(...call: Parameters<typeof stages.narrow>) {
      const found = stages.narrow(...call);
      return found?.core ? { ...found, core: changed(found.core) } : found;
    },
    narrowBelow(...call: Parameters<typeof stages.narrowBelow>) {
      const core = stages.narrowBelow(...call);
      return core && changed(core);
    },
  };
});

const storedOf = ({ graph: { triplets } }: Core) => {
  if (triplets.kind !== "csr") throw new Error("a core stores its triplets");
  return triplets;
};
/** The last link that is not one of the tracks. */
const otherLink = ({ graph, tracks }: Core) => {
  for (let e = graph.links - 1; e >= 0; e--) if (!tracks.includes(e)) return e;
  throw new Error("the core has the tracks alone");
};

const KINDS: readonly (readonly [why: RegExp, (core: Core) => Core])[] = [
  [
    /lacks edge \d/,
    (core) => {
      const removed = core.removed.slice();
      removed[otherLink(core)] = 1;
      return { ...core, removed };
    },
  ],
  [
    /lacks the cost of edge \d/,
    (core) => {
      const cost = core.graph.cost.slice();
      cost[otherLink(core)] += 2 ** -30;
      return { ...core, graph: { ...core.graph, cost } };
    },
  ],
  [
    /lacks triplet \d+, \d/,
    (core) => {
      const stored = storedOf(core);
      return {
        ...core,
        graph: { ...core.graph, triplets: { ...stored, cost: stored.cost.map((value) => value + 1) } },
      };
    },
  ],
];

describe("checkExactly", () => {
  test("refuses a core of the f64 code that lacks what cheaper tracks could use, or has it at another cost", async () => {
    const refused = KINDS.map(() => 0);
    for (let seed = 0; seed < 30; seed++) {
      const problem = randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 });
      const { graph, solution } = await solveProblem(problem, { iterations: 3 });
      if (solution.proof === null || solution.tracks === null) continue;
      const [stage] = solution.proof.stages;
      const { tracks, upperBound } = solution;
      for (const below of [undefined, upperBound - 0.01]) {
        const proof = { stages: [{ ...stage, ...(below !== undefined && { below }) }], leaves: [] };
        tampering.with = null;
        expect(checkExactly(graph, tracks, proof).valid).toBe(true);
        for (const [k, [why, tamper]] of KINDS.entries()) {
          let cores = 0;
          tampering.with = (core) => {
            // Links of a core are there because cheaper tracks may use them, or these do.
            if (core.graph.links <= core.tracks.filter((e) => e >= 0).length) return core;
            cores++;
            return tamper(core);
          };
          const checked = checkExactly(graph, tracks, proof);
          if (cores === 0) continue;
          expect(checked).toEqual({ valid: false, why: expect.stringMatching(why) });
          refused[k]++;
        }
      }
    }
    for (const count of refused) expect(count).toBeGreaterThan(10);
  });
});
