import { describe, expect, test } from "vitest";
import { certifyAuction } from "../../../src/lap/auction/certificate.js";
import { fixedAuction } from "../../../src/lap/auction/fixed-auction.js";
import {
  fixedProblem,
  GRID_ERROR,
  ofScene,
  packingOf,
  type Scene,
  utilityOf,
} from "../../../src/lap/auction/fixed-point.js";
import { BOARDS, type Board, GpuAuction, type Loop } from "../../../src/lap/auction/gpu-auction.js";
import type { AuctionForm } from "../../../src/lap/auction/problem.js";
import { auctionOf } from "../../../src/track/auction.js";
import { Gate } from "../../../src/track/gate.js";
import { binding } from "../../gpu/small-device.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { uniform } from "../support.js";
import { exactUtility } from "./support.js";

function sceneOf(persons: readonly (readonly number[])[], objects: readonly (readonly number[])[], reach = 1): Scene {
  const column = (points: readonly (readonly number[])[], k: number) => Float64Array.from(points, (point) => point[k]);
  return auctionOf(
    new Gate().frame(
      persons.length,
      column(persons, 0),
      column(persons, 1),
      column(objects, 0),
      column(objects, 1),
      reach,
    ),
  );
}

function randomScene(seed: number, persons: number, objects: number, side: number) {
  const random = uniform(seed);
  const draw = (count: number) => Array.from({ length: count }, () => [side * random(), side * random()]);
  return sceneOf(draw(persons), draw(objects));
}

/** Tracks and measurements of a belt: nearly all are where they are predicted, some are new, some are gone. */
function beltScene(seed: number, count: number) {
  const random = uniform(seed);
  const side = Math.sqrt(count) * 1.3;
  const at = Array.from({ length: Math.round(1.4 * count) }, () => [side * random(), side * random()]);
  const moved = at.slice(Math.round(0.35 * count)).map(([x, y]) => [x + 0.05 * random(), y + 0.05 * random()]);
  const born = Array.from({ length: count - moved.length }, () => [side * random(), side * random()]);
  return sceneOf(at, [...moved, ...born]);
}

