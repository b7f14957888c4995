import { sharedFloat64, sharedInt32, sharedUint8 } from "../../core/shared-arrays.js";
import { type Crew, openCrew } from "../../core/team.js";
import type { Work } from "../../core/team-work.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { slackOf } from "../dual/slack.js";
import type { ReadState } from "../dual/steps.js";
import { conflictsOf, isRestricted } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { ownerOf } from "../instance/twins.js";
import { type BlockMemory, BlockProgram, look } from "./block-program.js";
import type { Tracks } from "./feasible.js";
import type { SolveInteger } from "./integer-program.js";
import { NearestDetections } from "./nearest-detections.js";

/** Detections of a block, its frames, and what a detection pays at least around which one is searched, as a share of what a link of the tracks costs in the mean. */
interface Shape {
  readonly size: number;
  readonly frames: number;
  readonly leastPaid: number;
}
const USUAL: Shape = { size: 250, frames: 10, leastPaid: 0.02 };
/** Where no later search mends what one leaves. */
const LAST: Shape = { size: 350, frames: 14, leastPaid: 0.002 };
/** Of the detections of a block, so many nearest ones are not searched around again. */
const CORE = 1 / 2;

/** Slack from which links are left out, as a share of that cost. */
const MOST_SLACK = 0.2;
/** Distance of detections that a link without slack joins, or that exclude each other, as a share of that cost. */
const STEP = 0.005;
/** An unused detection of sets belongs to a block if the bundle's combination uses this share of it. */
const LEAST_SHARE = 0.01;

/** Whether tracks can be laid anew. */
export function mayLayAnew(graph: Graph): boolean {
  return isRestricted(graph) && graph.triplets.kind === "csr" && graph.triplets.areFree === true;
}

/** What a state of an ascent says of edges and detections. */
export interface Prices {
  readonly v: Float64Array;
  /** What each edge costs beyond the duals of its X-LAP. */
  readonly slack: Float64Array;
  /** By detection: Σ μ of the sets that it is in, and its share in the bundle's combination. */
  readonly charge: Float64Array;
  readonly combined: Float64Array;
}

/** The data that every thread needs, all in shared memory. */
export interface BlocksMemory extends BlockMemory {
  readonly improved: Tracks;
  /** The detections of each block, one after the other. */
  readonly start: Int32Array;
  readonly member: Int32Array;
  /** 1 in its one place ends the search where it is. */
  readonly stop: Int32Array;
}

/** Lays the tracks of a block anew on one thread; blocks that are searched at a time have nothing in common. */
export function bindBlocks(
  { start, member, improved, stop, ...memory }: BlocksMemory,
  solve: SolveInteger,
  late: () => boolean = () => Atomics.load(stop, 0) !== 0,
): Work {
  const program = new BlockProgram(memory, solve, late);
  return (_, item, most) => {
    if (!late()) program.layAnew(member.subarray(start[item], start[item + 1]), most, improved);
  };
}

export interface BlocksOptions {
  readonly threads: number;
  readonly late: () => boolean;
  /** null where the solver is not installed. */
  readonly load: () => Promise<SolveInteger | null>;
}

/**
 * Improves tracks where triplets are free by large neighbourhood search: around a detection at which they pay more than the bound, some hundred detections of a few frames are cut out, all else stays
 * as it is, and the tracks between are the optimum of an integer program.
 */
export class Blocks {
  readonly #nearest: NearestDetections;
  readonly #memory: BlocksMemory;
  #crew: Crew | null = null;

