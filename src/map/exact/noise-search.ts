import { packBits } from "../../core/bits.js";
import { filled, picked } from "../../core/growing-array.js";
import { randomStreams } from "../../core/random.js";
import { createJvWorkspace } from "../../lap/jv/jv.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { createPairKernels, largestFrame } from "../dual/kernels.js";
import { createAscentState } from "../dual/state.js";
import { fileOrder } from "../instance/edges.js";
import type { Graph } from "../instance/instance.js";
import { createTracksSearch, type Tracks } from "../primal/feasible.js";
import { fuseTracks } from "../primal/fusion.js";
import { chainsOf } from "../proof/chains.js";
import { type Core, coreOf, eachTriplet, wholeOf } from "../proof/core.js";
import { rounded } from "../proof/numbers.js";
import { costOf, paidBy } from "./paid.js";
import { iterationWork } from "./patience.js";
import { Relinking } from "./relinking.js";
import type { ChainsInF64, ReducedCosts } from "./stages.js";

export interface NoiseSearchOptions {
  /** Seconds at most. */
  readonly time: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
  /** Called with the cost of better tracks. */
  readonly progress?: (cost: number) => void;
  /** Told of the work of each try, in edges and triplets gone through. */
  readonly worked?: (work: number) => void;
}

/**
 * The noise of a try is uniform, of a width between these times what the tracks pay beyond the bound at a detection where they pay, evenly in its logarithm. That scale depends
 * neither on the unit of the costs nor on how many detections pay.
 */
const NARROWEST = 1 / 8;
const WIDEST = 4;

/**
 * The search is among edges on tracks that cost less than this many times as much beyond the bound as the dearest edge of the present ones: in crowds of 300 these are one in eight to fifteen, and a try
 * takes a third to a half of the time. Chosen on the odd seeds of lab/notes/exact.md's [300, 5].
 */
const WIDER = 2;

/** Triplets of these edges at most, 120 MB; where there are more it is among all edges. */
const MOST_TRIPLETS = 1e7;

/** Tries between two paths to other tracks that were found (relinking.ts): a path takes less than half of a try. */
const TRIES_A_PATH = 4;

/** Iterations of the ascent that take as long as a try: 1 in a thin crowd, 3 in a dense one (patience.ts). */
const TRY_ITERATIONS = 3;

/**
 * Searches for better tracks from multipliers that noise is added to (the noising method: I. Charon, O. Hudry, Operations Research Letters 1993): each try constructs
 * tracks front to back or back to front, improves them pair by pair, and brings their better parts into the best tracks (`fuseTracks`). A try differs from the best tracks
 * in many places at once, of which each is taken by itself. Now and then the best tracks are relinked with others that were found.
 * @param reduced at multipliers that are nearly the best
 * @returns the best tracks; the given ones where none are better
 */
export async function searchWithNoise(
  reduced: ReducedCosts,
  tracks: Tracks,
  options: NoiseSearchOptions,
): Promise<Tracks> {
  const { now } = options;
  const end = now() + options.time;
  const over = (): boolean => now() >= end || options.interrupted?.() === true;
  const whole = wholeOf(reduced.graph, tracks);
  const paid = paidBy(reduced, whole.trackEdges);
  const noise = paid.sum / paid.payers;
  if (over() || !(noise > 0 && Number.isFinite(noise))) return tracks;

  const { graph, edgeOf, tracks: initialTracks } = nearTracks(whole, reduced);
  const { columnDual } = reduced;
  const v = picked(reduced.v, edgeOf);
  const delta = deltaAt(graph, v);
  const search = createTracksSearch(graph);
  const [random] = randomStreams(0);
  const order = fileOrder(graph);
  const noisy = new Float64Array(graph.edges);
  let best = initialTracks;
  let cost = costOf(graph, best);
  const relinking = new Relinking(graph, search);
  /** Takes what is better in some tracks into the best ones. */
  const offer = (tracks: Tracks): void => {
    const offered = costOf(graph, tracks);
    if (offered === Number.POSITIVE_INFINITY) return;
    relinking.enter(tracks, offered);
    const mixed = Int32Array.from(best);
    if (fuseTracks(graph, mixed, tracks) === 0) return;
    search.improve(mixed, { improvedBefore: best });
    const price = costOf(graph, mixed);
    if (!(price < cost)) return;
    [best, cost] = [mixed, price];
    relinking.enter(best, cost);
    options.progress?.(cost);
  };
  const candidate = Int32Array.from(best);
  for (let tries = 0; !over(); tries++) {
    await options.pause?.();
    options.worked?.(TRY_ITERATIONS * iterationWork(graph));
    const width = noise * Math.exp(random.uniform(Math.log(NARROWEST), Math.log(WIDEST)));
    const forward = tries % 2 === 0;
    const clean = forward ? delta : v;
    for (const e of order) noisy[e] = clean[e] + random.uniform(-width / 2, width / 2);
    const multipliers = forward ? { v, delta: noisy, columnDual } : { v: noisy, delta, columnDual };
    candidate.set(best);
    search.construct(multipliers, forward ? "forward" : "backward", candidate);
    search.improve(candidate, { improvedBefore: best, multipliers });
    offer(candidate);
    if (tries % TRIES_A_PATH === TRIES_A_PATH - 1) for (const between of relinking.path(best, random)) offer(between);
  }
  return best === initialTracks ? tracks : best.map((e) => (e === UNASSIGNED ? e : edgeOf[e]));
}

/** The part of an instance that the search is about, with all triplets of its edges; the instance where that part is too large. */
function nearTracks(whole: Core, reduced: ReducedCosts): Core {
  const { through } = chainsOf(rounded, whole, reduced) as ChainsInF64;
  const { isOfTracks, edges } = whole.trackEdges;
  const limit = WIDER * edges.reduce((most, e) => Math.max(most, through[e]), 0);
  const kept = filled(new Uint8Array(through.length), (e) => (isOfTracks[e] === 1 || through[e] < limit ? 1 : 0));
  const triplets = eachTriplet(whole, kept, (_e, _f, _t, n) => n < MOST_TRIPLETS);
  if (triplets > MOST_TRIPLETS) return whole;
  return coreOf(whole, { edges: packBits(kept), triplets: packBits(new Uint8Array(triplets).fill(1)) });
}

/** Δ of all edges at the multipliers. */
export function deltaAt(graph: Graph, v: Float64Array): Float64Array {
  const state = createAscentState(graph);
  state.v.set(v);
  const widest = largestFrame(graph);
  const kernels = createPairKernels(graph, state, createJvWorkspace(widest, widest));
  for (let p = 0; p + 1 < graph.frames; p++) kernels.price(p);
  return state.delta;
}
