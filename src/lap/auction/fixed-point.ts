/**
 * Auctions in whole numbers, the same on the CPU and on a GPU to the last bit (Maier et al. 2019, §5.1). Points lie on a grid so fine that d_max is
 * `reach` steps; a utility is reach − ⌊distance⌋ steps; prices and ε are steps too, so that the paper's K is reach / d_max.
 */
import { InputError } from "../../core/errors.js";
import type { AuctionProblem } from "./problem.js";
import { answerOfSides, type Sides } from "./sides.js";

/** A problem of points. */
export interface Scene extends AuctionProblem {
  readonly personX: Float64Array;
  readonly personY: Float64Array;
  readonly objectX: Float64Array;
  readonly objectY: Float64Array;
  /** d_max > 0: the utility of a pair is d_max less its distance, or 0. */
  readonly reach: number;
}

export interface FixedProblem {
  readonly persons: number;
  readonly objects: number;
  /** x and y of each, in steps, |x| < 2³⁰. */
  readonly person: Int32Array;
  readonly object: Int32Array;
  /** d_max in steps, at most 2²⁰, so that squares of distances are exact in f64 and in two words of 32 bits. */
  readonly reach: number;
  /** ε ≥ 1 in steps. */
  readonly epsilon: number;
  /** Candidates of each person, as in AuctionProblem. */
  readonly rowStart: Uint32Array;
  readonly candidate: Uint32Array;
  readonly packing: Packing;
  /** The points of the scene that are persons and objects here. */
  readonly sides: Sides;
}

/** How a price and its owner are packed into 32 bits. */
export interface Packing {
  /** Lowest bits of a word: the owner. */
  readonly idBits: number;
  /** Whether a price and its owner fit into one word; otherwise each has its own, and bids take two passes. */
  readonly words: 1 | 2;
}

export interface FixedAnswer {
  readonly status: "done" | "capped";
  /** Object of each person, −1: alone. */
  readonly objectOfPerson: Int32Array;
  /** In steps. */
  readonly price: Uint32Array;
  readonly rounds: number;
}

const FINEST = 2 ** 20;
const WIDEST = 2 ** 30;

/**
 * Bits for the numbers of `persons`, and the finest reach that one word leaves for prices up to reach + ε, where ε is `share` of it. 10 bits are not
 * enough for 1,025 persons: they would take each other's bids. If ε were less than a step, two words are used.
 */
export function packingOf(persons: number, share: number): Packing & { readonly reach: number } {
  const idBits = Math.max(1, Math.ceil(Math.log2(Math.max(1, persons))));
  const reach = Math.min(FINEST, Math.floor((2 ** (32 - idBits) - 1) / (1 + share)));
  if (share * reach >= 1) return { idBits, words: 1, reach };
  if (share * FINEST >= 1) return { idBits, words: 2, reach: FINEST };
  throw new InputError(
    `auction: ε is ${share} of d_max, finer than the grid of fixed-point auctions; give 1e-6 or more`,
  );
}

/** Puts a scene, in which these sides bid, on the grid. @param share ε, of d_max */
export function fixedProblem(scene: Scene, sides: Sides, share: number): FixedProblem {
  const { reach: finest, ...packing } = packingOf(sides.bidder.length, share);
  const x = joined(scene.personX, scene.objectX);
  const y = joined(scene.personY, scene.objectY);
  const [left, right] = extremes(x);
  const [bottom, top] = extremes(y);
  const extent = Math.max(right - left, top - bottom, scene.reach) / scene.reach;
  // A scene that is very large compared with d_max gets larger steps, which costs precision; the certificate measures how much.
  const reach = Math.floor(Math.min(finest, WIDEST / extent));
  if (reach < 2 ** 8)
    throw new InputError(`auction: the scene is ${extent} d_max wide, too wide for a fixed point; give a larger d_max`);
  const step = scene.reach / reach;
  // Plain loops over numbers: functions for each number and Math.round of quotients took longer than the auction.
  const perStep = 1 / step;
  const grid = (points: Uint32Array) => {
    const at = new Int32Array(2 * points.length);
    for (let n = 0; n < points.length; n++) {
      at[2 * n] = Math.floor((x[points[n]] - left) * perStep + 0.5);
      at[2 * n + 1] = Math.floor((y[points[n]] - bottom) * perStep + 0.5);
    }
    return at;
  };
  return {
    persons: sides.bidder.length,
    objects: sides.ware.length,
    person: grid(sides.bidder),
    object: grid(sides.ware),
    reach,
    epsilon: Math.max(1, Math.floor(share * reach)),
    rowStart: sides.rowStart,
    candidate: sides.object,
    packing,
    sides,
  };
}

/** Steps by which the utility of a pair on the grid may differ from the true one: two points rounded, and the distance. */
export const GRID_ERROR = 1 + Math.SQRT2;

/** The result for the scene: the object of each person, and the prices of the objects. */
export function ofScene(
  problem: FixedProblem,
  answer: FixedAnswer,
  scene: Scene,
): { objectOfPerson: Int32Array; price: Float64Array } {
  const step = scene.reach / problem.reach;
  const price = new Float64Array(problem.objects);
  for (let j = 0; j < price.length; j++) price[j] = answer.price[j] * step;
  return answerOfSides(problem.sides, scene, { objectOfPerson: answer.objectOfPerson, price });
}

function joined(first: Float64Array, second: Float64Array): Float64Array {
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function extremes(values: Float64Array): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; k++) {
    if (values[k] < least) least = values[k];
    if (values[k] > most) most = values[k];
  }
  return most >= least ? [least, most] : [0, 0];
}
