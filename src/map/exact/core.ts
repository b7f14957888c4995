import { packBits } from "../../core/bits.js";
import { GrowingArray } from "../../core/growing-array.js";
import { type Cut, groupsOf, type Item } from "../certificate/cuts.js";
import type { Graph } from "../instance/instance.js";
import { throughTriplet } from "../proof/chains.js";
import { type Core, coreOf, eachTriplet, isOfTracks } from "../proof/core.js";
import type { Dominated } from "../proof/dominated.js";
import { rounded } from "../proof/numbers.js";
import type { CoreChoice, Multipliers } from "../proof/proof.js";
import type { Reduced } from "../proof/reduced.js";

/** A core that holds the present tracks, and the edges and triplets that cheaper ones may use. */
export interface CutCore extends Core {
  /** The part that it is of the whole, for the proof. */
  readonly choice: CoreChoice;
}

/**
 * Keeps the edges that are not dominated, their triplets that lie on a track which costs less than the limit beyond the bound, and the present tracks.
 * @param whole the instance or core of `reduced`
 * @returns null where more than `most` triplets are left
 */
export function cutCore(
  whole: Core,
  reduced: Reduced,
  { active, chains, limit }: Pick<Dominated, "active" | "chains" | "limit">,
  most: number,
): CutCore | null {
  const { graph, trackEdges } = whole;
  const kept = trackEdges.isOfTracks.map((one, e) => one | active[e]);
  const triplets = new GrowingArray(Uint32Array);
  const count = eachTriplet(whole, kept, (e, f, t, n) => {
    if (!isOfTracks(whole, e, f, graph.head[e]) && !(throughTriplet(rounded, chains, reduced, [e, f, t]) < limit))
      return true;
    triplets.push(n);
    return triplets.length <= most;
  });
  if (triplets.length > most) return null;
  const marks = new Uint8Array(count);
  for (const n of triplets.values) marks[n] = 1;
  const choice = { edges: packBits(kept), triplets: packBits(marks) };
  return { ...coreOf(whole, choice), choice };
}

/** Triplets of the tracks: one at each detection but those of the first and the last frame. */
export function tripletsOfTracks({ frames, frameStart }: Graph): number {
  return frameStart[frames - 1] - frameStart[1];
}

/** Multipliers and cuts of an instance as those of a core cut from it. A clique or an exclusion without some items is one still; an odd hole without a group is not. */
export function restricted(
  core: Pick<Core, "edgeOf">,
  { v, columnDual, cuts, cutMultipliers }: Multipliers,
): Multipliers {
  const renumbered = new Map<number, number>();
  for (const [n, e] of core.edgeOf.entries()) renumbered.set(e, n);
  const renumber = ([e, f]: Item): readonly Item[] => {
    const [a, b] = [renumbered.get(e), f < 0 ? f : renumbered.get(f)];
    return a === undefined || b === undefined ? [] : [[a, b]];
  };
  const kept = cuts.flatMap((cut, k) => {
    const left = groupsOf(cut).map((group) => group.flatMap(renumber));
    const items = left.flat();
    if (items.length < 2 || (cut.kind === "odd-hole" && left.some((group) => group.length === 0))) return [];
    const groups = cut.groups && { groups: left.map((group) => group.length) };
    return [{ cut: { ...cut, items, ...groups }, multiplier: cutMultipliers[k] }];
  });
  return {
    v: Float64Array.from(core.edgeOf, (e) => v[e]),
    columnDual,
    cuts: kept.map(({ cut }) => cut),
    cutMultipliers: Float64Array.from(kept, ({ multiplier }) => multiplier),
  };
}

/** Multipliers and cuts of a core as those of the instance, with the v of `outside` for the edges that are not in the core. */
export function lifted(outside: Multipliers, edgeOf: Uint32Array, multipliers: Multipliers): Multipliers {
  const v = outside.v.slice();
  for (const [n, e] of edgeOf.entries()) v[e] = multipliers.v[n];
  const renumber = ([e, f]: Item): Item => [edgeOf[e], f < 0 ? f : edgeOf[f]];
  const cuts = multipliers.cuts.map((cut): Cut => ({ ...cut, items: cut.items.map(renumber) }));
  return { ...multipliers, v, cuts };
}
