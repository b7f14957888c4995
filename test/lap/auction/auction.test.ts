import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/lap.js";
import { certifyAuction } from "../../../src/lap/auction/certificate.js";
import { bidInRounds, forwardAuction } from "../../../src/lap/auction/forward.js";
import { forwardReverseAuction } from "../../../src/lap/auction/forward-reverse.js";
import { type AuctionProblem, lapOf, transposed } from "../../../src/lap/auction/problem.js";
import { requireWithin } from "../../../src/track/auction.js";
import { exactUtility, fromRows, gatedProblem, randomProblem } from "./support.js";

const cases: [string, AuctionProblem][] = [
  ["nobody", fromRows([], 3)],
  ["nothing", { ...fromRows([[], []]), objects: 0 }],
  ["one and one", fromRows([[0.3]])],
  ["one person", fromRows([[0.3, 0, 0.9, 0.9]])],
  ["one object", fromRows([[0.3], [0.8], [0.8]])],
  [
    "no candidate",
    fromRows([
      [0, 0],
      [0, 0],
    ]),
  ],
  [
    "the two by two of lab/notes/sorting.md",
    fromRows([
      [1, 1],
      [1, 0],
    ]),
  ],
  [
    "equal points",
    fromRows([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
    ]),
  ],
  [
    "a chain",
    fromRows([
      [0.9, 0.8, 0],
      [0.9, 0, 0],
      [0, 0.8, 0.1],
    ]),
  ],
  ...[1, 2, 3, 4].map((seed): [string, AuctionProblem] => [
    `random ${seed}`,
    randomProblem(seed, 6 + seed, 11 - seed, 0.5),
  ]),
  ...[1, 2, 3].map((seed): [string, AuctionProblem] => [`gated ${seed}`, gatedProblem(seed, 60, 50 + 10 * seed, 6)]),
];

describe.each(cases)("%s", (_, problem) => {
  const exact = exactUtility(problem);

  test.each([0.1, 1e-3, 1e-5])("the list is certified within N ε of the exact one, ε = %f", (epsilon) => {
    const { status, objectOfPerson, price } = forwardAuction(problem, { epsilon });
    const { legal, utility, bound, gap } = certifyAuction(problem, objectOfPerson, price);
    expect(status).toBe("done");
    expect(legal).toBe(true);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(utility).toBeLessThanOrEqual(exact + 1e-12);
    expect(gap).toBeLessThanOrEqual(problem.persons * epsilon + 1e-9);
    for (const p of price) expect(p).toBeLessThanOrEqual(1 + epsilon + 1e-12);
  });

  test("so is the dense form, with the larger side as objects", () => {
    const turned = problem.persons > problem.objects ? transposed(problem) : problem;
    const { objectOfPerson, price } = forwardAuction(turned, { epsilon: 1e-3, form: "dense" });
    const { legal, utility, bound, gap } = certifyAuction(turned, objectOfPerson, price);
    expect(legal).toBe(true);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(utility).toBeLessThanOrEqual(exact + 1e-12);
    expect(gap).toBeLessThanOrEqual(turned.persons * 1e-3 + 1e-9);
  });

  test("forward–reverse is, from any prices and through any ε", () => {
    const price = Float64Array.from({ length: problem.objects }, (_, j) => (j * 0.37) % 1.3);
    for (const options of [{ price }, { scaling: [0.1, 0.01] }, { price, scaling: [0.3] }]) {
      const { objectOfPerson, price: found } = forwardReverseAuction(problem, { epsilon: 1e-4, ...options });
      const { legal, bound, gap } = certifyAuction(problem, objectOfPerson, found);
      expect(legal).toBe(true);
      expect(bound).toBeGreaterThanOrEqual(exact);
      expect(gap).toBeLessThanOrEqual(problem.persons * 1e-4 + 1e-9);
    }
  });
});

