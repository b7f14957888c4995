/**
 * The dense form of Maier et al. 2019: a person may bid on every object, on those out of reach at utility 0, until no person is alone. This needs
 * at least as many objects as persons. The program's auctions are over lists of candidates.
 */
import { InputError } from "../../dist/core/errors.js";
import { ofScene, utilityOf } from "../../dist/lap/auction/fixed-point.js";

/** The smaller side of all bids; there are no candidates. */
export function denseSides({ persons, objects }) {
  const all = Uint32Array.from({ length: persons + objects }, (_, point) => point);
  const [person, object] = [all.subarray(0, persons), all.subarray(persons)];
  const none = new Uint32Array(0);
  const [bidder, ware] = persons > objects ? [object, person] : [person, object];
  return { bidder, ware, start: none, object: none, entry: none };
}

/** The twin of the dense kernels, as src/lap/auction/fixed-auction.ts is that of the others. */
export function denseAuction(problem, mostRounds) {
  const { persons, objects, epsilon } = problem;
  const price = new Uint32Array(objects);
  const owner = new Int32Array(objects).fill(-1);
  const objectOfPerson = new Int32Array(persons).fill(-1);
  for (let rounds = 0; ; rounds++) {
    const bids = new Map();
    for (let i = 0; objects > 0 && i < persons; i++) {
      if (objectOfPerson[i] >= 0) continue;
      const [best, v, w] = twoBest(objects, (j) => utilityOf(problem, i, j) - price[j]);
      const raised = price[best] + v - Math.max(w, 0) + epsilon;
      // Persons bid in order, so that of equal bids that of the greatest number comes last.
      if (!(raised < bids.get(best)?.raised)) bids.set(best, { raised, i });
    }
    if (bids.size === 0) return { status: "done", objectOfPerson, price, rounds };
    if (rounds === mostRounds) return { status: "capped", objectOfPerson, price, rounds };
    for (const [j, { raised, i }] of bids) {
      if (owner[j] >= 0) objectOfPerson[owner[j]] = -1;
      owner[j] = i;
      objectOfPerson[i] = j;
      price[j] = raised;
    }
  }
}

/** The first object of the greatest value, that value, and the second best one, −Infinity where there is one object alone. */
function twoBest(objects, valueOf) {
  let [best, v, w] = [-1, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let j = 0; j < objects; j++) {
    const value = valueOf(j);
    if (value > v) [best, v, w] = [j, value, v];
    else if (value > w) w = value;
  }
  return [best, v, w];
}

/** The result for the scene: pairs that are worth nothing are none. */
export function ofDenseScene(problem, answer, scene) {
  const objectOfPerson = answer.objectOfPerson.map((j, i) => (j >= 0 && utilityOf(problem, i, j) === 0 ? -1 : j));
  return ofScene(problem, { ...answer, objectOfPerson }, scene);
}

/** The dense form in f64, as src/lap/auction/forward.ts for the list. */
export function denseForwardAuction({ persons, objects, start, object, utility }, epsilon) {
  if (persons > objects) throw new InputError(`auction: ${persons} persons and ${objects} objects; exchange them`);
  const price = new Float64Array(objects);
  const owner = new Int32Array(objects).fill(-1);
  const objectOfPerson = new Int32Array(persons).fill(-1);
  for (let rounds = 0; ; rounds++) {
    const bids = new Map();
    for (let i = 0; i < persons; i++) {
      if (objectOfPerson[i] >= 0) continue;
      const net = price.map((p) => -p);
      for (let k = start[i]; k < start[i + 1]; k++) net[object[k]] += utility[k];
      const [best, v, w] = twoBest(objects, (j) => net[j]);
      const raised = price[best] + (v - Math.max(w, 0) + epsilon);
      if (!(raised < bids.get(best)?.raised)) bids.set(best, { raised, i });
    }
    if (bids.size === 0) {
      const isWorth = (j, i) => object.subarray(start[i], start[i + 1]).includes(j);
      return { objectOfPerson: objectOfPerson.map((j, i) => (isWorth(j, i) ? j : -1)), price, rounds };
    }
    for (const [j, { raised, i }] of bids) {
      if (owner[j] >= 0) objectOfPerson[owner[j]] = -1;
      owner[j] = i;
      objectOfPerson[i] = j;
      price[j] = raised;
    }
  }
}
