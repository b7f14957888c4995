import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/lap.js";
import { certifyAuction } from "../../../src/lap/auction/certificate.js";
import { forwardAuction } from "../../../src/lap/auction/forward.js";
import { lapOf } from "../../../src/lap/auction/problem.js";
import { requireWithin } from "../../../src/track/auction.js";
import { cases, exactUtility, fromRows, gatedProblem, randomProblem, transposed } from "./support.js";

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
});

test("integers are solved exactly where N ε < 1", () => {
  for (let seed = 0; seed < 20; seed++) {
    const { utility, ...graph } = randomProblem(100 + seed, 12, 15, 0.5);
    const problem = { ...graph, utility: utility.map((worth) => Math.ceil(20 * worth)) };
    const { objectOfPerson, price } = forwardAuction(problem, { epsilon: 1 / 13 });
    expect(certifyAuction(problem, objectOfPerson, price).utility).toBe(exactUtility(problem));
  }
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

test("persons whom nothing is left for cost no round", () => {
  const rows = Array.from({ length: 40 }, (_, i) => Array.from({ length: 60 }, (_, j) => (i === j && i < 20 ? 1 : 0)));
  expect(forwardAuction(fromRows(rows), { epsilon: 0.01 }).rounds).toBe(1);
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
