import highs from "highs";
import { describe, expect, test } from "vitest";
import { createTruth, type Highs } from "../../../lab/truth/highs.js";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { addPairCosts, certifyBound } from "../../../src/map/certificate/certificate.js";
import { CompensatedSum } from "../../../src/map/certificate/compensated-sum.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { solvePiece } from "../../../src/map/window/piece.js";
import { openWindows } from "../../../src/run/windows/caller.js";
import { inWindows, options, type Recording, statement, wholeProblem } from "./in-windows.js";

const truth = createTruth(highs as unknown as () => Promise<Highs>);

/** Daughters begin some 1.5 on either side of their mother. */
const LAW = { rate: 0.1, middle: 0.3, apart: 1.1, evidence: 20 };

/** Cells that go on as they go, of which each may divide in any frame, so at any border of windows. */
function cells(seed: number, frames: number, count: number, rate: number): Recording {
  const [random] = randomStreams(seed);
  const place = () => ({ x: random.uniform(0, 20), y: random.uniform(0, 20) });
  let all = Array.from({ length: count }, () => ({ ...place(), vx: 0.7 * random.normal(), vy: 0.7 * random.normal() }));
  const rows: (typeof all)[] = [];
  for (let p = 0; p < frames; p++) {
    rows.push(all);
    all = all.flatMap((cell) => {
      const noise = () => 0.15 * random.normal();
      const one = { ...cell, x: cell.x + cell.vx + noise(), y: cell.y + cell.vy + noise() };
      if (random.uniform(0, 1) > rate) return [one];
      const { cos, sin } = random.direction();
      return [1.5, -1.5].map((apart) => ({ ...one, x: one.x + apart * cos, y: one.y + apart * sin }));
    });
  }
  const frameStart = new Uint32Array(frames + 1);
  rows.forEach((row, p) => {
    frameStart[p + 1] = frameStart[p] + row.length;
  });
  const [x, y] = (["x", "y"] as const).map((axis) => Float64Array.from(rows.flat(), (cell) => cell[axis]));
  return { frames, frameStart, x, y, vx: null, vy: null, target: null, timeStep: 1 };
}

/** The tracks as links of the problem with twins, in each order of daughters. */
function linksOf({ motherOf }: PricedProblem, origin: Int32Array, track: readonly number[], parent: readonly number[]) {
  const place = Int32Array.from(origin.keys()).filter((at) => origin[at] >= 0);
  const next = new Int32Array(origin.length).fill(UNASSIGNED);
  const pairs: (readonly [mother: number, one: number, other: number])[] = [];
  const last = new Map<number, number>();
  const daughters = new Map<number, number[]>();
  track.forEach((one, d) => {
    const before = last.get(one);
    if (before !== undefined) next[place[before]] = place[d];
    else if (parent[d] >= 0) daughters.set(parent[d], [...(daughters.get(parent[d]) ?? []), place[d]]);
    last.set(one, d);
  });
  for (const [mother, both] of daughters) {
    expect(both).toHaveLength(2);
    pairs.push([place[last.get(mother) as number], both[0], both[1]]);
  }
  return Array.from({ length: 2 ** pairs.length }, (_, order) => {
    const links = next.slice();
    for (const [n, [mother, ...both]] of pairs.entries()) {
      const first = (order >> n) & 1;
      links[mother] = both[first];
      links[(motherOf as Int32Array).indexOf(mother)] = both[1 - first];
    }
    return links;
  });
}

const least = (costs: readonly (bigint | null)[]) =>
  costs.reduce((best, one) => (one !== null && (best === null || one < best) ? one : best), null);

