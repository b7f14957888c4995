import highs from "highs";
import { describe, expect, test } from "vitest";
import { judge } from "../../lab/truth/check.js";
import { createTruth, type Highs } from "../../lab/truth/highs.js";
import { judgeMargins } from "../../lab/truth/margins.js";
import { bruteForce, exactCost, exactly } from "../../lab/truth/tracks.js";
import { randomStreams } from "../../src/core/random.js";
import { digestOf } from "../../src/formats/digest.js";
import { formatLp } from "../../src/formats/integer-program.js";
import { type Cut, refuteCut } from "../../src/map/certificate/cuts.js";
import { priceTracks } from "../../src/map/certificate/price-tracks.js";
import { buildGraph } from "../../src/map/instance/build.js";
import type { BirthDeathCosts, PricedProblem } from "../../src/map/instance/priced.js";
import { likeTheirMothers, withTwins } from "../../src/map/instance/twins.js";
import { checkProof } from "../../src/map/proof/check.js";
import type { Proof } from "../../src/map/proof/proof.js";
import { openHighs } from "./exact/support.js";
import { type HandMade, problemOf, type Recipe, randomProblem, solveProblem } from "./problems.js";

const truth = createTruth(highs as unknown as () => Promise<Highs>);

const recipe = (seed: number): Recipe => ({
  seed,
  counts: [
    [3, 3, 3, 3],
    [2, 3, 4, 3],
    [4, 4],
    [3, 4, 3],
    [3, 2, 0, 3],
  ][seed % 5],
  links: 0.8,
  triplets: 0.8,
  births: true,
  exclusions: true,
  storage: seed % 3 === 0 ? "free" : "csr",
  ...[{ least: -1 }, { least: -3, most: 2, grid: 1 }, { least: -1, most: 0.5, grid: 2 ** -10 }][seed % 3],
});

/** As `recipe`, and half of the detections but those of the last frame may divide instead; costs of divisions are such that orphans may pay, or not. */
const dividing = (seed: number): Recipe => ({
  ...recipe(seed),
  counts: [
    [3, 3, 3, 3],
    [2, 3, 3, 3],
    [3, 2, 3],
    [3, 4, 3],
    [3, 2, 0, 3],
  ][seed % 5],
  exclusions: false,
  divisions: true,
});

// Without linear programs the bundle alone weighs what the instance forbids.
describe.each([
  ["unused detections and exclusions", recipe, { with: 100, without: 54, cheapest: 55 }],
  ["divisions", dividing, { with: 100, without: 30, cheapest: 40 }],
  ["both", (seed: number) => ({ ...dividing(seed), exclusions: true }), { with: 100, without: 30, cheapest: 40 }],
])("%s", (_, recipe, wanted) => {
  test("HiGHS agrees with the enumeration, and so does the program for other solvers", async () => {
    const program = await (highs as unknown as () => Promise<Highs>)();
    for (let seed = 0; seed < 20; seed++) {
      const problem = randomProblem(recipe(seed));
      const { graph } = buildGraph(problem);
      const found = await truth(graph, 10);
      if (found.status !== "solved") throw new Error(JSON.stringify(found));
      const best = bruteForce(problem);
      expect(exactCost(problem, found.next), `seed ${seed}`).toBe(best?.exact);
      const { Status, ObjectiveValue } = program.solve(formatLp(graph), { mip_rel_gap: 0 });
      expect(Status).toBe("Optimal");
      expect(ObjectiveValue, `seed ${seed}`).toBeCloseTo(best?.cost as number, 6);
    }
  });

  test.each([
    ["with", 100],
    ["without", 60],
  ] as const)("solves %s linear programs are true", async (how, count) => {
    const open = how === "with" ? await openHighs() : null;
    const exact = { always: true, mostTriplets: 1e6, mostLeaves: 1e4, load: async () => open };
    let [optimal, best] = [0, 0];
    for (let seed = 0; seed < count; seed++) {
      const problem = randomProblem(recipe(seed));
      const { graph, solution } = await solveProblem(problem, { exact, margins: true });
      expect(judge(problem, graph, solution, 0).violations, `seed ${seed}`).toEqual([]);
      const { tracks, margins } = solution;
      if (tracks && margins) expect(judgeMargins(problem, graph, tracks, margins), `seed ${seed}`).toEqual([]);
      if (solution.status === "optimal") optimal++;
      const optimum = bruteForce(problem)?.exact as bigint;
      if (Number(exactly(solution.upperBound) - optimum) <= 1e-9 * Math.abs(Number(optimum))) best++;
    }
    expect([optimal, best]).toEqual([
      expect.toSatisfy((n) => n >= wanted[how]),
      expect.toSatisfy((n) => n >= (how === "with" ? count : wanted.cheapest)),
    ]);
  });
});

