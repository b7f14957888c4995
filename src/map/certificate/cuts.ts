import { PairMap } from "../../core/pair-map.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { conflictsOf, excludes } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";

/** x_e, as [e, −1], or y_ef, as [e, f]. */
export type Item = readonly [e: number, f: number];

/**
 * An inequality that every allowed set of tracks satisfies and the linear relaxation need not: Σ items ≤ `right`.
 *
 * Two items are in *conflict* when no set of tracks has both: they have different edges out of one detection, or into one, or a link out of a twin and the end of its mother, or links at detections that
 * exclude each other, where a link out of a twin is one at its mother.
 * - clique: every two items are in conflict, so that right = 1. The facets of E. Balas & M. J. Saltzman, "Facets of the three-index
 *   assignment polytope" (Discrete Applied Mathematics 23, 1989) are among them.
 * - odd hole: an odd number of groups of items, in each of which, and in each with the next one and the last with the first, every two items are in
 *   conflict; right = (groups − 1) / 2. Half the sum of the cliques of a group and the next says so, as the left side is an integer. With one
 *   item a group it is the odd hole of graph theory.
 * - exclusion: one of the instance's sets of detections that exclude each other; its items are the links into these, and their births with a link out of
 *   them, or in the first frame the links out of them. They say that a detection is used, each in another way; right = 1.
 */
export interface Cut {
  readonly kind: "clique" | "odd-hole" | "exclusion";
  readonly items: readonly Item[];
  /** Of an odd hole: how many items each group has, in order [1 each]. */
  readonly groups?: readonly number[];
  /** Of an exclusion: the number of the set. */
  readonly set?: number;
}

export function rightOf({ kind, items, groups }: Cut): number {
  return kind !== "odd-hole" ? 1 : ((groups?.length ?? items.length) - 1) / 2;
}

/** The items of a cut by group: of a clique or an exclusion all in one. */
export function groupsOf({ kind, items, groups }: Cut): (readonly Item[])[] {
  if (kind !== "odd-hole") return [items];
  let end = 0;
  return (groups ?? items.map(() => 1)).map((size) => {
    end += size;
    return items.slice(end - size, end);
  });
}

/** The reason why a cut is not valid, or null where it is valid. It follows from the ends of the edges alone, and of exclusions and twins from the instance's sets and twins. */
export function refuteCut(graph: Graph, cut: Cut): string | null {
  const { kind, items, groups } = cut;
  const { edges, tail, head, motherOf } = graph;
  for (const [e, f] of items) {
    const known = Number.isInteger(e) && e >= 0 && e < edges && Number.isInteger(f) && f >= -1 && f < edges;
    if (!known) return `item [${e}, ${f}] names no edge`;
    if (f >= 0 && (head[e] === UNASSIGNED || head[e] !== tail[f])) return `edges ${e} and ${f} do not meet`;
  }
  if (kind === "exclusion") return refuteExclusion(graph, cut) ?? refuteRepeat(items);
  const conflict = (a: Item, b: Item): boolean =>
    a.some((e) => e >= 0 && b.some((g) => g >= 0 && g !== e && meet(e, g)));
  const isOrphan = (e: number, g: number): boolean =>
    motherOf !== null &&
    tail[e] !== UNASSIGNED &&
    head[e] !== UNASSIGNED &&
    head[g] === UNASSIGNED &&
    motherOf[tail[e]] === tail[g];
  const mother = (d: number): number => (motherOf !== null && motherOf[d] !== UNASSIGNED ? motherOf[d] : d);
  const sets = graph.exclusions && conflictsOf(graph);
  const isLink = (e: number): boolean => tail[e] !== UNASSIGNED && head[e] !== UNASSIGNED;
  const exclude = (e: number, g: number): boolean =>
    sets !== null &&
    isLink(e) &&
    isLink(g) &&
    [mother(tail[e]), head[e]].some((d) => [mother(tail[g]), head[g]].some((other) => excludes(sets, d, other)));
  const meet = (e: number, g: number): boolean =>
    (tail[e] !== UNASSIGNED && tail[e] === tail[g]) ||
    (head[e] !== UNASSIGNED && head[e] === head[g]) ||
    isOrphan(e, g) ||
    isOrphan(g, e) ||
    exclude(e, g);
  const say = (a: Item, b: Item): string => `items [${a}] and [${b}] are not in conflict`;
  if (kind === "clique") {
    for (let n = 0; n < items.length; n++)
      for (let m = 0; m < n; m++) if (!conflict(items[n], items[m])) return say(items[m], items[n]);
    return null;
  }
  // Groups that are not next to each other might share one; the rounding of the multipliers' sums counts it once for each cut.
  const repeat = refuteRepeat(items);
  if (repeat !== null) return repeat;
  const parts = groupsOf(cut);
  if (parts.length % 2 === 0) return `an odd hole of ${parts.length} groups`;
  const count = groups?.reduce((sum, size) => (Number.isInteger(size) && size > 0 ? sum + size : Number.NaN), 0);
  if (count !== undefined && count !== items.length)
    return `groups of ${count} items, and ${items.length} items in all`;
  for (const [g, part] of parts.entries()) {
    const next = parts[(g + 1) % parts.length];
    for (const [n, item] of part.entries()) {
      for (const other of [...part.slice(0, n), ...next]) if (!conflict(item, other)) return say(item, other);
    }
  }
  return null;
}

function refuteRepeat(items: readonly Item[]): string | null {
  const seen = new PairMap<true>();
  for (const [e, f] of items) {
    if (seen.get(e, f)) return `item [${e}, ${f}] stands twice`;
    seen.set(e, f, true);
  }
  return null;
}

/** Every item must say that a detection of the set is used. */
function refuteExclusion({ exclusions, frameStart, tail, head }: Graph, { items, set = -1 }: Cut): string | null {
  if (exclusions === null) return "the instance has no exclusions";
  const { setStart, member } = exclusions;
  if (!(Number.isInteger(set) && set >= 0 && set + 1 < setStart.length)) return `there is no set ${set}`;
  const members = new Set(member.subarray(setStart[set], setStart[set + 1]));
  for (const [e, f] of items) {
    // A link into a detection, or one out of a detection of the first frame; or a birth there, and a link out of it.
    const isLink = f < 0 && tail[e] !== UNASSIGNED && head[e] !== UNASSIGNED;
    const isStart = f >= 0 && tail[e] === UNASSIGNED && head[f] !== UNASSIGNED;
    const uses =
      (isLink && (members.has(head[e]) || (tail[e] < frameStart[1] && members.has(tail[e])))) ||
      (isStart && members.has(head[e]));
    if (!uses) return `item [${e}, ${f}] does not use a detection of set ${set}`;
  }
  return null;
}
