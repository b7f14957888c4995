/**
 * Which points bid and which are bid on. k + 1 persons who compete for k objects raise the prices by little in each round; k objects that bid on
 * k + 1 persons are done at once. So in each connected component of the candidates the smaller side bids.
 */
import { rootOf } from "../../core/union-find.js";
import type { AuctionProblem } from "./problem.js";

/** The choice depends on the candidates, and not on their utilities. */
type Graph = Omit<AuctionProblem, "utility">;

/** Points are numbered through: person i is i, and object j is persons + j. */
export interface Sides {
  /** The points that bid, in increasing order: the persons of the auction. */
  readonly bidder: Uint32Array;
  /** The points that they bid on, in increasing order: its objects. */
  readonly ware: Uint32Array;
  /** Candidates of each bidder, as in AuctionProblem. */
  readonly rowStart: Uint32Array;
  readonly object: Uint32Array;
  /** The candidate of the whole problem that each of them is. */
  readonly entry: Uint32Array;
}

/** Persons bid where a component has as many of them as objects. A point without candidates never bids. */
export function sidesOf(graph: Graph): Sides {
  const { persons, objects } = graph;
  const points = persons + objects;
  const bids = smallerSides(graph);
  const bidder = new Uint32Array(points);
  const ware = new Uint32Array(points);
  /** Where a point is among the bidders or the wares. */
  const place = new Int32Array(points);
  let bidders = 0;
  let wares = 0;
  for (let point = 0; point < points; point++) {
    if (bids[point] === 1) {
      place[point] = bidders;
      bidder[bidders++] = point;
    } else {
      place[point] = wares;
      ware[wares++] = point;
    }
  }
  return {
    bidder: bidder.subarray(0, bidders),
    ware: ware.subarray(0, wares),
    ...candidates(graph, bids, place, bidders),
  };
}

/** 1 for the points that bid. */
function smallerSides({ persons, objects, rowStart, object }: Graph): Uint8Array {
  const points = persons + objects;
  // A point's parent is no greater than the point. Signed, here and below, since engines index faster by such numbers.
  const parent = new Int32Array(points);
  for (let point = 0; point < points; point++) parent[point] = point;
  for (let i = 0; i < persons; i++) {
    let root = rootOf(parent, i);
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const other = rootOf(parent, persons + object[k]);
      if (other < root) {
        parent[root] = other;
        root = other;
      } else parent[other] = root;
    }
  }
  /** Persons less objects of each component, at its root. */
  const surplus = new Int32Array(points);
  for (let point = 0; point < points; point++) {
    const root = parent[parent[point]];
    parent[point] = root;
    surplus[root] += point < persons ? 1 : -1;
  }
  const bids = new Uint8Array(points);
  for (let i = 0; i < persons; i++) bids[i] = surplus[parent[i]] > 0 ? 0 : 1;
  for (let point = persons; point < points; point++) bids[point] = surplus[parent[point]] > 0 ? 1 : 0;
  return bids;
}

/** The candidates of the bidders, in increasing order since points are numbered in the order of theirs. */
function candidates(
  { persons, rowStart, object }: Graph,
  bids: Uint8Array,
  place: Int32Array,
  bidders: number,
): Pick<Sides, "rowStart" | "object" | "entry"> {
  const entries = rowStart[persons] - rowStart[0];
  const begin = new Uint32Array(bidders + 1);
  for (let i = 0; i < persons; i++) {
    if (bids[i] === 1) begin[place[i] + 1] = rowStart[i + 1] - rowStart[i];
    else for (let k = rowStart[i]; k < rowStart[i + 1]; k++) begin[place[persons + object[k]] + 1]++;
  }
  for (let b = 0; b < bidders; b++) begin[b + 1] += begin[b];
  const next = begin.slice(0, bidders);
  const ware = new Uint32Array(entries);
  const entry = new Uint32Array(entries);
  for (let i = 0; i < persons; i++) {
    const side = place[i];
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const other = place[persons + object[k]];
      const at = next[bids[i] === 1 ? side : other]++;
      ware[at] = bids[i] === 1 ? other : side;
      entry[at] = k;
    }
  }
  return { rowStart: begin, object: ware, entry };
}

/** The auction problem in which the bidders are the persons. */
export function problemOfSides(
  { bidder, ware, rowStart, object, entry }: Sides,
  { utility }: AuctionProblem,
): AuctionProblem {
  const worth = new Float64Array(entry.length);
  for (let k = 0; k < worth.length; k++) worth[k] = utility[entry[k]];
  return { persons: bidder.length, objects: ware.length, rowStart, object, utility: worth };
}

/**
 * The answer for the whole problem: the object of each person and the prices of the objects, which prove the same bound as those of the wares. An object that bid
 * costs the worth of its best person to it, less that person's price; no person gains more at these prices than it cost as a ware.
 */
export function answerOfSides(
  { bidder, ware }: Sides,
  { persons, objects, rowStart, object, utility }: AuctionProblem,
  answer: { readonly objectOfPerson: Int32Array; readonly price: Float64Array },
): { objectOfPerson: Int32Array; price: Float64Array } {
  const objectOfPerson = new Int32Array(persons).fill(-1);
  const price = new Float64Array(objects);
  for (let b = 0; b < bidder.length; b++) {
    const won = answer.objectOfPerson[b];
    if (won < 0) continue;
    const [one, other] = [bidder[b], ware[won]];
    if (one < persons) objectOfPerson[one] = other - persons;
    else objectOfPerson[other] = one - persons;
  }
  for (let w = 0; w < ware.length; w++) {
    const point = ware[w];
    if (point >= persons) {
      price[point - persons] = answer.price[w];
      continue;
    }
    for (let k = rowStart[point]; k < rowStart[point + 1]; k++) {
      const left = utility[k] - answer.price[w];
      if (left > price[object[k]]) price[object[k]] = left;
    }
  }
  return { objectOfPerson, price };
}
