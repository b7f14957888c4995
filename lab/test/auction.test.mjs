import { describe, expect, test } from "vitest";
import { certifyAuction } from "../../dist/lap/auction/certificate.js";
import { fixedAuction } from "../../dist/lap/auction/fixed-auction.js";
import { fixedProblem, GRID_ERROR, ofScene } from "../../dist/lap/auction/fixed-point.js";
import { bidInRounds, forwardAuction } from "../../dist/lap/auction/forward.js";
import { sidesOf } from "../../dist/lap/auction/sides.js";
import { auctionOf } from "../../dist/track/auction.js";
import { Gate } from "../../dist/track/gate.js";
import { binding } from "../../test/gpu/small-device.ts";
import { exactUtility, fromRows, gatedProblem, randomProblem } from "../../test/lap/auction/support.ts";
import { uniform } from "../../test/lap/support.ts";
import { BOARDS, BoardAuction } from "../sorting/board-auction.mjs";
import { denseAuction, denseForwardAuction, denseSides, ofDenseScene } from "../sorting/dense.mjs";
import { forwardReverseAuction, transposed } from "../sorting/forward-reverse.mjs";
import { useSoftwareSession } from "./session.mjs";

/** @type {[string, any][]} */
const cases = [
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
    "the two by two of docs/sorting.md",
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
  ...[1, 2, 3, 4].map((seed) => [`random ${seed}`, randomProblem(seed, 6 + seed, 11 - seed, 0.5)]),
  ...[1, 2, 3].map((seed) => [`gated ${seed}`, gatedProblem(seed, 60, 50 + 10 * seed, 6)]),
];

