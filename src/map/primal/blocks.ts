import { frameOfDetections } from "../../core/detections.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Conflicts, isRestricted } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { Beam } from "./beam.js";
import { type BlockBounds, BlockCutter, type Prices } from "./block.js";
import { EditedTracks } from "./edited-tracks.js";
import type { Tracks } from "./feasible.js";

/** A saving of less is rounding. */
const ROUNDING = 1e-9;

/** Slack from which links are left out, as a share of what a link of the tracks costs in the mean; and of it, what a detection pays at least around which a block is searched. */
const MOST_SLACK = 0.1;
const LEAST_PAID = 0.02;

/** Whether tracks can be laid anew. */
export function mayLayAnew(graph: Graph): boolean {
  return isRestricted(graph) && graph.triplets.kind === "csr" && graph.triplets.areFree === true;
}

/** Of the detections of a block, so many nearest ones are not searched around again. */
const CORE = 1 / 3;

/**
 * Improves tracks where triplets are free by large neighbourhood search: around a detection at which they pay more than the bound, some forty detections of a few frames are cut out, all else stays as
 * it is, and the tracks between are laid anew.
 */
export class Blocks {
  readonly #edited: EditedTracks;
  readonly #cutter: BlockCutter;
  readonly #beam = new Beam();
  readonly #frameOf: Uint32Array;

  constructor(
    private readonly graph: Graph,
    private readonly conflicts: Conflicts,
    private readonly late: () => boolean,
  ) {
    this.#edited = new EditedTracks(graph, conflicts);
    this.#frameOf = Uint32Array.from(frameOfDetections(graph.frameStart));
    this.#cutter = new BlockCutter(graph, conflicts, this.#edited, this.#frameOf);
  }

  /** Improves allowed tracks in frames `first` to `last`; writes their links between these to `improved`. */
  improve(tracks: Tracks, prices: Prices, first: number, last: number, improved: Tracks): void {
    const { frameStart, cost } = this.graph;
    this.#edited.become(tracks);
    const [begin, end] = [frameStart[first], frameStart[last]];
    const links = tracks.subarray(begin, end).filter((e) => e !== UNASSIGNED);
    const most = (MOST_SLACK * links.reduce((sum, e) => sum + Math.abs(cost[e]), 0)) / links.length;
    const paid = this.#paid(prices, begin, frameStart[last + 1]);
    const payers = Array.from(paid.keys()).filter((n) => paid[n] > LEAST_PAID * most);
    const seen = new Set<number>();
    for (const n of payers.sort((a, b) => paid[b] - paid[a] || a - b)) {
      if (seen.has(begin + n)) continue;
      if (this.late()) break;
      const bounds = { first, last, most };
      const members = this.#cutter.grow(begin + n, prices, bounds);
      for (const d of members.slice(0, Math.ceil(CORE * members.length))) seen.add(d);
      this.#layAnew(members, prices, bounds);
    }
    improved.set(this.#edited.tracks.subarray(begin, end), begin);
  }

  #layAnew(members: readonly number[], prices: Prices, bounds: BlockBounds): void {
    const found = this.#beam.search(this.#cutter.cut(members, prices, bounds));
    if (found === null) return;
    const edited = this.#edited;
    edited.replaced.length = 0;
    let cost = 0;
    const taken: [number, number][] = [];
    for (const [d, links] of found) {
      if (this.#frameOf[d] === bounds.last) continue;
      for (const [n, row] of [d, this.conflicts.twinOf[d]].entries()) {
        if (row < 0 || edited.tracks[row] === links[n]) continue;
        cost += edited.put(row, UNASSIGNED);
        taken.push([row, links[n]]);
      }
    }
    for (const [row, link] of taken) cost += edited.put(row, link);
    if (!(cost < -ROUNDING)) edited.undo(0);
  }

  /** What the tracks pay beyond the bound at each detection, by the edges at it and the sets without one that is used; what a twin pays is her mother's. */
  #paid({ v, slack, charge }: Prices, begin: number, end: number): Float64Array {
    const { deathOf, linkStart, linkEnd, motherOf } = this.graph;
    const { tracks, into, used, excluded } = this.#edited;
    const paid = new Float64Array(end - begin);
    for (let d = begin; d < end; d++) {
      const out = tracks[d] === UNASSIGNED ? deathOf[d] : tracks[d];
      let pays = into[d] < 0 ? 0 : slack[into[d]];
      if (used[d] === 0) pays += (out < 0 ? 0 : slack[out]) + (excluded[d] === 0 ? charge[d] : 0);
      else if (out >= 0) {
        const price = (e: number): number => slack[e] - v[e];
        let least = deathOf[d] < 0 ? Number.POSITIVE_INFINITY : price(deathOf[d]);
        for (let e = linkStart[d]; e < linkEnd[d]; e++) least = Math.min(least, price(e));
        pays += price(out) - least;
      }
      const mother = motherOf?.[d] ?? UNASSIGNED;
      paid[(mother < 0 ? d : mother) - begin] += pays;
    }
    return paid;
  }
}
