import { PairMap } from "../../core/pair-map.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
import type { Bundle, PlaneCuts } from "../dual/bundle.js";
import type { AscentState } from "../dual/state.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { Point } from "./separation.js";

/**
 * Cuts of one frame pair's subproblem each, x_e of the pair and y_ef of its triplets, as further coordinates of the bundle (docs/explanation/proofs.md §4): with
 * the multiplier μ_k ≥ 0 cut k adds μ_k to the cost of its items and takes μ_k right_k from the bound, a plane has the coordinate
 * g_k = Σ items it takes, and the proximal step is μ_k = max(0, c_k + τ (G_k − right_k)).
 */
export interface CutCoordinates extends PlaneCuts {
  readonly cuts: readonly Cut[];
  /** Present μ of each cut. */
  readonly mu: readonly number[];
  /** Adds cuts of multiplier 0. */
  add(cuts: readonly Cut[]): void;
  /** Takes out the cuts whose μ and centre are 0 and which the combination satisfies by more than `slack`; returns them. */
  dropSlack(slack: number): Cut[];
  /** The centre becomes the present μ, or the other way round. */
  keep(): void;
  restore(): void;
  /** μ = max(0, centre + τ (G − right)). */
  stand(tau: number): void;
  /** Σ μ right, and its part of the model Σ μ (G − right). */
  constant(): number;
  model(): number;
  /** Makes the costs that the X-LAP of a pair sees: its edges' with the cuts' part, to be called before they are priced. */
  charge(pair: number): void;
  /** Mends Δ and its triplet where the cuts' part makes another one the least, to be called after they are priced. */
  mend(pair: number): void;
  /** The bundle's present point in the convex hull of a pair's solutions: x of its edges and of the next pair's, and y. */
  point(pair: number): Point;
}

/** Weights of triplets below this are forgotten. */
const TINY = 1e-9;

/**
 * @param priced C_e that the X-LAPs see, written by `charge`; length edges
 */
