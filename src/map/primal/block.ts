import { UNASSIGNED } from "../../lap/lap.js";
import type { Conflicts } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import type { EditedTracks } from "./edited-tracks.js";

/** What a state of an ascent says of edges and detections. */
export interface Prices {
  readonly v: Float64Array;
  /** What each edge costs beyond the duals of its X-LAP. */
  readonly slack: Float64Array;
  /** By detection: Σ μ of the sets that it is in, and its share in the bundle's combination. */
  readonly charge: Float64Array;
  readonly combined: Float64Array;
}

/** What a detection that is used may do next: end, go on by a link, or divide. */
export interface Option {
  readonly links: readonly [first: number, second: number];
  /** The detections that it enters, and those that may not be used beside them, as bits of the next frame. */
  readonly heads: number;
  readonly closes: number;
  /** Of its links and its end and of the births that they save, and by the multipliers, both compared with its not being used. */
  readonly cost: number;
  readonly price: number;
}

/** A detection of a block. */
export interface Member {
  readonly d: number;
  /** The members that it excludes, as bits. */
  readonly closes: number;
  readonly mayBeBorn: boolean;
  /** The least price of its options where a link enters it, and where it is born and goes on. */
  readonly entered: number;
  readonly born: number;
  readonly options: readonly Option[];
}

export interface BlockFrame {
  readonly members: readonly Member[];
  /** Bits of members that links from outside enter, and of those that have to be used. */
  readonly entered: number;
  readonly needed: number;
}

/** Where a block may be: its frames, and the slack from which links are left out. */
export interface BlockBounds {
  readonly first: number;
  readonly last: number;
  readonly most: number;
}

/** Detections of a block, and of one frame: the bits of a number are members. */
const SIZE = 40;
const WIDEST = 30;
/** Distance of detections that a link without slack joins, or that exclude each other, as a share of the most slack. */
const STEP = 0.05;
/** An unused detection of sets belongs to a block if the bundle's combination uses this share of it. */
const LEAST_SHARE = 0.01;
/** Links that a member may go on by, and options, at most. */
const MOST_LINKS = 5;
const MOST_OPTIONS = 14;

/** Some detections of a few frames, in which tracks are to be laid anew while all others stay as they are. */
export class BlockCutter {
  /** Bit of each detection in its frame, −1 outside the block. */
  readonly #bit: Int32Array;

  constructor(
    private readonly graph: Graph,
    private readonly conflicts: Conflicts,
    private readonly edited: EditedTracks,
    private readonly frameOf: Uint32Array,
  ) {
    this.#bit = new Int32Array(graph.birthOf.length).fill(-1);
  }

  /** The detections nearest to one by the slack of links, nearest first. */
  grow(seed: number, { slack, combined }: Prices, { first, last, most }: BlockBounds): number[] {
    const { tail, head, linkStart, linkEnd, inStart, inEdge } = this.graph;
    const { from, other, twinOf } = this.conflicts;
    const { used, tracks, into } = this.edited;
    const { frameOf } = this;
    const open = new Map([[seed, 0]]);
    const found = new Set<number>();
    const width = new Uint8Array(last - first + 1);
    const step = STEP * most;
    const see = (d: number, distance: number): void => {
      if (frameOf[d] < first || frameOf[d] > last || found.has(d)) return;
      if (used[d] === 0 && from[d] < from[d + 1] && combined[d] < LEAST_SHARE) return;
      if (distance < (open.get(d) ?? Number.POSITIVE_INFINITY)) open.set(d, distance);
    };
    while (open.size > 0 && found.size < SIZE) {
      let [d, least] = [UNASSIGNED, Number.POSITIVE_INFINITY];
      for (const [each, distance] of open) if (distance < least) [d, least] = [each, distance];
      open.delete(d);
      if (width[frameOf[d] - first]++ >= WIDEST) continue;
      found.add(d);
      for (let n = from[d]; n < from[d + 1]; n++) see(other[n], least + step);
      for (const row of twinOf[d] < 0 ? [d] : [d, twinOf[d]])
        for (let e = linkStart[row]; e < linkEnd[row]; e++)
          // Both daughters, or none.
          if (tracks[row] === e) see(head[e], this.edited.divides(d) ? least : least + step + slack[e]);
          else if (slack[e] < most) see(head[e], least + step + slack[e]);
      for (let k = inStart[d]; k < inStart[d + 1]; k++) {
        const e = inEdge[k];
        if (tail[e] >= 0 && (slack[e] < most || into[d] === e)) see(this.#owner(tail[e]), least + step + slack[e]);
      }
    }
    return [...found];
  }

  /** The detection itself, or the mother of a twin. */
  #owner(d: number): number {
    const mother = this.graph.motherOf?.[d] ?? UNASSIGNED;
    return mother < 0 ? d : mother;
  }

  cut(detections: readonly number[], prices: Prices, { first, last, most }: BlockBounds): BlockFrame[] {
    const byFrame: number[][] = Array.from({ length: last - first + 1 }, () => []);
    for (const d of detections) this.#bit[d] = byFrame[this.frameOf[d] - first].push(d) - 1;
    const frames = byFrame.map((all, n): BlockFrame => {
      const isLast = n === last - first;
      let [entered, needed] = [0, 0];
      const members = all.map((d, bit) => {
        const e = this.edited.into[d];
        const from = e < 0 ? UNASSIGNED : this.graph.tail[e];
        if (from >= 0 && this.#bit[this.#owner(from)] < 0) entered |= 1 << bit;
        const isFixed = this.#links(d).some((e) => e >= 0 && (isLast || this.#bit[this.graph.head[e]] < 0));
        if (isFixed) needed |= 1 << bit;
        return this.#member(d, prices, most, { isFixed, isLast });
      });
      return { members, entered, needed };
    });
    for (const d of detections) this.#bit[d] = -1;
    return frames;
  }

  /** The links that a detection and its twin take. */
  #links(d: number): [first: number, second: number] {
    const twin = this.conflicts.twinOf[d];
    return [this.edited.tracks[d], twin < 0 ? UNASSIGNED : this.edited.tracks[twin]];
  }

