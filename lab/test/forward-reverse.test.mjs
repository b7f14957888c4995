import { describe, expect, test } from "vitest";
import { certifyAuction } from "../../dist/lap/auction/certificate.js";
import { bidInRounds, forwardAuction } from "../../dist/lap/auction/forward.js";
import { forwardReverseAuction } from "../../dist-lab/sorting/forward-reverse.js";
import { cases, exactUtility, fromRows, gatedProblem } from "../../test/lap/auction/support.js";

test.each(cases)("%s is certified, from any prices and through any ε", (_, problem) => {
  const exact = exactUtility(problem);
  const price = Float64Array.from({ length: problem.objects }, (_, j) => (j * 0.37) % 1.3);
  for (const options of [{ price }, { scaling: [0.1, 0.01] }, { price, scaling: [0.3] }]) {
    const { objectOfPerson, price: found } = forwardReverseAuction(problem, { epsilon: 1e-4, ...options });
    const { legal, bound, gap } = certifyAuction(problem, objectOfPerson, found);
    expect(legal).toBe(true);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(gap).toBeLessThanOrEqual(problem.persons * 1e-4 + 1e-9);
  }
});

test("bids of the paper's Eq. 2 exceed the bound of its Eq. 4 by ε: two persons, two objects, and w = −ε", () => {
  const worth = [
    [1, 1],
    [1, 0],
  ];
  const epsilon = 0.1;
  const price = [0, 0];
  const owner = [-1, -1];
  let largest = 0;
  for (let rounds = 0; owner.includes(-1) && rounds < 100; rounds++) {
    const best = [];
    for (const i of [0, 1]) {
      if (owner.includes(i)) continue;
      const value = worth[i].map((a, j) => a - price[j]);
      const j = value[1] > value[0] ? 1 : 0;
      const bid = value[j] - value[1 - j] + epsilon;
      largest = Math.max(largest, bid);
      best.push([bid, i, j]);
    }
    for (const [bid, i, j] of best.sort((a, b) => a[0] - b[0])) {
      owner[j] = i;
      price[j] = Math.max(price[j], 0) + (best.length > 1 && best[1][2] === j && best[1][1] !== i ? 0 : bid);
    }
  }
  expect(largest).toBeCloseTo(1 + 2 * epsilon, 12);
  const { price: clamped } = forwardAuction(fromRows(worth), { epsilon });
  expect(Math.max(...clamped)).toBeLessThanOrEqual(1 + epsilon + 1e-12);
});

describe("prices that are not 0 at the start", () => {
  const problem = gatedProblem(7, 150, 250, 8);
  const exact = exactUtility(problem);

  test("ε-scaling with the prices kept is wrong where sides are unequal, and the certificate says so", () => {
    const price = new Float64Array(problem.objects);
    for (const epsilon of [0.1, 0.01]) bidInRounds(problem, price, epsilon, 1e6);
    const { objectOfPerson } = bidInRounds(problem, price, 0.001, 1e6);
    const { utility, gap } = certifyAuction(problem, objectOfPerson, price);
    expect(utility).toBeLessThan(exact - 150 * 0.001);
    expect(gap).toBeGreaterThan(150 * 0.001);
  });

  test("last frame's prices are wrong for the same reason", () => {
    const last = forwardAuction(problem, { epsilon: 0.001 });
    const price = last.price.slice();
    const { objectOfPerson } = bidInRounds(problem, price, 0.001, 1e6);
    expect(certifyAuction(problem, objectOfPerson, price).gap).toBeGreaterThan(10 * 150 * 0.001);
    const repaired = forwardReverseAuction(problem, { epsilon: 0.001, price: last.price });
    expect(repaired.reversed).toBeGreaterThan(0);
    expect(certifyAuction(problem, repaired.objectOfPerson, repaired.price).gap).toBeLessThanOrEqual(0.15 + 1e-9);
  });
});
