import { describe, expect, test } from "vitest";
import { bruteForce } from "../../lab/truth/tracks.js";
import { ASCENTS, type AscentName } from "../../src/map/dual/ascents.js";
import { type HandMade, nextOf, problemOf, randomProblem, solveProblem } from "./problems.js";

/** Tracks that start and end, on problems small enough to be worked out by hand. */

/** Optimal cost and next detection of each, by hand. */
interface Case extends HandMade {
  readonly name: string;
  readonly cost: number;
  readonly next: readonly number[];
}

const CASES: readonly Case[] = [
  {
    // Births of frame 1 and deaths of frame 0 differ, and so do the detections: [d0, d1 | d2].
    name: "one of two ends: the one that dies cheaply, at the price of a death and not of a birth",
    counts: [2, 1],
    links: [
      [0, 2, 1],
      [1, 2, 1],
    ],
    birth: [100, 100, 50],
    death: [7, 3, 100],
    cost: 4,
    next: [2, -1, -1],
  },
  {
    name: "one of two begins: the one that is born cheaply, at the price of a birth and not of a death",
    counts: [1, 2],
    links: [
      [0, 1, 1],
      [0, 2, 1],
    ],
    birth: [100, 9, 4],
    death: [50, 100, 100],
    cost: 5,
    next: [1, -1, -1],
  },
  {
    name: "a death and a birth are cheaper than the link",
    counts: [1, 1],
    links: [[0, 1, 10]],
    birth: [100, 4],
    death: [5, 100],
    cost: 9,
    next: [-1, -1],
  },
  {
    name: "the link is cheaper than a death and a birth",
    counts: [1, 1],
    links: [[0, 1, 10]],
    birth: [100, 6],
    death: [5, 100],
    cost: 10,
    next: [1, -1],
  },
  {
    name: "the first frame's births and the last frame's deaths cost nothing",
    counts: [1, 1, 1],
    links: [
      [0, 1, 1],
      [1, 2, 1],
    ],
    birth: [1000, 50, 50],
    death: [50, 50, 1000],
    cost: 2,
    next: [1, 2, -1],
  },
  {
    name: "a forbidden triplet cuts the track where that is cheaper",
    counts: [1, 1, 1],
    links: [
      [0, 1, 1],
      [1, 2, 1],
    ],
    triplets: [],
    birth: [0, 20, 4],
    death: [30, 5, 0],
    cost: 10,
    next: [1, -1, -1],
  },
  {
    name: "a dear triplet cuts the track before it, where the birth is the cheaper one",
    counts: [1, 1, 1],
    links: [
      [0, 1, 1],
      [1, 2, 1],
    ],
    triplets: [[0, 1, 2, 40]],
    birth: [0, 4, 20],
    death: [5, 30, 0],
    cost: 10,
    next: [-1, 2, -1],
  },
  {
    name: "a detection of its own is born and dies",
    counts: [1, 2, 1],
    links: [
      [0, 1, 1],
      [1, 3, 1],
    ],
    birth: [0, 90, 3, 90],
    death: [90, 90, 4, 0],
    cost: 9,
    next: [1, 3, -1, -1],
  },
  {
    name: "an empty frame in the middle ends every track before it and begins every one after it",
    counts: [2, 0, 2],
    links: [],
    birth: [0, 0, 5, 6],
    death: [1, 2, 0, 0],
    cost: 14,
    next: [-1, -1, -1, -1],
  },
  {
    name: "a frame pair without edges",
    counts: [1, 1, 1, 1],
    links: [
      [0, 1, 1],
      [2, 3, 1],
    ],
    birth: [0, 90, 6, 90],
    death: [90, 5, 90, 0],
    cost: 13,
    next: [1, -1, 3, -1],
  },
  {
    name: "empty first and last frames",
    counts: [0, 1, 0],
    links: [],
    birth: [2],
    death: [3],
    cost: 5,
    next: [-1],
  },
  { name: "no detections at all", counts: [0, 0, 0], links: [], birth: [], death: [], cost: 0, next: [] },
  {
    name: "births and deaths that pay: every link is cut",
    counts: [1, 1, 1],
    links: [
      [0, 1, -1],
      [1, 2, -1],
    ],
    birth: [0, -2, -2],
    death: [-2, -2, 0],
    cost: -8,
    next: [-1, -1, -1],
  },
];

describe.each(CASES)("$name", ({ cost, next, ...problem }) => {
  test("by hand and by enumeration", () => {
    const truth = bruteForce(problemOf(problem));
    expect(truth?.cost).toBe(cost);
    expect(Array.from(truth?.next ?? [])).toEqual(next);
  });

  test.each(Object.keys(ASCENTS) as AscentName[])("by %s", async (ascent) => {
    const { graph, solution } = await solveProblem(problemOf(problem), { ascent });
    expect(solution.upperBound).toBeCloseTo(cost, 12);
    expect(solution.lowerBound).toBeLessThanOrEqual(cost);
    expect(Array.from(nextOf(graph, solution.tracks ?? new Int32Array()))).toEqual(next);
    // All of these have integral LP optima, but the fixed points of block ascent need not be LP optima.
    if (ascent === "bundle" || ascent === "polyak") expect(solution.status).toBe("optimal");
  });
});

test("the cases tell births from deaths: exchanged, most have another optimum", () => {
  const told = CASES.filter(({ birth, death, ...rest }) => {
    const exchanged = bruteForce(problemOf({ ...rest, birth: death ?? [], death: birth ?? [] }));
    return exchanged?.cost !== rest.cost;
  });
  expect(told.length).toBeGreaterThanOrEqual(8);
});

test("on random problems too, exchanging births and deaths shows", async () => {
  let told = 0;
  for (let seed = 0; seed < 30; seed++) {
    const problem = randomProblem({ seed, counts: [3, 2, 3], births: true, links: 0.7 });
    const { birth, death } = problem.birthDeath ?? { birth: new Float64Array(), death: new Float64Array() };
    const exchanged = { ...problem, birthDeath: { birth: death, death: birth } };
    const [one, other] = [await solveProblem(problem), await solveProblem(exchanged)];
    if (Math.abs(one.solution.upperBound - other.solution.upperBound) > 1e-6) told++;
    expect(other.solution.lowerBound).toBeLessThanOrEqual(bruteForce(exchanged)?.cost ?? 0);
  }
  expect(told).toBeGreaterThan(25);
});