const equal = Array.from({ length: 12 }, () => [2, 2]);
const scenes: [string, ReturnType<typeof sceneOf>][] = [
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
    "the two by two of lab/notes/sorting.md",
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

test("the grid: utilities are rounded down, and a packing has room for what it must hold", () => {
  const scene = randomScene(7, 60, 60, 4);
  const problem = fixedProblem(scene, "list", 1e-4);
  const { start, candidate, sides } = problem;
  expect(start[problem.persons]).toBe(scene.utility.length);
  for (let i = 0; i < problem.persons; i++) {
    for (let k = start[i]; k < start[i + 1]; k++) {
      const exact = scene.utility[sides.entry[k]] * problem.reach;
      expect(Math.abs(utilityOf(problem, i, candidate[k]) - exact)).toBeLessThanOrEqual(GRID_ERROR);
    }
  }
  for (const persons of [1, 2, 1024, 1025, 2048, 4096, 5000]) {
    const { idBits, reach, words } = packingOf(persons, 1e-4);
    expect(2 ** idBits).toBeGreaterThanOrEqual(persons);
    expect(words).toBe(1);
    expect(Math.ceil(reach * (1 + 1e-4)) * 2 ** idBits + persons - 1).toBeLessThan(2 ** 32);
  }
  expect(packingOf(1024, 1e-4).idBits).toBe(10);
  expect(packingOf(1025, 1e-4).idBits).toBe(11);
  expect(packingOf(4096, 1e-6).words).toBe(1);
  expect(packingOf(4097, 1e-6).words).toBe(2);
  expect(() => packingOf(100, 1e-9)).toThrow("finer than the grid");
});

test("10 bits for 1,025 persons would give links away", () => {
  // What a word of a person beyond the bits says: another person, and a bid that is one too high.
  const [bid, id] = [77, 1024];
  const word = (bid * 2 ** 10) | id;
  expect([word >>> 10, word & 1023]).toEqual([77, 0]);
  expect([(bid * 2 ** 10 + id) >>> 10, (bid * 2 ** 10 + id) & 1023]).toEqual([78, 0]);
});

describe.each(scenes)("the twin: %s", (_, scene) => {
  const exact = exactUtility(scene);
  test.each(["list", "dense"] as const)("%s is certified within N ε and the grid of the exact one", (form) => {
    const problem = fixedProblem(scene, form, 1e-3);
    const answer = fixedAuction(problem, 1e6);
    const { objectOfPerson, price } = ofScene(problem, answer, scene);
    const slack = (problem.persons * (problem.epsilon + 2 * GRID_ERROR)) / problem.reach;
    const { legal, bound, gap } = certifyAuction(scene, objectOfPerson, price);
    expect(legal).toBe(true);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(gap).toBeLessThanOrEqual(slack + 1e-9);
  });
});

describe("kernels and their twin", () => {
  const session = useSoftwareSession();
  const forms: AuctionForm[] = ["list", "dense"];
  const loops: Loop[] = ["host", "submit"];
  const agree = async (auction: GpuAuction, scene: Scene, form: AuctionForm, share: number, words?: 1 | 2) => {
    const problem = fixedProblem(scene, form, share, words);
    const { status, objectOfPerson, price, rounds, ran } = await auction.solve(problem, 100_000);
    const twin = fixedAuction(problem, 100_000);
    expect({ status, rounds }).toEqual({ status: twin.status, rounds: twin.rounds });
    expect(objectOfPerson).toEqual(twin.objectOfPerson);
    expect(price).toEqual(twin.price);
    return ran;
  };

  test.each(BOARDS.flatMap((board) => forms.map((form) => [board, form] as const)))(
    "%s, %s: every bit",
    async (board, form) => {
      for (const loop of board === "workgroup" ? loops.slice(1) : loops) {
        const auction = await GpuAuction.create(session(), { board, form, loop });
        for (const [, scene] of scenes) await agree(auction, scene, form, 0.1);
        auction.destroy();
      }
    },
  );

  test.each(forms)("beyond 32 bits, %s: two passes, every bit", async (form) => {
    for (const board of ["packed", "workgroup"] as Board[]) {
      const auction = await GpuAuction.create(session(), { board, form });
      for (const [, scene] of scenes.slice(1)) {
        const ran = await agree(auction, scene, form, 0.1, 2);
        const { persons, objects } = fixedProblem(scene, form, 0.1, 2);
        if (persons > 0 && objects > 0) expect(ran).toBe("pair");
      }
      auction.destroy();
    }
  });

  test.each([1024, 1025, 2048, 4096])("a belt of %d persons, list: (c) and (d)", async (persons) => {
    for (const board of ["packed", "workgroup"] as Board[]) {
      const auction = await GpuAuction.create(session(), { board, form: "list" });
      await agree(auction, beltScene(persons, Math.round(persons / 1.4)), "list", 1e-4);
      auction.destroy();
    }
  });

  test("a belt of 120, dense: all boards, in one workgroup and in rounds", async () => {
    const scene = beltScene(5, 120);
    for (const board of BOARDS) {
      const auction = await GpuAuction.create(session(), { board, form: "dense" });
      expect(await agree(auction, scene, "dense", 0.01)).toBe(board);
      auction.destroy();
    }
  });

  test("a cap on the rounds is kept, and its matching not used", async () => {
    const problem = fixedProblem(scenes[11][1], "list", 1e-5);
    for (const board of BOARDS) {
      const auction = await GpuAuction.create(session(), { board, form: "list", roundsPerSubmit: 4 });
      for (const most of [1, 3, 4, 7]) {
        expect(await auction.solve(problem, most)).toMatchObject({ status: "capped", rounds: most });
        expect(fixedAuction(problem, most)).toMatchObject({ status: "capped", rounds: most });
      }
      auction.destroy();
    }
  });
});

describe("a device that binds little", () => {
  const session = useSoftwareSession();

  test("a matrix of bids up to the largest binding fits; one above it is refused by what it needs", async () => {
    const problem = fixedProblem(randomScene(5, 60, 50, 9), "list", 0.01);
    const solveOn = async (bytes: number) => {
      const auction = await GpuAuction.create(binding(session(), bytes), { board: "matrix", form: "list" });
      return await auction.solve(problem, 1000).finally(() => auction.destroy());
    };
    // Rounded up to a power of two they would not fit.
    const bytes = 4 * problem.persons * problem.objects;
    expect(Math.log2(bytes) % 1).not.toBe(0);
    expect((await solveOn(bytes)).objectOfPerson).toEqual(fixedAuction(problem, 1000).objectOfPerson);
    await expect(solveOn(bytes - 4)).rejects.toThrow(`auction bids needs ${bytes} bytes`);
  });
});
