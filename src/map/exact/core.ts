import { packBits } from "../../core/bits.js";
import { GrowingArray } from "../../core/growing-array.js";
import { ROUNDOFF } from "../certificate/compensated-sum.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { type Core, coreOf, eachTriplet } from "../proof/core.js";
import type { CoreChoice } from "../proof/proof.js";
import { type Chains, shrinkOf } from "./chains.js";

/** A core that holds what sets of tracks cheaper than the present ones may use, and the present ones. */
export interface CutCore extends Core {
  /** Which part it is of what it was cut from, for the proof. */
  readonly choice: CoreChoice;
}

/**
 * Keeps the edges and triplets that lie on a track which costs less than `room` beyond the bound, and the present tracks.
 * @param whole what `reduced` is about
 * @param candidate 1 for the edges that elimination has left [all]
 * @returns null where more than `most` triplets are left
 */
export function cutCore(
  whole: Core,
  reduced: ReducedCosts,
  chains: Chains,
  room: number,
  most: number,
  candidate: Uint8Array | null = null,
): CutCore | null {
  const { edge: r } = reduced;
  const { graph, trackEdges } = whole;
  const limit = (room * (1 + 8 * ROUNDOFF)) / shrinkOf(graph.frames);
  const kept = trackEdges.isOfTracks.map((one, e) =>
    one === 1 || (chains.through[e] < limit && (candidate === null || candidate[e] === 1)) ? 1 : 0,
  );
  const triplets = new GrowingArray(Uint32Array);
  const count = eachTriplet(whole, kept, (e, f, t, n) => {
    const rest = chains.before[e] + r[e] + r[f] + chains.after[f];
    const d = graph.head[e];
    const isOfTracks = trackEdges.into[d] === e && trackEdges.out[d] === f;
    if (!isOfTracks && !(rest < limit && rest + reduced.triplet(e, f, t) < limit)) return true;
    triplets.push(n);
    return triplets.length <= most;
  });
  if (triplets.length > most) return null;
  const marks = new Uint8Array(count);
  for (const n of triplets.values) marks[n] = 1;
  const choice = { edges: packBits(kept), triplets: packBits(marks) };
  return { ...coreOf(whole, choice), choice };
}