export function createCutCoordinates(
  graph: Graph,
  state: AscentState,
  bundle: Bundle,
  priced: Float64Array,
): CutCoordinates {
  const { frames, frameStart, edges, edgeStart, linkStart, linkEnd, deathOf, birthOf, head, cost, triplets } = graph;
  const { capacity, planeEdge, planeSuccessor, planeStamp } = bundle;
  const pairs = frames - 1;
  const detections = frameStart[frames];
  const pairOf = (e: number): number => {
    let low = 0;
    for (let high = pairs - 1; low < high; ) {
      const middle = (low + high + 1) >>> 1;
      if (edgeStart[middle] <= e) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  let cuts: Cut[] = [];
  let mu: number[] = [];
  let centre: number[] = [];
  let combined: number[] = [];
  let right: number[] = [];
  let ofPair: number[][] = Array.from({ length: pairs }, () => []);
  /** g by pair, slot and place of the cut in ofPair. */
  const coordinates: Float64Array[][] = Array.from({ length: pairs }, () =>
    Array.from({ length: capacity }, () => new Float64Array(0)),
  );

  /** y of the combination by triplet (e, f), in units of `scale`. */
  const weights = Array.from({ length: pairs }, () => new PairMap<number>());
  const scale = new Float64Array(pairs).fill(1);

  /** Visits the triplets of a plane: the edge into each column and its successor. */
  const into = new Int32Array(detections);
  const visit = (p: number, slot: number, see: (e: number, f: number) => void): void => {
    if (p + 2 === frames) return;
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) into[j] = -1;
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      const e = planeEdge[slot * detections + i];
      if (head[e] >= 0) into[head[e]] = e;
    }
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
      const e = into[j] < 0 ? birthOf[j] : into[j];
      see(e, planeSuccessor[slot * detections + j]);
    }
  };

  /** Of the plane being read; −1 for edges that it does not take. */
  const successor = new Int32Array(edges).fill(-1);
  const measure = (p: number, slot: number): Float64Array => {
    if (ofPair[p].length === 0) return new Float64Array(0);
    visit(p, slot, (e, f) => {
      successor[e] = f;
    });
    const g = Float64Array.from(ofPair[p], (k) => {
      let sum = 0;
      for (const [e, f] of cuts[k].items) if (successor[e] >= 0 && (f < 0 || successor[e] === f)) sum++;
      return sum;
    });
    visit(p, slot, (e) => {
      successor[e] = -1;
    });
    return g;
  };

  /** What the cuts add to triplets of the pair that was charged last, and the edges e that have such. */
  const extra = new PairMap<number>();
  const some = new Uint8Array(edges);
  let marked: number[] = [];

  const mendRow = (e: number): void => {
    const extraOf = (f: number): number => extra.get(e, f) ?? 0;
    const { v, delta, bestSuccessor } = state;
    // The others became dearer, if anything: where the least triplet did not, it is the least still.
    if (bestSuccessor[e] < 0 || extraOf(bestSuccessor[e]) === 0) return;
    let least = Number.POSITIVE_INFINITY;
    let best = -1;
    const take = (f: number, price: number): void => {
      const value = price + extraOf(f) - v[f];
      if (value < least) [least, best] = [value, f];
    };
    if (triplets.kind === "csr") {
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) take(triplets.successor[t], triplets.cost[t]);
    } else {
      const j = head[e];
      for (let f = linkStart[j]; f < linkEnd[j]; f++) take(f, tripletCost(graph, e, f));
      if (deathOf[j] >= 0) take(deathOf[j], 0);
    }
    state.reduced[e] += least - delta[e];
    delta[e] = least;
    bestSuccessor[e] = best;
  };

  const spread = new Float64Array(edges);
  let spreadOver: number[] = [];

  return {
    get cuts() {
      return cuts;
    },
    get mu() {
      return mu;
    },
    add(more) {
      const touched = new Set<number>();
      for (const cut of more) {
        const p = pairOf(cut.items[0][0]);
        ofPair[p].push(cuts.length);
        touched.add(p);
        cuts.push(cut);
        mu.push(0);
        centre.push(0);
        right.push(rightOf(cut));
        combined.push(
          cut.items.reduce((sum, [e, f]) => {
            if (f >= 0) return sum + scale[p] * (weights[p].get(e, f) ?? 0);
            for (const weight of weights[p].row(e).values()) sum += scale[p] * weight;
            return sum;
          }, 0),
        );
      }
      for (const p of touched) {
        for (let slot = 0; slot < capacity; slot++)
          if (planeStamp[slot * pairs + p] > 0) coordinates[p][slot] = measure(p, slot);
      }
    },
    dropSlack(slack) {
      const stays = cuts.map((_, k) => mu[k] > 0 || centre[k] > 0 || combined[k] >= right[k] - slack);
      if (stays.every((one) => one)) return [];
      const dropped = cuts.filter((_, k) => !stays[k]);
      const renumbered = new Int32Array(cuts.length);
      let count = 0;
      stays.forEach((one, k) => {
        renumbered[k] = one ? count++ : -1;
      });
      const kept = <T>(list: T[]): T[] => list.filter((_, k) => stays[k]);
      for (let p = 0; p < pairs; p++) {
        const places = ofPair[p].flatMap((k, at) => (stays[k] ? [at] : []));
        for (let slot = 0; slot < capacity; slot++) {
          const g = coordinates[p][slot];
          if (g.length > 0) coordinates[p][slot] = Float64Array.from(places, (at) => g[at]);
        }
      }
      ofPair = ofPair.map((row) => row.flatMap((k) => (stays[k] ? [renumbered[k]] : [])));
      [cuts, mu, centre, combined, right] = [kept(cuts), kept(mu), kept(centre), kept(combined), kept(right)];
      return dropped;
    },
    keep() {
      centre = mu.slice();
    },
    restore() {
      mu = centre.slice();
    },
    stand(tau) {
      for (let k = 0; k < cuts.length; k++) mu[k] = Math.max(0, centre[k] + tau * (combined[k] - right[k]));
    },
    constant: () => mu.reduce((sum, value, k) => sum + value * right[k], 0),
    model: () => mu.reduce((sum, value, k) => sum + value * (combined[k] - right[k]), 0),

    charge(p) {
      priced.set(cost.subarray(edgeStart[p], edgeStart[p + 1]), edgeStart[p]);
      for (const e of marked) some[e] = 0;
      marked = [];
      extra.clear();
      for (const k of ofPair[p]) {
        if (mu[k] === 0) continue;
        for (const [e, f] of cuts[k].items) {
          if (f < 0) priced[e] += mu[k];
          else {
            extra.set(e, f, (extra.get(e, f) ?? 0) + mu[k]);
            if (some[e] === 0) marked.push(e);
            some[e] = 1;
          }
        }
      }
    },
    mend() {
      for (const e of marked) mendRow(e);
    },
    point(p) {
      for (const e of spreadOver) spread[e] = 0;
      spreadOver = [];
      const y: [number, number, number][] = [];
      const add = (e: number, value: number): void => {
        if (spread[e] === 0) spreadOver.push(e);
        spread[e] += value;
      };
      for (const [e, f, weight] of weights[p].entries()) {
        const value = weight * scale[p];
        if (value < TINY) {
          weights[p].delete(e, f);
          continue;
        }
        y.push([e, f, value]);
        add(e, value);
        add(f, value);
      }
      return { x: spread, y };
    },

    stored(p, slot) {
      coordinates[p][slot] = measure(p, slot);
    },
    start(p, slot) {
      weights[p].clear();
      scale[p] = 1;
      visit(p, slot, (e, f) => weights[p].set(e, f, 1));
      ofPair[p].forEach((k, at) => {
        combined[k] = coordinates[p][slot][at];
      });
    },
    value(p, slot) {
      let sum = 0;
      const g = coordinates[p][slot];
      for (let at = 0; at < g.length; at++) sum += g[at] * mu[ofPair[p][at]];
      return sum;
    },
    present(p) {
      let sum = 0;
      for (const k of ofPair[p]) sum += combined[k] * mu[k];
      return sum;
    },
    distance(p, slot) {
      let sum = 0;
      const g = coordinates[p][slot];
      for (let at = 0; at < g.length; at++) sum += (g[at] - combined[ofPair[p][at]]) ** 2;
      return sum;
    },
    move(p, slot, gamma, tau) {
      const g = coordinates[p][slot];
      for (let at = 0; at < g.length; at++) {
        const k = ofPair[p][at];
        combined[k] += gamma * (g[at] - combined[k]);
        mu[k] = Math.max(0, centre[k] + tau * (combined[k] - right[k]));
      }
      const all = weights[p];
      if (gamma >= 1 || scale[p] * (1 - gamma) < 1e-200) {
        all.clear();
        scale[p] = 1;
      } else scale[p] *= 1 - gamma;
      const share = gamma / scale[p];
      visit(p, slot, (e, f) => {
        const after = all.row(e);
        after.set(f, (after.get(f) ?? 0) + share);
      });
    },
  };
}