describe("windows of recordings whose targets divide", () => {
  test("bound below the exact optimum by enumeration, whose tracks are found, wherever a division falls", async () => {
    let [tight, divided, all] = [0, 0, 0];
    for (let seed = 0; seed < 40; seed++) {
      const recording = cells(seed, 5, 1 + (seed % 2), 0.35);
      if (recording.frameStart.some((begin, p) => begin - (recording.frameStart[p - 1] ?? 0) > 3)) continue;
      const { priced } = wholeProblem(recording, statement(1, LAW));
      const optimum = bruteForce(priced)?.exact as bigint;
      for (const [size, overlap] of [
        [3, 2],
        [4, 2],
      ] as const) {
        const { totals, tracks, parents } = await inWindows(recording, statement(1, LAW), size, overlap);
        expect(exactly(totals.lowerBound) <= optimum).toBe(true);
        expect(exactly(totals.upperBound) >= optimum).toBe(true);
        const orders = linksOf(priced, priced.origin, tracks.flat(), parents.flat());
        const cost = least(orders.map((links) => exactCost(priced, links))) as bigint;
        expect(exactly(totals.upperBound) >= cost).toBe(true);
        if (cost === optimum) tight++;
        divided += totals.divisions;
        all++;
      }
    }
    expect(tight).toBeGreaterThan(0.8 * all);
    expect(divided).toBeGreaterThan(10);
  });

  test.each([1, 2])("bound ≤ optimum of HiGHS ≤ tracks; links over %i frames", async (spans) => {
    let [lost, divided, dearer] = [0, 0, 0];
    for (const seed of [1, 2, 3]) {
      const recording = cells(seed, 14, 5, 0.08);
      const stated = statement(spans, LAW);
      for (const [size, overlap] of [
        [3, 2],
        [5, 3],
      ] as const) {
        const { totals, windows, over } = await inWindows(recording, stated, size, overlap);
        const { graph } = wholeProblem(recording, stated, over);
        const solved = await truth(graph, 20);
        if (solved.status !== "solved") throw new Error(JSON.stringify(solved));
        const links = solved.next.map((j, i) => {
          for (let e = graph.linkStart[i]; e < graph.linkEnd[i]; e++) if (graph.head[e] === j) return e;
          return UNASSIGNED;
        });
        const optimum = new CompensatedSum();
        addPairCosts(graph, links, [0, graph.frames - 1], [optimum]);
        expect(totals.lowerBound).toBeLessThanOrEqual(optimum.upper);
        expect(totals.upperBound).toBeGreaterThanOrEqual(optimum.lower);
        for (const { cost, lowerBound } of windows) expect(cost).toBeGreaterThanOrEqual(lowerBound - 1e-9);
        expect(totals.edges).toBe(graph.edges);
        const whole = await solvePiece(0, graph, options);
        lost += certifyBound(whole.graph, whole.v, whole.columnDual).lowerBound - totals.lowerBound;
        const tracks = priceTracks(whole.graph, whole.tracks);
        dearer += totals.upperBound - (tracks.status === "feasible" ? tracks.cost : Number.NaN);
        divided += totals.divisions;
      }
    }
    expect(divided).toBeGreaterThan(8);
    // In all, of bounds of some hundred nats each.
    expect(lost).toBeLessThan(2);
    expect(dearer).toBeLessThan(1e-6);
  });

  test("one window is the whole, and threads come to the same", async () => {
    const recording = cells(4, 14, 6, 0.06);
    const stated = statement(2, LAW);
    const alone = await inWindows(recording, stated, 5, 3);
    const caller = openWindows(2);
    const together = await inWindows(recording, stated, 5, 3, { caller });
    expect({ ...together, over: alone.over, totals: { ...together.totals, delay: alone.totals.delay } }).toEqual(alone);
    const { totals, over } = await inWindows(recording, stated, 40, 5);
    const whole = await solvePiece(0, wholeProblem(recording, stated, over).graph, options);
    expect(totals.lowerBound).toBe(certifyBound(whole.graph, whole.v, whole.columnDual).lowerBound);
  });

  test("the cost of a part of the frames is none where a second daughter has no sister", () => {
    const recording = cells(4, 24, 6, 0.06);
    const { graph } = wholeProblem(recording, statement(1, LAW));
    const tracks = new Int32Array(graph.frameStart[graph.frames]).fill(UNASSIGNED);
    const twin = graph.motherOf?.findIndex((mother) => mother >= 0) as number;
    tracks[twin] = graph.linkStart[twin];
    expect(() => addPairCosts(graph, tracks, [0, graph.frames - 1], [])).toThrow(/has a second daughter and no first/);
  });
});