  /** The members that a detection excludes, as bits. */
  #closes(d: number): number {
    const { from, other } = this.conflicts;
    let bits = 0;
    for (let n = from[d]; n < from[d + 1]; n++) if (this.#bit[other[n]] >= 0) bits |= 1 << this.#bit[other[n]];
    return bits;
  }

  /** Whether a used detection outside the block excludes a member. */
  #isClosed(d: number): boolean {
    const { from, other } = this.conflicts;
    for (let n = from[d]; n < from[d + 1]; n++)
      if (this.edited.used[other[n]] === 1 && this.#bit[other[n]] < 0) return true;
    return false;
  }

  #member(
    d: number,
    prices: Prices,
    most: number,
    { isFixed, isLast }: { readonly isFixed: boolean; readonly isLast: boolean },
  ): Member {
    const birth = this.graph.birthOf[d];
    const isShut = this.#isClosed(d);
    const options = isFixed ? [this.#fixed(d)] : isShut ? [] : isLast ? [this.#end(d)] : this.#options(d, prices, most);
    const least = (goesOn: boolean): number =>
      options.reduce(
        (sum, { links, price }) => (goesOn && !isFixed && links[0] < 0 ? sum : Math.min(sum, price)),
        Number.POSITIVE_INFINITY,
      );
    const isLikely = birth < 0 ? this.frameOf[d] === 0 : prices.slack[birth] < most || this.edited.into[d] === birth;
    return {
      d,
      closes: this.#closes(d),
      mayBeBorn: isLikely && !isShut && least(true) < Number.POSITIVE_INFINITY,
      entered: least(false),
      born: least(true),
      options,
    };
  }

  /** What links lead out of the block stays as it is. */
  #fixed(d: number): Option {
    const links = this.#links(d);
    const inside = links.flatMap((e) => (e >= 0 && this.#bit[this.graph.head[e]] >= 0 ? [this.graph.head[e]] : []));
    const heads = inside.reduce((bits, head) => bits | (1 << this.#bit[head]), 0);
    return { links, heads, closes: inside.reduce((bits, head) => bits | this.#closes(head), heads), cost: 0, price: 0 };
  }

  /** The end of a detection, compared with its not being used. */
  #end(d: number): Option {
    return { links: [UNASSIGNED, UNASSIGNED], heads: 0, closes: 0, cost: -this.edited.loneCost(d), price: 0 };
  }

  /** What a detection that is not used costs by the multipliers from its death on. */
  #unusedPrice(d: number, { v, slack }: Prices): number {
    const death = this.graph.deathOf[d];
    return death < 0 ? 0 : this.edited.loneCost(d) - v[death] + slack[death];
  }

  #options(d: number, prices: Prices, most: number): Option[] {
    const { deathOf, head, cost } = this.graph;
    const { v, slack } = prices;
    const twin = this.conflicts.twinOf[d];
    const unused = this.#unusedPrice(d, prices);
    const options: Option[] = [];
    if (deathOf[d] >= 0) options.push({ ...this.#end(d), price: slack[deathOf[d]] - v[deathOf[d]] - unused });
    const saved = this.edited.deathCost(d) + this.edited.loneCost(d);
    const add = (links: readonly [number, number], more: number, price: number): void => {
      const [a, b] = links.map((e) => (e < 0 ? 0 : 1 << this.#bit[head[e]]));
      const [closesA, closesB] = links.map((e) => (e < 0 ? 0 : this.#closes(head[e])));
      if ((a & (b | closesB)) !== 0) return;
      const born = links.reduce((sum, e) => (e < 0 ? sum : sum + this.edited.birthCost(head[e])), 0);
      options.push({
        links,
        heads: a | b,
        closes: a | b | closesA | closesB,
        cost: cost[links[0]] - saved - born + more,
        price: slack[links[0]] - v[links[0]] - unused + price,
      });
    };
    const seconds = twin < 0 ? [] : this.#candidates(twin, slack, most);
    const idle = twin < 0 ? 0 : this.edited.deathCost(twin) + this.edited.loneCost(twin);
    for (const e of this.#candidates(d, slack, most)) {
      add([e, UNASSIGNED], 0, 0);
      for (const f of seconds)
        if (slack[e] + slack[f] < most || (this.edited.tracks[d] === e && this.edited.tracks[twin] === f))
          add([e, f], cost[f] - idle, slack[f] - v[f] - this.#unusedPrice(twin, prices));
    }
    return options.sort((a, b) => a.price - b.price).slice(0, MOST_OPTIONS);
  }

  /** The links within the block that are cheapest by the multipliers. */
  #candidates(row: number, slack: Float64Array, most: number): number[] {
    const { linkStart, linkEnd, head } = this.graph;
    const found: number[] = [];
    for (let e = linkStart[row]; e < linkEnd[row]; e++)
      if (this.#bit[head[e]] >= 0 && (slack[e] < most || this.edited.tracks[row] === e) && !this.#isClosed(head[e]))
        found.push(e);
    return found.sort((e, f) => slack[e] - slack[f]).slice(0, MOST_LINKS);
  }
}
