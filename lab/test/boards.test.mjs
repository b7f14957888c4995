import { describe, expect, test } from "vitest";
import { certifyAuction } from "../../dist/lap/auction/certificate.js";
import { GRID_ERROR } from "../../dist/lap/auction/fixed-point.js";
import { BOARDS, BoardAuction } from "../../dist-lab/sorting/boards.js";
import { problemOf, resultOf, twinOf } from "../../dist-lab/sorting/forms.js";
import { binding } from "../../test/gpu/small-device.js";
import { beltScene, randomScene, sceneOf, scenes } from "../../test/lap/auction/scenes.js";
import { exactUtility } from "../../test/lap/auction/support.js";
import { useSoftwareSession } from "./session.mjs";

const session = useSoftwareSession();

/** @typedef {import("../../dist-lab/sorting/forms.js").AuctionForm} AuctionForm */
/** @type {readonly AuctionForm[]} */
const FORMS = ["list", "dense"];

/** The scene on the grid, with two words for a price and its owner. */
function inTwoWords(scene, /** @type {AuctionForm} */ form, share) {
  const problem = problemOf(scene, form, share);
  return { ...problem, packing: { ...problem.packing, words: /** @type {const} */ (2) } };
}

async function agree(/** @type {BoardAuction} */ auction, problem) {
  const { status, objectOfPerson, price, rounds, ran } = await auction.solve(problem, 100_000);
  const twin = twinOf(problem, auction.options.form, 100_000);
  expect({ status, rounds }).toEqual({ status: twin.status, rounds: twin.rounds });
  expect(objectOfPerson).toEqual(twin.objectOfPerson);
  expect(price).toEqual(twin.price);
  return ran;
}

describe.each(scenes)("the twin: %s", (_, scene) => {
  const exact = exactUtility(scene);
  test.each(FORMS)("%s is certified within N ε and the grid of the exact one", (form) => {
    const problem = problemOf(scene, form, 1e-3);
    const answer = twinOf(problem, form, 1e6);
    const { objectOfPerson, price } = resultOf(problem, form, answer, scene);
    const slack = (problem.persons * (problem.epsilon + 2 * GRID_ERROR)) / problem.reach;
    const { legal, utility, bound, gap } = certifyAuction(scene, objectOfPerson, price);
    expect(legal).toBe(true);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(utility).toBeLessThanOrEqual(exact + 1e-12);
    expect(gap).toBeLessThanOrEqual(slack + 1e-9);
    for (const steps of answer.price) expect(steps).toBeLessThanOrEqual(problem.reach + problem.epsilon);
  });
});

describe.each(BOARDS.flatMap((board) => FORMS.map((form) => ({ board, form }))))("$board, $form", ({ board, form }) => {
  test("every bit", async () => {
    for (const loop of board === "workgroup"
      ? /** @type {const} */ (["submit"])
      : /** @type {const} */ (["host", "submit"])) {
      const auction = await BoardAuction.create(session(), { board, form, loop });
      for (const [, scene] of scenes) await agree(auction, problemOf(scene, form, 0.1));
      auction.destroy();
    }
  });

  test("a cap on the rounds is kept, and its matching not used", async () => {
    const problem = problemOf(scenes[11][1], form, 1e-5);
    const auction = await BoardAuction.create(session(), { board, form, roundsPerSubmit: 4 });
    for (const most of [1, 3, 4, 7]) {
      expect(await auction.solve(problem, most)).toMatchObject({ status: "capped", rounds: most });
      expect(twinOf(problem, form, most)).toMatchObject({ status: "capped", rounds: most });
    }
    auction.destroy();
  });
});

test.each(FORMS)("beyond 32 bits, %s: two passes, every bit", async (form) => {
  for (const board of /** @type {const} */ (["packed", "workgroup"])) {
    const auction = await BoardAuction.create(session(), { board, form });
    for (const [, scene] of scenes.slice(1)) {
      const problem = inTwoWords(scene, form, 0.1);
      const ran = await agree(auction, problem);
      if (problem.persons > 0 && problem.objects > 0) expect(ran).toBe("pair");
    }
    auction.destroy();
  }
});

test("a belt of 120, dense: all boards, in one workgroup and in rounds", async () => {
  const scene = beltScene(5, 120);
  for (const board of BOARDS) {
    const auction = await BoardAuction.create(session(), { board, form: "dense" });
    expect(await agree(auction, problemOf(scene, "dense", 0.01))).toBe(board);
    auction.destroy();
  }
});

test("leftovers cost the dense form a round each, and the list none", () => {
  const pairs = Array.from({ length: 40 }, (_, i) => [i < 20 ? 10 * i : 1000 + 10 * i, 0]);
  const things = Array.from({ length: 60 }, (_, j) => [j < 20 ? 10 * j : -1000 - 10 * j, 0]);
  const scene = sceneOf(pairs, things);
  expect(twinOf(problemOf(scene, "dense", 0.01), "dense", 1e6).rounds).toBeGreaterThan(19);
  expect(twinOf(problemOf(scene, "list", 0.01), "list", 1e6).rounds).toBe(1);
});

test("a matrix of bids up to the largest binding fits; one above it is refused by what it needs", async () => {
  const problem = problemOf(randomScene(5, 60, 50, 9), "list", 0.01);
  const solveOn = async (bytes) => {
    const small = /** @type {any} */ (binding(/** @type {any} */ (session()), bytes));
    const auction = await BoardAuction.create(small, { board: "matrix", form: "list" });
    return await auction.solve(problem, 1000).finally(() => auction.destroy());
  };
  // With room for larger frames they would not fit.
  const bytes = 4 * problem.persons * problem.objects;
  expect((await solveOn(bytes)).objectOfPerson).toEqual(twinOf(problem, "list", 1000).objectOfPerson);
  await expect(solveOn(bytes - 4)).rejects.toThrow(`auction bids needs ${bytes} bytes`);
});
