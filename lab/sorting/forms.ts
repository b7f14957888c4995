/**
 * The two forms of an auction on the grid. List, which the program runs: a person bids on candidates only, and stays alone when its best one is worth no more
 * than its price. Dense, as in Maier et al. 2019: every object may be bid on, those out of reach at utility 0, until no person is alone; this needs at
 * least as many objects as persons, so the smaller side of all bids.
 */
import {
  type FixedAnswer,
  type FixedProblem,
  fixedProblem,
  ofScene,
  type Scene,
} from "../../dist/lap/auction/fixed-point.js";
import { sidesOf } from "../../dist/lap/auction/sides.js";
import { fixedAuction, utilityOf } from "./fixed-auction.js";

export type AuctionForm = "list" | "dense";

/** @param share ε, of d_max */
export function problemOf(scene: Scene, form: AuctionForm, share: number): FixedProblem {
  return fixedProblem(scene, form === "list" ? sidesOf(scene) : smallerSide(scene), share);
}

/** The sides of the dense form, which has no candidates. */
export function smallerSide({ persons, objects }: Scene): FixedProblem["sides"] {
  const all = Uint32Array.from({ length: persons + objects }, (_, point) => point);
  const [person, object] = [all.subarray(0, persons), all.subarray(persons)];
  const none = new Uint32Array(0);
  const [bidder, ware] = persons > objects ? [object, person] : [person, object];
  return { bidder, ware, rowStart: none, object: none, entry: none };
}

/** The result for the scene, without the dense form's pairs that are worth nothing. */
export function resultOf(
  problem: FixedProblem,
  form: AuctionForm,
  answer: FixedAnswer,
  scene: Scene,
): ReturnType<typeof ofScene> {
  if (form === "list") return ofScene(problem, answer, scene);
  const objectOfPerson = answer.objectOfPerson.map((j, i) => (j >= 0 && utilityOf(problem, i, j) === 0 ? -1 : j));
  return ofScene(problem, { ...answer, objectOfPerson }, scene);
}

/** The kernels' twin on the CPU. */
export function twinOf(problem: FixedProblem, form: AuctionForm, mostRounds: number): FixedAnswer {
  return form === "list" ? fixedAuction(problem, mostRounds) : denseAuction(problem, mostRounds);
}

/** As fixedAuction, with bids on all objects. */
function denseAuction(problem: FixedProblem, mostRounds: number): FixedAnswer {
  const { persons, objects } = problem;
  const price = new Uint32Array(objects);
  const owner = new Int32Array(objects).fill(-1);
  const objectOfPerson = new Int32Array(persons).fill(-1);
  for (let rounds = 0; ; rounds++) {
    if (objects === 0 || !objectOfPerson.includes(-1)) return { status: "done", objectOfPerson, price, rounds };
    if (rounds === mostRounds) return { status: "capped", objectOfPerson, price, rounds };
    const highest = new Map<number, { bid: number; person: number }>();
    for (let i = 0; i < persons; i++) {
      if (objectOfPerson[i] >= 0) continue;
      const { object, bid } = denseBid(problem, price, i);
      // Persons come in increasing order, so of equal bids that of the greatest number stays.
      if (bid >= (highest.get(object)?.bid ?? 0)) highest.set(object, { bid, person: i });
    }
    for (const [j, { bid, person }] of highest) {
      if (owner[j] >= 0) objectOfPerson[owner[j]] = -1;
      owner[j] = person;
      objectOfPerson[person] = j;
      price[j] = bid;
    }
  }
}

/** The best object for person i, the first of equal ones, and the price that it bids. */
function denseBid(problem: FixedProblem, price: Uint32Array, i: number): { object: number; bid: number } {
  let [first, second, object] = [-Infinity, 0, -1];
  for (let j = 0; j < problem.objects; j++) {
    const value = utilityOf(problem, i, j) - price[j];
    if (value > first) {
      second = Math.max(first, 0);
      first = value;
      object = j;
    } else if (value > second) second = value;
  }
  return { object, bid: price[object] + first - second + problem.epsilon };
}