describe("divisions", () => {
  /** The least cost of lineages: s_i says that i goes on and t_i ≤ s_i that it divides, Σ links out of i = s_i + t_i. */
  function lineageProgram({ links, birthDeath }: PricedProblem, divides: Float64Array): string {
    const { frameStart, tail, head, cost } = links;
    const frames = frameStart.length - 1;
    const { birth, death } = birthDeath as BirthDeathCosts;
    const objective: string[] = [];
    const rows: string[] = [];
    const term = (value: number, name: string) => objective.push(`${value < 0 ? "-" : "+"} ${Math.abs(value)} ${name}`);
    const linksAt = (ends: Int32Array, d: number, sign: string) =>
      Array.from(ends.keys())
        .filter((e) => ends[e] === d)
        .map((e) => `${sign} x${e}`)
        .join(" ");
    cost.forEach((value, e) => {
      term(value, `x${e}`);
    });
    for (let d = 0; d < frameStart[frames]; d++) {
      if (d >= frameStart[1]) {
        rows.push(`${linksAt(head, d, "+")} + b${d} = 1`);
        term(birth[d], `b${d}`);
      }
      if (d >= frameStart[frames - 1]) continue;
      rows.push(`s${d} + e${d} = 1`, `s${d} + t${d} ${linksAt(tail, d, "-")} = 0`, `t${d} - s${d} <= 0`);
      term(death[d], `e${d}`);
      if (Number.isNaN(divides[d])) rows.push(`t${d} = 0`);
      else term(divides[d], `t${d}`);
    }
    const names = [...new Set([...objective, ...rows].join(" ").match(/[xbets]\d+/g))];
    return `Minimize\nobj: ${objective.join("\n")}\nSubject To\n${rows.map((row, n) => `r${n}: ${row}`).join("\n")}\nBinary\n${names.join("\n")}\nEnd\n`;
  }

  test("twins say what lineages cost, and orphans would cost less in some", async () => {
    const program = await (highs as unknown as () => Promise<Highs>)();
    let orphans = 0;
    for (let seed = 0; seed < 30; seed++) {
      const problem = randomProblem({ ...recipe(seed), exclusions: false, storage: "free", counts: [3, 3, 3, 3] });
      const random = randomStreams(seed).next().value;
      const divides = new Float64Array(12).map((_, d) =>
        d > 8 || random.uniform(0, 1) < 0.3 ? Number.NaN : random.uniform(-1, 1.5),
      );
      const twinned = withTwins(problem, likeTheirMothers(problem, divides)).problem;
      const { ObjectiveValue } = program.solve(lineageProgram(problem, divides), { mip_rel_gap: 0 });
      expect(bruteForce(twinned)?.cost, `seed ${seed}`).toBeCloseTo(ObjectiveValue, 6);
      const { motherOf: _, ...free } = twinned;
      if ((bruteForce(free)?.cost as number) < ObjectiveValue - 1e-6) orphans++;
    }
    expect(orphans).toBeGreaterThan(3);
  });
});

test("a twin is in her mother's component: apart, elimination once called dearer tracks optimal", async () => {
  const open = await openHighs();
  const problem = randomProblem({
    ...{ seed: 349, counts: [2, 3, 3, 2], links: 0.6, triplets: 0.9, births: true, divisions: true },
    ...{ storage: "csr", least: -1, most: 0.5 },
  });
  const exact = { always: true, mostTriplets: 1e6, mostLeaves: 1e4, load: async () => open };
  const { graph, solution } = await solveProblem(problem, { exact, iterations: 3 });
  expect(judge(problem, graph, solution, 0).violations).toEqual([]);
  expect(solution).toMatchObject({ status: "optimal", upperBound: expect.closeTo(-6.787165946343066, 9) });
});

describe("what the instance alone says", () => {
  /** One detection, then two that exclude each other, then two; both tracks would be worth 4. */
  const two: HandMade = {
    counts: [2, 2, 2],
    links: [
      [0, 2, -1],
      [1, 3, -1],
      [2, 4, -1],
      [3, 5, -1],
    ],
    birth: [0, 0, 2, 2, 2, 2],
    death: [0, 0, 1, 1, 1, 1],
  };
  const exclusive = { ...problemOf(two), exclusions: { setStart: Uint32Array.of(0, 2), member: Uint32Array.of(2, 3) } };

  test("tracks of two that exclude each other are none, for price and check alike", async () => {
    const { graph: free, solution } = await solveProblem(problemOf(two));
    const { graph } = buildGraph(exclusive);
    const tracks = solution.tracks as Int32Array;
    expect(priceTracks(free, tracks)).toMatchObject({ status: "feasible", cost: -4 });
    expect(priceTracks(graph, tracks)).toEqual({ status: "forbidden", set: 0 });
    const proof = solution.proof as Proof;
    expect(checkProof(free, tracks, proof).valid).toBe(true);
    expect(checkProof(graph, tracks, proof)).toEqual({ valid: false, why: "the tracks are not allowed" });
    expect(digestOf(graph)).not.toBe(digestOf(free));
  });

  test.each<[string, Partial<Cut>, string]>([
    ["another set", { set: 1 }, "there is no set 1"],
    [
      "an item twice",
      {
        items: [
          [0, -1],
          [0, -1],
        ],
      },
      "item [0, -1] stands twice",
    ],
    ["a link of no member", { items: [[6, -1]] }, "item [6, -1] does not use a detection of set 0"],
    ["a death", { items: [[2, -1]] }, "item [2, -1] does not use a detection of set 0"],
    ["a birth that goes on to a death", { items: [[4, 8]] }, "item [4, 8] does not use a detection of set 0"],
  ])("an exclusion of %s is refused", (_, changed, why) => {
    const { graph } = buildGraph(exclusive);
    const cut: Cut = {
      kind: "exclusion",
      set: 0,
      items: [
        [0, -1],
        [1, -1],
        [4, 6],
        [5, 7],
      ],
    };
    expect(refuteCut(graph, cut)).toBeNull();
    expect(refuteCut(graph, { ...cut, ...changed })).toBe(why);
    expect(refuteCut(buildGraph(problemOf(two)).graph, cut)).toBe("the instance has no exclusions");
  });
});
