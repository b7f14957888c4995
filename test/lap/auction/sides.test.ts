import { describe, expect, test } from "vitest";
import { certifyAuction } from "../../../src/lap/auction/certificate.js";
import { forwardAuction } from "../../../src/lap/auction/forward.js";
import type { AuctionProblem } from "../../../src/lap/auction/problem.js";
import { answerOfSides, problemOfSides, sidesOf } from "../../../src/lap/auction/sides.js";
import { exactUtility, fromRows, gatedProblem, randomProblem } from "./support.js";

/** The auction in which the smaller side of each component bids. */
function solved(problem: AuctionProblem, epsilon: number) {
  const sides = sidesOf(problem);
  const sided = problemOfSides(sides, problem);
  const { rounds, ...answer } = forwardAuction(sided, { epsilon });
  return { rounds, bidders: sided.persons, ...answerOfSides(sides, problem, answer) };
}

const problems: [string, AuctionProblem][] = [
  ["nobody", fromRows([], 3)],
  ["no candidate", fromRows([[0, 0]])],
  ["two for one", fromRows([[0.3], [0.8]])],
  ["one for two", fromRows([[0.3, 0.8]])],
  ...[1, 2, 3, 4].map((seed): [string, AuctionProblem] => [`sparse ${seed}`, randomProblem(seed, 40, 35 + seed, 0.03)]),
  ...[5, 6].map((seed): [string, AuctionProblem] => [`dense ${seed}`, randomProblem(seed, 25, 10, 0.5)]),
  ...[1, 2, 3].map((seed): [string, AuctionProblem] => [`gated ${seed}`, gatedProblem(seed, 90, 60 + 10 * seed, 9)]),
];

describe.each(problems)("%s", (_, problem) => {
  const exact = exactUtility(problem);

  test.each([0.1, 1e-4])("the prices of the objects prove it within N ε, ε = %f", (epsilon) => {
    const { objectOfPerson, price, bidders } = solved(problem, epsilon);
    const { legal, bound, gap } = certifyAuction(problem, objectOfPerson, price);
    expect(legal).toBe(true);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(bidders).toBeLessThanOrEqual(Math.min(problem.persons, problem.objects));
    expect(gap).toBeLessThanOrEqual(bidders * epsilon + 1e-9);
  });

  test("no component has more bidders than wares, and all candidates are kept in order", () => {
    const { bidder, ware, rowStart, object, entry } = sidesOf(problem);
    const points = [...bidder, ...ware].sort((a, b) => a - b);
    expect(points).toEqual(Array.from({ length: problem.persons + problem.objects }, (_, point) => point));
    expect([...entry].sort((a, b) => a - b)).toEqual(Array.from(problem.utility, (_, k) => k));
    const group = Array.from(ware, (_, w) => w);
    for (let b = 0; b < bidder.length; b++) {
      const own = [...object.subarray(rowStart[b], rowStart[b + 1])];
      expect(own.length).toBeGreaterThan(0);
      expect(own).toEqual([...new Set(own)].sort((x, y) => x - y));
      const joined = new Set(own.map((w) => group[w]));
      for (let w = 0; w < group.length; w++) if (joined.has(group[w])) group[w] = group[own[0]];
      for (let k = rowStart[b]; k < rowStart[b + 1]; k++) {
        const [i, j] = [bidder[b], ware[object[k]]].sort((x, y) => x - y);
        expect(entry[k]).toBeGreaterThanOrEqual(problem.rowStart[i]);
        expect(entry[k]).toBeLessThan(problem.rowStart[i + 1]);
        expect(problem.object[entry[k]]).toBe(j - problem.persons);
      }
    }
    const surplus = new Map<number, number>();
    group.forEach((of) => {
      surplus.set(of, (surplus.get(of) ?? 0) + 1);
    });
    for (let b = 0; b < bidder.length; b++) {
      const of = group[object[rowStart[b]]];
      surplus.set(of, (surplus.get(of) ?? 0) - 1);
    }
    expect(Math.min(0, ...surplus.values())).toBe(0);
  });
});

test("a track too many in one gate: measurements bid on tracks, and no war begins", () => {
  const war = fromRows([
    [0.3334, 0.4358],
    [0.9994, 0.8813],
    [0.8818, 1],
  ]);
  for (const epsilon of [1e-2, 1e-4]) {
    expect(forwardAuction(war, { epsilon }).rounds).toBe(8);
    expect(solved(war, epsilon)).toMatchObject({ rounds: 1, objectOfPerson: Int32Array.of(-1, 0, 1) });
  }
});
