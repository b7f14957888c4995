import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tripletList } from "../../../lab/truth/highs.js";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { InputError } from "../../../src/core/errors.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { fileOrder, fromFileOrder, toFileOrder } from "../../../src/map/instance/edges.js";
import { tripletCost } from "../../../src/map/instance/instance.js";
import { anyRecipe, closedRecipe } from "../arbitrary.js";
import { problemOf, randomProblem, solveProblem } from "../problems.js";

describe("buildGraph", () => {
  test("keeps the instance's promises: runs of each pair, the order of files, one birth and one death each, rows that increase", () => {
    fc.assert(
      fc.property(anyRecipe, (recipe) => {
        const { graph } = buildGraph(randomProblem(recipe));
        const {
          frames,
          frameStart,
          edges,
          edgeStart,
          deathStart,
          birthStart,
          linkStart,
          linkEnd,
          tail,
          head,
          triplets,
        } = graph;
        const seen = new Uint8Array(edges);
        for (let p = 0; p + 1 < frames; p++) {
          const inPair = (d: number, frame: number) => d >= frameStart[frame] && d < frameStart[frame + 1];
          for (let e = edgeStart[p]; e < deathStart[p]; e++) {
            seen[e]++;
            expect(inPair(tail[e], p) && inPair(head[e], p + 1)).toBe(true);
          }
          for (let e = deathStart[p]; e < birthStart[p]; e++) {
            seen[e]++;
            expect(inPair(tail[e], p) && head[e] === -1).toBe(true);
          }
          for (let e = birthStart[p]; e < edgeStart[p + 1]; e++) {
            seen[e]++;
            expect(tail[e] === -1 && inPair(head[e], p + 1)).toBe(true);
          }
        }
        expect(seen.every((times) => times === 1)).toBe(true);
        for (let d = 0; d < frameStart[frames]; d++) {
          for (let e = linkStart[d]; e < linkEnd[d]; e++) expect(tail[e]).toBe(d);
          const [death, birth] = [graph.deathOf[d], graph.birthOf[d]];
          if (death >= 0) expect([tail[death], head[death]]).toEqual([d, -1]);
          if (birth >= 0) expect([tail[birth], head[birth]]).toEqual([-1, d]);
          const into = [...graph.inEdge.subarray(graph.inStart[d], graph.inStart[d + 1])];
          expect(into).toEqual([...head.keys()].filter((e) => head[e] === d));
        }
        const order = [...fileOrder(graph)];
        const kindOf = (e: number) => (head[e] < 0 ? 1 : tail[e] < 0 ? 2 : 0);
        for (const [k, e] of order.slice(1).entries()) {
          const before = order[k];
          const inOrder = tail[before] < tail[e] || (tail[before] === tail[e] && head[before] < head[e]);
          expect(kindOf(before) < kindOf(e) || (kindOf(before) === kindOf(e) && inOrder)).toBe(true);
        }
        const numbers = Float64Array.from(head.keys());
        expect(fromFileOrder(graph, toFileOrder(graph, numbers))).toEqual(numbers);
        const list = tripletList(graph);
        expect(triplets.count).toBe(list.length);
        list.forEach(({ e, f, cost }, t) => {
          expect(tail[f]).toBe(head[e]);
          if (t > 0 && list[t - 1].e === e) expect(f).toBeGreaterThan(list[t - 1].f);
          expect(tripletCost(graph, e, f)).toBe(cost);
        });
        const allowed = new Set(list.map(({ e, f }) => e * edges + f));
        for (let e = 0; e < edges; e++) {
          for (let f = 0; f < edges; f++) {
            if (!allowed.has(e * edges + f)) expect(tripletCost(graph, e, f)).toBe(Number.POSITIVE_INFINITY);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test("prunes exactly the links that lie on no complete track, and the optimum stays", async () => {
    let pruned = 0;
    await fc.assert(
      fc.asyncProperty(closedRecipe, async (recipe) => {
        const problem = randomProblem({ ...recipe, links: 0.5, triplets: 0.4 });
        const { graph, stats } = buildGraph(problem);
        const alive = linksOnTracks(problem);
        expect(graph.links).toBe(alive.size);
        for (let e = 0; e < graph.links; e++) expect(alive).toContain(`${graph.tail[e]} ${graph.head[e]}`);
        expect(stats.deadLinks).toBe(problem.links.tail.length - alive.size);
        if (stats.deadLinks > 0) pruned++;
        const { solution } = await solveProblem(problem);
        const optimum = bruteForce(problem)?.cost ?? Number.NaN;
        expect(solution.lowerBound).toBeLessThanOrEqual(optimum);
        if (solution.status === "optimal") expect(solution.upperBound).toBeCloseTo(optimum, 9);
      }),
      { numRuns: 300 },
    );
    expect(pruned).toBeGreaterThan(15);
  });

  test("with births and deaths no link is dead", () => {
    const problem = randomProblem({ seed: 1, counts: [3, 3, 3], births: true, triplets: 0 });
    expect(buildGraph(problem).stats.deadLinks).toBe(0);
  });

  test("refuses what cannot have tracks, naming frame and detection", () => {
    expect(() => buildGraph(problemOf({ counts: [2], links: [] }))).toThrow("frames: 1 given");
    expect(() => buildGraph(randomProblem({ seed: 1, counts: [2, 3, 2], planted: false }))).toThrow(
      "frame 1: 3 detections, but frame 0 has 2",
    );
    const lonely = problemOf({
      counts: [2, 2],
      links: [
        [0, 2, 1],
        [0, 3, 1],
      ],
    });
    expect(() => buildGraph(lonely)).toThrow("frame pair 0–1: detection 1 of frame 0 has no edge");
    const broken = problemOf({
      counts: [1, 1, 1, 1],
      links: [
        [0, 1, 1],
        [1, 2, 1],
        [2, 3, 1],
      ],
      triplets: [[0, 1, 2, 0]],
    });
    expect(() => buildGraph(broken)).toThrow("frame pair 0–1: detection 0 of frame 0 has no edge that lies on a");
  });

  test("refuses costs of unused detections that births and deaths round away, and no others", () => {
    const built = (birth: number, death: number, unused: number) => {
      const { links } = problemOf({
        counts: [1, 1, 1],
        links: [
          [0, 1, 5],
          [1, 2, 5],
        ],
      });
      const each = (cost: number) => new Float64Array(3).fill(cost);
      const birthDeath = { birth: each(birth), death: each(death), unused: each(unused) };
      const { graph } = buildGraph({ links, triplets: null, birthDeath });
      const { birthOf, deathOf, cost } = graph;
      const [e, f] = [birthOf[1], deathOf[1]];
      return Number(BigInt(cost[e]) + BigInt(cost[f]) + BigInt(tripletCost(graph, e, f)));
    };
    expect(() => built(4e17, 1e17, 6)).toThrow(
      "frame 1: detection 0 costs 6 unused, which a birth of 400000000000000000 and a death of 100000000000000000 round away; give births and deaths of 6000000 at most",
    );
    expect(() => built(6e6 + 0.1, 6e6, 0.1)).not.toThrow(InputError);
    for (const [birth, death] of [
      [1e9, 1e9],
      [2 ** 52, 2 ** 51],
      [2 ** 60, -(2 ** 60)],
    ])
      expect(built(birth, death, 6)).toBe(6);
  });

  test("leaves the priced problem as it was", () => {
    fc.assert(
      fc.property(anyRecipe, (recipe) => {
        const problem = randomProblem(recipe);
        buildGraph(problem);
        expect(problem).toEqual(randomProblem(recipe));
      }),
      { numRuns: 30 },
    );
  });
});

describe("problems without a set of tracks", () => {
  test("a frame pair without a complete assignment is named", async () => {
    // Frame 1's detections 2 and 3 both have links into frame 2, but only to detection 4; and nothing else is wrong.
    const problem = problemOf({
      counts: [2, 2, 2],
      links: [
        [0, 2, 1],
        [0, 3, 1],
        [1, 2, 1],
        [1, 3, 1],
        [2, 4, 1],
        [3, 4, 1],
      ],
    });
    const { solution } = await solveProblem(problem);
    const shortage = { pair: 1, tails: [2, 3], heads: [4] };
    expect(solution).toMatchObject({ status: "infeasible", shortage, tracks: null });
    expect(solution.lowerBound).toBe(Number.POSITIVE_INFINITY);
  });

  test("triplets that forbid every set of tracks leave it unsolved, never with tracks", async () => {
    // Every frame pair has complete assignments, but what continues 0 → 2 and what continues 1 → 3 both want detection 4.
    const problem = problemOf({
      counts: [2, 2, 2],
      links: [
        [0, 2, 1],
        [1, 3, 1],
        [2, 4, 1],
        [2, 5, 1],
        [3, 4, 1],
        [3, 5, 1],
      ],
      triplets: [
        [0, 2, 4, 0],
        [1, 3, 4, 0],
      ],
    });
    expect(bruteForce(problem)).toBeNull();
    const { solution } = await solveProblem(problem);
    expect(["infeasible", "unsolved"]).toContain(solution.status);
    expect(solution.tracks).toBeNull();
  });
});

/** Links on a path of allowed triplets from the first frame to the last, by walking every path. */
function linksOnTracks(problem: ReturnType<typeof randomProblem>): Set<string> {
  const { links, triplets } = problem;
  const { frameStart, tail, head } = links;
  const lastFrame = frameStart[frameStart.length - 2];
  const alive = new Set<string>();
  const walk = (path: number[]): void => {
    const e = path[path.length - 1];
    if (head[e] >= lastFrame) for (const f of path) alive.add(`${tail[f]} ${head[f]}`);
    if (triplets?.kind === "csr") {
      for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) walk([...path, triplets.successor[t]]);
    } else {
      tail.forEach((d, f) => {
        if (d === head[e]) walk([...path, f]);
      });
    }
  };
  tail.forEach((d, e) => {
    if (d < frameStart[1]) walk([e]);
  });
  return alive;
}