  constructor(
    private readonly graph: Graph,
    private readonly options: BlocksOptions,
  ) {
    const { length } = graph.birthOf;
    this.#nearest = new NearestDetections(graph);
    this.#memory = {
      graph,
      conflicts: conflictsOf(graph),
      slack: sharedFloat64(graph.edges),
      laid: { tracks: sharedInt32(length), into: sharedInt32(length), used: sharedUint8(length) },
      improved: sharedInt32(length),
      start: sharedInt32(length + 1),
      member: sharedInt32(length),
      stop: sharedInt32(1),
    };
  }

  /** Allowed tracks that cost no more than given ones, by a state of an ascent. */
  async improve(tracks: Tracks, state: ReadState, isLast = false): Promise<Tracks> {
    const { slack } = this.#memory;
    const costOf = slackOf(this.graph, state);
    for (let e = 0; e < this.graph.edges; e++) slack[e] = costOf(e);
    const none = new Float64Array(tracks.length);
    const { charge = none, combined = none } = state.exclusions ?? {};
    return this.improveBy(tracks, { v: state.v, slack, charge, combined }, isLast ? LAST : USUAL);
  }

  /** The same by any prices: those of multipliers only say where to look. */
  async improveBy(tracks: Tracks, prices: Prices, shape = USUAL): Promise<Tracks> {
    const { laid, improved, slack } = this.#memory;
    this.#crew ??= await this.#open();
    if (this.#crew === null) return tracks;
    if (prices.slack !== slack) slack.set(prices.slack);
    laid.tracks.set(tracks);
    improved.set(tracks);
    const seen = new Set<number>();
    while (!this.#late()) {
      look(this.graph, laid);
      const links = laid.tracks.filter((e) => e !== UNASSIGNED);
      const mean = links.reduce((sum, e) => sum + Math.abs(this.graph.cost[e]), 0) / links.length;
      const blocks = this.#choose(prices, mean, seen, shape);
      if (blocks === 0) break;
      await this.#crew.run(0, blocks, MOST_SLACK * mean, { waiting: this.#late });
      if (this.#late()) break;
      laid.tracks.set(improved);
    }
    return Int32Array.from(improved);
  }

  /** Ends the search where it is, while other threads are at work; the tracks so far are as good as any. */
  cut(): void {
    Atomics.store(this.#memory.stop, 0, 1);
  }

  close(): void {
    this.#crew?.close();
  }

  /** Asked on the calling thread, which tells the others. */
  readonly #late = (): boolean => {
    if (this.options.late()) this.cut();
    return Atomics.load(this.#memory.stop, 0) !== 0;
  };

  async #open(): Promise<Crew | null> {
    const solve = await this.options.load();
    if (solve === null) return null;
    const memory = this.#memory;
    return openCrew(this.options.threads, "#blocks-worker", memory, bindBlocks(memory, solve, this.#late));
  }

  /** Blocks that have nothing in common, around the detections that pay most and were not seen; returns their number. */
  #choose(prices: Prices, mean: number, seen: Set<number>, shape: Shape): number {
    const { start, member, conflicts } = this.#memory;
    const paid = this.#paid(prices);
    const payers = Array.from(paid.keys()).filter((d) => paid[d] > shape.leastPaid * mean && !seen.has(d));
    const taken = new Uint8Array(paid.length);
    let blocks = 0;
    for (const d of payers.sort((a, b) => paid[b] - paid[a] || a - b)) {
      if (seen.has(d)) continue;
      const members = this.#grow(d, prices, mean, taken, shape);
      if (members === null) continue;
      for (const each of members.slice(0, Math.ceil(CORE * members.length))) seen.add(each);
      for (const each of members) {
        taken[each] = 1;
        for (let n = conflicts.from[each]; n < conflicts.from[each + 1]; n++) taken[conflicts.other[n]] = 1;
      }
      member.set(members, start[blocks]);
      start[++blocks] = start[blocks - 1] + members.length;
    }
    return blocks;
  }

  /** The detections nearest to one by the slack of links, nearest first; null where they are among those of another block. */
  #grow(seed: number, { slack, combined }: Prices, mean: number, taken: Uint8Array, shape: Shape): number[] | null {
    const { tail, head, linkStart, linkEnd, inStart, inEdge } = this.graph;
    const { from, other, twinOf } = this.#memory.conflicts;
    const { used, tracks, into } = this.#memory.laid;
    const [most, step] = [MOST_SLACK * mean, STEP * mean];
    return this.#nearest.around(seed, shape, {
      admits: (d) => d === seed || used[d] === 1 || from[d] === from[d + 1] || combined[d] >= LEAST_SHARE,
      stopsAt: (d) => taken[d] === 1,
      neighbours: (d, distance, see) => {
        for (let n = from[d]; n < from[d + 1]; n++) see(other[n], distance + step);
        // Both daughters, or none.
        const divides = twinOf[d] >= 0 && tracks[twinOf[d]] !== UNASSIGNED;
        for (const row of twinOf[d] < 0 ? [d] : [d, twinOf[d]])
          for (let e = linkStart[row]; e < linkEnd[row]; e++)
            if (tracks[row] === e) see(head[e], divides ? distance : distance + step + slack[e]);
            else if (slack[e] < most) see(head[e], distance + step + slack[e]);
        for (let k = inStart[d]; k < inStart[d + 1]; k++) {
          const e = inEdge[k];
          if (tail[e] >= 0 && (slack[e] < most || into[d] === e))
            see(ownerOf(this.graph, tail[e]), distance + step + slack[e]);
        }
      },
    });
  }

  /** What the tracks pay beyond the bound at each detection, by the edges at it and the sets without one that is used; what a twin pays is her mother's. */
  #paid({ v, slack, charge }: Prices): Float64Array {
    const { birthOf, deathOf, linkStart, linkEnd } = this.graph;
    const { tracks, into, used } = this.#memory.laid;
    const { from, other } = this.#memory.conflicts;
    const paid = new Float64Array(birthOf.length);
    for (let d = 0; d < paid.length; d++) {
      const out = tracks[d] === UNASSIGNED ? deathOf[d] : tracks[d];
      let pays = into[d] < 0 ? 0 : slack[into[d]];
      if (used[d] === 0) {
        const isExcluded = other.subarray(from[d], from[d + 1]).some((each) => used[each] === 1);
        pays += (out < 0 ? 0 : slack[out]) + (isExcluded ? 0 : charge[d]);
      } else if (out >= 0) {
        const price = (e: number): number => slack[e] - v[e];
        let least = deathOf[d] < 0 ? Number.POSITIVE_INFINITY : price(deathOf[d]);
        for (let e = linkStart[d]; e < linkEnd[d]; e++) least = Math.min(least, price(e));
        pays += price(out) - least;
      }
      paid[ownerOf(this.graph, d)] += pays;
    }
    return paid;
  }
}