describe.each(cases)("%s", (_, problem) => {
  const exact = exactUtility(problem);

  test("the dense form is certified within N ε of the exact one, with the larger side as objects", () => {
    const turned = problem.persons > problem.objects ? transposed(problem) : problem;
    const { objectOfPerson, price } = denseForwardAuction(turned, 1e-3);
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
  const { price: clamped } = denseForwardAuction(fromRows(worth), epsilon);
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

test("leftovers cost the dense form a round each, and the list none", () => {
  const rows = Array.from({ length: 40 }, (_, i) => Array.from({ length: 60 }, (_, j) => (i === j && i < 20 ? 1 : 0)));
  const problem = fromRows(rows);
  expect(denseForwardAuction(problem, 0.01).rounds).toBeGreaterThan(19);
  expect(forwardAuction(problem, { epsilon: 0.01 }).rounds).toBe(1);
});

function sceneOf(persons, objects, reach = 1) {
  const column = (points, k) => Float64Array.from(points, (point) => point[k]);
  const [px, py, ox, oy] = [column(persons, 0), column(persons, 1), column(objects, 0), column(objects, 1)];
  return auctionOf(new Gate().frame(persons.length, px, py, ox, oy, reach));
}

function randomScene(seed, persons, objects, side) {
  const random = uniform(seed);
  const draw = (count) => Array.from({ length: count }, () => [side * random(), side * random()]);
  return sceneOf(draw(persons), draw(objects));
}

/** Tracks and measurements of a belt: nearly all are where they are predicted, some are new, some are gone. */
function beltScene(seed, count) {
  const random = uniform(seed);
  const side = Math.sqrt(count) * 1.3;
  const at = Array.from({ length: Math.round(1.4 * count) }, () => [side * random(), side * random()]);
  const moved = at.slice(Math.round(0.35 * count)).map(([x, y]) => [x + 0.05 * random(), y + 0.05 * random()]);
  const born = Array.from({ length: count - moved.length }, () => [side * random(), side * random()]);
  return sceneOf(at, [...moved, ...born]);
}

const equal = Array.from({ length: 12 }, () => [2, 2]);
/** @type {[string, any][]} */
const scenes = [
  ["nobody", sceneOf([], [[1, 1]])],
  [
    "nothing",
    sceneOf(
      [
        [1, 1],
        [2, 2],
      ],
      [],
    ),
  ],
  ["one and one", sceneOf([[0, 0]], [[0.3, 0.4]])],
  [
    "one person",
    sceneOf(
      [[0, 0]],
      [
        [0.3, 0.4],
        [0.1, 0],
        [0, 0.1],
        [5, 5],
      ],
    ),
  ],
  [
    "one object",
    sceneOf(
      [
        [0, 0],
        [0.2, 0],
        [0.2, 0],
        [9, 9],
      ],
      [[0.1, 0.1]],
    ),
  ],
  [
    "the two by two of docs/sorting.md",
    sceneOf(
      [
        [0, 0],
        [0.6, 0],
      ],
      [
        [0, 0],
        [-0.6, 0],
      ],
    ),
  ],
  ["equal points, N = M", sceneOf(equal, equal)],
  ["equal points, one too many", sceneOf(equal, equal.slice(1))],
  [
    "out of reach",
    sceneOf(
      [
        [0, 0],
        [3, 3],
      ],
      [
        [10, 10],
        [20, 20],
        [30, 30],
      ],
    ),
  ],
  ["random", randomScene(1, 40, 50, 5)],
  ["random, exchanged", randomScene(2, 50, 40, 5)],
  ["crowded", randomScene(3, 30, 30, 1.2)],
];

/** The form's problem, its twin on the CPU, and its result for the scene. */
const FORMS = {
  list: { sides: sidesOf, twin: fixedAuction, result: ofScene },
  dense: { sides: denseSides, twin: denseAuction, result: ofDenseScene },
};
const problemOf = (scene, form, share) => fixedProblem(scene, FORMS[form].sides(scene), share);
const inTwoWords = (problem) => ({ ...problem, packing: { ...problem.packing, words: /** @type {const} */ (2) } });

describe.each(scenes)("the twin: %s", (_, scene) => {
  const exact = exactUtility(scene);
  test.each(["list", "dense"])("%s is certified within N ε and the grid of the exact one", (form) => {
    const problem = problemOf(scene, form, 1e-3);
    const answer = FORMS[form].twin(problem, 1e6);
    const { objectOfPerson, price } = FORMS[form].result(problem, answer, scene);
    const slack = (problem.persons * (problem.epsilon + 2 * GRID_ERROR)) / problem.reach;
    const { legal, bound, gap } = certifyAuction(scene, objectOfPerson, price);
    expect(legal).toBe(true);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(gap).toBeLessThanOrEqual(slack + 1e-9);
  });
});

describe("kernels and their twin", () => {
  const session = useSoftwareSession();
  const forms = ["list", "dense"];
  const agree = async (auction, problem) => {
    const { status, objectOfPerson, price, rounds, ran } = await auction.solve(problem, 100_000);
    const twin = FORMS[auction.options.form].twin(problem, 100_000);
    expect({ status, rounds }).toEqual({ status: twin.status, rounds: twin.rounds });
    expect(objectOfPerson).toEqual(twin.objectOfPerson);
    expect(price).toEqual(twin.price);
    return ran;
  };

  test.each(BOARDS.flatMap((board) => forms.map((form) => [board, form])))("%s, %s: every bit", async (board, form) => {
    for (const loop of board === "workgroup" ? ["submit"] : ["host", "submit"]) {
      const auction = await BoardAuction.create(session(), { board, form, loop });
      for (const [, scene] of scenes) await agree(auction, problemOf(scene, form, 0.1));
      auction.destroy();
    }
  });

  test.each(forms)("beyond 32 bits, %s: two passes, every bit", async (form) => {
    for (const board of ["packed", "workgroup"]) {
      const auction = await BoardAuction.create(session(), { board, form });
      for (const [, scene] of scenes.slice(1)) {
        const problem = inTwoWords(problemOf(scene, form, 0.1));
        const ran = await agree(auction, problem);
        if (problem.persons > 0 && problem.objects > 0) expect(ran).toBe("pair");
      }
      auction.destroy();
    }
  });

  test("a belt of 120, dense: all boards, in one workgroup and in rounds", async () => {
    const problem = problemOf(beltScene(5, 120), "dense", 0.01);
    for (const board of BOARDS) {
      const auction = await BoardAuction.create(session(), { board, form: "dense" });
      expect(await agree(auction, problem)).toBe(board);
      auction.destroy();
    }
  });

  test("a cap on the rounds is kept, and its matching not used", async () => {
    const problem = problemOf(scenes[11][1], "list", 1e-5);
    for (const board of BOARDS) {
      const auction = await BoardAuction.create(session(), { board, form: "list", roundsPerSubmit: 4 });
      for (const most of [1, 3, 4, 7]) {
        expect(await auction.solve(problem, most)).toMatchObject({ status: "capped", rounds: most });
        expect(fixedAuction(problem, most)).toMatchObject({ status: "capped", rounds: most });
      }
      auction.destroy();
    }
  });

  test("a matrix of bids up to the largest binding fits; one above it is refused by what it needs", async () => {
    const problem = problemOf(randomScene(5, 60, 50, 9), "list", 0.01);
    const solveOn = async (bytes) => {
      const small = binding(/** @type {any} */ (session()), bytes);
      const auction = await BoardAuction.create(small, { board: "matrix", form: "list" });
      return await auction.solve(problem, 1000).finally(() => auction.destroy());
    };
    // With room for larger frames to come they would not fit.
    const bytes = 4 * problem.persons * problem.objects;
    expect((await solveOn(bytes)).objectOfPerson).toEqual(fixedAuction(problem, 1000).objectOfPerson);
    await expect(solveOn(bytes - 4)).rejects.toThrow(`auction bids needs ${bytes} bytes`);
  });
});
