import { describe, expect, test } from "vitest";
import { fixedAuction, utilityOf } from "../../../lab/sorting/fixed-auction.js";
import { certifyAuction } from "../../../src/lap/auction/certificate.js";
import {
  type FixedProblem,
  fixedProblem,
  GRID_ERROR,
  ofScene,
  packingOf,
  type Scene,
} from "../../../src/lap/auction/fixed-point.js";
import { GpuAuction } from "../../../src/lap/auction/gpu-auction.js";
import { sidesOf } from "../../../src/lap/auction/sides.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { beltScene, randomScene, scenes } from "./scenes.js";
import { exactUtility } from "./support.js";

/** The scene on the grid; with two words for a price and its owner where told. */
function listProblem(scene: Scene, share: number, words?: 2): FixedProblem {
  const problem = fixedProblem(scene, sidesOf(scene), share);
  return words === undefined ? problem : { ...problem, packing: { ...problem.packing, words } };
}

test("the grid: utilities are rounded down, and a packing has room for what it must hold", () => {
  const scene = randomScene(7, 60, 60, 4);
  const problem = listProblem(scene, 1e-4);
  const { rowStart, candidate, sides } = problem;
  expect(rowStart[problem.persons]).toBe(scene.utility.length);
  for (let i = 0; i < problem.persons; i++) {
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
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
  test("it is certified within N ε and the grid of the exact one", () => {
    const problem = listProblem(scene, 1e-3);
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
  const agree = async (auction: GpuAuction, problem: FixedProblem) => {
    const { status, objectOfPerson, price, rounds, ran } = await auction.solve(problem, 100_000);
    const twin = fixedAuction(problem, 100_000);
    expect({ status, rounds }).toEqual({ status: twin.status, rounds: twin.rounds });
    expect(objectOfPerson).toEqual(twin.objectOfPerson);
    expect(price).toEqual(twin.price);
    return problem.persons > 0 && problem.objects > 0 ? ran : null;
  };
  /** Whether objects fit the workgroup of a device, its capacity says. */
  const inRounds = async () => Object.assign(await GpuAuction.create(session()), { capacity: 0 });

  test("every bit: in one workgroup, in rounds, and in rounds with two words an object", async () => {
    const one = await GpuAuction.create(session());
    const many = await inRounds();
    for (const [, scene] of scenes) {
      expect([null, "workgroup"]).toContain(await agree(one, listProblem(scene, 0.1)));
      expect([null, "packed"]).toContain(await agree(many, listProblem(scene, 0.1)));
      expect([null, "pair"]).toContain(await agree(one, listProblem(scene, 0.1, 2)));
    }
    one.destroy();
    many.destroy();
  });

  test.each([1024, 1025, 2048, 4096])("a belt of %d persons", async (persons) => {
    const problem = listProblem(beltScene(persons, Math.round(persons / 1.4)), 1e-4);
    for (const auction of [await GpuAuction.create(session()), await inRounds()]) {
      await agree(auction, problem);
      auction.destroy();
    }
  });

  test("a cap on the rounds is kept, and its matching not used", async () => {
    const problem = listProblem(scenes[11][1], 1e-5);
    for (const auction of [await GpuAuction.create(session()), await inRounds()]) {
      for (const most of [1, 3, 4, 7]) {
        for (const one of [problem, { ...problem, packing: { ...problem.packing, words: 2 as const } }]) {
          expect(await auction.solve(one, most)).toMatchObject({ status: "capped", rounds: most });
        }
        expect(fixedAuction(problem, most)).toMatchObject({ status: "capped", rounds: most });
      }
      auction.destroy();
    }
  });

  test("a kernel that was given refuses objects that do not fit it, and does not run another auction", async () => {
    const given = new URL("../../../src/lap/auction/kernels/workgroup.wgsl", import.meta.url);
    const auction = Object.assign(await GpuAuction.create(session(), given), { capacity: 5 });
    const scene = randomScene(7, 60, 60, 4);
    await expect(auction.solve(listProblem(scene, 0.1), 100)).rejects.toThrow(/workgroup.wgsl holds up to 5 objects/);
    await expect(auction.solve(listProblem(scene, 0.1, 2), 100)).rejects.toThrow("use another board");
    auction.destroy();
  });
});