test("integers are solved exactly where N ε < 1", () => {
  for (let seed = 0; seed < 20; seed++) {
    const { utility, ...graph } = randomProblem(100 + seed, 12, 15, 0.5);
    const problem = { ...graph, utility: utility.map((worth) => Math.ceil(20 * worth)) };
    const { objectOfPerson, price } = forwardAuction(problem, { epsilon: 1 / 13 });
    expect(certifyAuction(problem, objectOfPerson, price).utility).toBe(exactUtility(problem));
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
    const best: [number, number, number][] = [];
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
  const { price: clamped } = forwardAuction(fromRows(worth), { epsilon, form: "dense" });
  expect(Math.max(...clamped)).toBeLessThanOrEqual(1 + epsilon + 1e-12);
});

describe("prices that are not 0 at the start", () => {
  const problem = gatedProblem(7, 150, 250, 8);
  const exact = exactUtility(problem);

  test("ε-scaling with the prices kept is wrong where sides are unequal, and the certificate says so", () => {
    const price = new Float64Array(problem.objects);
    for (const epsilon of [0.1, 0.01]) bidInRounds(problem, price, epsilon, "list", 1e6);
    const { objectOfPerson } = bidInRounds(problem, price, 0.001, "list", 1e6);
    const { utility, gap } = certifyAuction(problem, objectOfPerson, price);
    expect(utility).toBeLessThan(exact - 150 * 0.001);
    expect(gap).toBeGreaterThan(150 * 0.001);
  });

  test("last frame's prices are wrong for the same reason", () => {
    const last = forwardAuction(problem, { epsilon: 0.001 });
    const price = last.price.slice();
    const { objectOfPerson } = bidInRounds(problem, price, 0.001, "list", 1e6);
    expect(certifyAuction(problem, objectOfPerson, price).gap).toBeGreaterThan(10 * 150 * 0.001);
    const repaired = forwardReverseAuction(problem, { epsilon: 0.001, price: last.price });
    expect(repaired.reversed).toBeGreaterThan(0);
    expect(certifyAuction(problem, repaired.objectOfPerson, repaired.price).gap).toBeLessThanOrEqual(0.15 + 1e-9);
  });
});

test("a war of three for two equal objects takes rounds in proportion to value / ε, and a cap ends it", () => {
  const war = fromRows([
    [0.5, 0.5],
    [0.5, 0.5],
    [0.5, 0.5],
  ]);
  const rounds = [0.1, 0.01, 0.001].map((epsilon) => forwardAuction(war, { epsilon }).rounds);
  expect(rounds[1] / rounds[0]).toBeGreaterThan(5);
  expect(rounds[2] / rounds[1]).toBeGreaterThan(8);
  expect(forwardAuction(war, { epsilon: 1e-6, mostRounds: 50 }).status).toBe("capped");
});

test("leftovers cost the dense form a round each, and the list none", () => {
  const rows = Array.from({ length: 40 }, (_, i) => Array.from({ length: 60 }, (_, j) => (i === j && i < 20 ? 1 : 0)));
  const problem = fromRows(rows);
  expect(forwardAuction(problem, { epsilon: 0.01, form: "dense" }).rounds).toBeGreaterThan(19);
  expect(forwardAuction(problem, { epsilon: 0.01 }).rounds).toBe(1);
});

test("the certificate refuses a pair that is no candidate, and an object with two persons", () => {
  const problem = fromRows([
    [1, 0],
    [1, 0.5],
  ]);
  const price = Float64Array.of(0.5, 0);
  expect(certifyAuction(problem, Int32Array.of(1, 0), price)).toMatchObject({ legal: false, utility: -Infinity });
  expect(certifyAuction(problem, Int32Array.of(0, 0), price)).toMatchObject({ legal: false });
  expect(certifyAuction(problem, Int32Array.of(0, 1), price)).toMatchObject({ legal: true, utility: 1.5 });
  expect(certifyAuction(problem, Int32Array.of(0, 1), Float64Array.of(-3, Number.NaN)).bound).toBeGreaterThanOrEqual(
    1.5,
  );
});

test("no price and no pair whatsoever gives a bound below the greatest utility, or certifies a worse matching", () => {
  const broken = fc.constantFrom(Number.NaN, Infinity, -Infinity, 1e308, -1e308, 1e20);
  const attacked = fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 4 }))
    .chain(([persons, objects]) => {
      const many = <T>(length: number, of: fc.Arbitrary<T>) => fc.array(of, { minLength: length, maxLength: length });
      return fc.record({
        rows: many(persons, many(objects, fc.nat(8))),
        objects: fc.constant(objects),
        price: many(objects, fc.oneof(broken, fc.nat(9))),
        pairs: many(persons, fc.integer({ min: -1, max: objects })),
      });
    });
  const check = fc.property(attacked, ({ rows, objects, price, pairs }) => {
    const problem = fromRows(rows, objects);
    const best = -bruteForce(lapOf(problem));
    const [matching, prices] = [Int32Array.from(pairs), Float64Array.from(price)];
    const { legal, utility, bound } = certifyAuction(problem, matching, prices);
    expect(bound).toBeGreaterThanOrEqual(best);
    if (legal && utility < best) expect(() => requireWithin(problem, matching, prices, 0)).toThrow("below its bound");
  });
  fc.assert(check, { numRuns: 3000 });
});

test("scaling and relabelling change nothing but names", () => {
  const problem = gatedProblem(11, 40, 40, 4);
  const one = forwardAuction(problem, { epsilon: 2 ** -10 });
  const doubled = forwardAuction(
    { ...problem, utility: problem.utility.map((worth) => 8 * worth) },
    { epsilon: 2 ** -7 },
  );
  expect(doubled.objectOfPerson).toEqual(one.objectOfPerson);
  expect(doubled.rounds).toBe(one.rounds);
  const exchanged = transposed(problem);
  const other = forwardAuction(exchanged, { epsilon: 1e-6 });
  expect(certifyAuction(exchanged, other.objectOfPerson, other.price).utility).toBeCloseTo(exactUtility(problem), 4);
});

test.each([[0], [-1], [Number.NaN]])("ε = %f is refused", (epsilon) => {
  expect(() => forwardAuction(fromRows([[1]]), { epsilon })).toThrow("ε is");
});

test("a track too many in one gate: the rounds follow from how much worth is left over how much the objects differ, at any ε", () => {
  // Three tracks and two measurements of Spheres & Plates, seed 1, in units of d_max: the slowest frame of that belt.
  const plates = fromRows([
    [0.3334, 0.4358],
    [0.9994, 0.8813],
    [0.8818, 1],
  ]);
  for (const epsilon of [1e-2, 1e-3, 1e-4]) {
    const { rounds, objectOfPerson } = forwardAuction(plates, { epsilon });
    expect(rounds).toBe(8);
    expect([...objectOfPerson]).toEqual([-1, 0, 1]);
  }
  const war = (difference: number) =>
    forwardAuction(
      fromRows([
        [0.5, 0.5],
        [1, 1 - difference],
        [1 - difference, 1],
      ]),
      { epsilon: 1e-6 },
    ).rounds;
  const rounds = [0.08, 0.04, 0.02, 0.01].map(war);
  rounds.slice(1).forEach((count, n) => {
    expect(count / rounds[n]).toBeGreaterThan(1.6);
    expect(count / rounds[n]).toBeLessThan(2.4);
  });
});
