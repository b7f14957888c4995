import { bisectRight } from "d3-array";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Conflicts, excludes, membersOf, setCount } from "../instance/exclusions.js";
import { type Graph, isLink, linkBetween } from "../instance/instance.js";

/** Gains below this are rounding. */
const ROUNDING = 1e-9;

/** A group of detections that exclude each other, and how far more than one link is taken of theirs and of those between their rivals and the set that the search was from. */
interface Found {
  readonly group: readonly number[];
  readonly by: number;
}

/**
 * Finds links of a frame pair of which every two are in conflict, and which a point takes more than once (docs/explanation/proofs.md §4). From a set S of detections of the second frame: the links into S
 * from what every one of a group R of detections that exclude each other excludes, and the uses of R, or in the first frame the links out of it. Backwards, from a set of the first frame, with the links
 * into R. A mother's link and her twin's are in conflict only where their daughters are, so twins have a part on one side alone.
 */
export class CliqueSearch {
  /** The sets of each frame; a detection that is in none is one by itself. */
  readonly #sets: readonly (readonly Uint32Array[])[];
  /** By detection, x of the links at it that the group's side counts, and of those between it and the set. */
  readonly #weight: Float64Array;
  readonly #flow: Float64Array;

  constructor(
    private readonly graph: Graph,
    private readonly conflicts: Conflicts,
  ) {
    const { exclusions, frames, frameStart, motherOf } = graph;
    const sets = Array.from({ length: frames }, (): Uint32Array[] => []);
    for (let s = 0; exclusions !== null && s < setCount(exclusions); s++) {
      const members = membersOf(exclusions, s);
      sets[bisectRight(frameStart, members[0]) - 1].push(members);
    }
    for (let d = 0; d < frameStart[frames]; d++) {
      const isAlone = conflicts.from[d] === conflicts.from[d + 1] && (motherOf === null || motherOf[d] === UNASSIGNED);
      if (isAlone) sets[bisectRight(frameStart, d) - 1].push(Uint32Array.of(d));
    }
    this.#sets = sets;
    this.#weight = new Float64Array(frameStart[frames]);
    this.#flow = new Float64Array(frameStart[frames]);
  }

  /** The items of the most violated rows of a pair, those with a link, by more than `least`, where x is what the point takes of a link and `use` what it uses of a detection. */
  violated(
    p: number,
    { x, use }: { readonly x: (e: number) => number; readonly use: (d: number) => number },
    least: number,
    most: number,
  ): number[][] {
    const { frameStart, edgeStart, deathStart, tail, head, motherOf } = this.graph;
    const isTwin = (d: number): boolean => motherOf !== null && motherOf[d] !== UNASSIGNED;
    const taken: number[] = [];
    for (let e = edgeStart[p]; e < deathStart[p]; e++) if (x(e) > 0) taken.push(e);
    const firsts = taken.filter((e) => !isTwin(tail[e]));
    const owner = (e: number): number => (isTwin(tail[e]) ? (motherOf as Int32Array)[tail[e]] : tail[e]);
    const ofHead = (e: number): number => head[e];
    const weight = this.#weight;
    if (p === 0) for (const e of firsts) weight[tail[e]] += x(e);
    else for (let d = frameStart[p]; d < frameStart[p + 1]; d++) weight[d] = use(d);
    const forward = this.#from(p + 1, { taken, at: ofHead, end: owner, x, least });
    weight.fill(0, frameStart[p], frameStart[p + 1]);
    for (const e of taken) weight[head[e]] += x(e);
    const backward = this.#from(p, { taken: firsts, at: owner, end: ofHead, x, least });
    weight.fill(0, frameStart[p + 1], frameStart[p + 2]);
    const found = [
      ...forward.map((each) => ({ by: each.by, items: () => this.#forward(each.group, each.set, p > 0) })),
      ...backward.map((each) => ({
        by: each.by,
        items: () => this.#backward(each.group, each.set),
      })),
    ];
    return found
      .sort((a, b) => b.by - a.by)
      .slice(0, most)
      .map(({ items }) => items())
      .filter(([first]) => first < this.graph.edges);
  }

  /** The rows of divisions that the point violates: a twin goes on, or her mother ends; one daughter is entered by both, or the mother ends. A death stands last. */
  ofDivisions(p: number, x: (e: number) => number, least: number): number[][] {
    const { frameStart, motherOf, linkStart, linkEnd, deathOf, head } = this.graph;
    const found: number[][] = [];
    for (let d = frameStart[p]; motherOf !== null && d < frameStart[p + 1]; d++) {
      // What the mother takes is no more than 1, so the twin's share has to be more than what a row is violated by.
      if (motherOf[d] === UNASSIGNED || x(deathOf[d]) >= 1 - least) continue;
      const end = deathOf[motherOf[d]];
      const links: number[] = [];
      let sum = x(end);
      for (let e = linkStart[d]; e < linkEnd[d]; e++) {
        links.push(e);
        sum += x(e);
        const first = x(e) <= least ? -1 : linkBetween(this.graph, motherOf[d], head[e]);
        if (first >= 0 && x(first) + x(e) + x(end) > 1 + least) found.push([first, e, end]);
      }
      if (sum > 1 + least) found.push([...links, end]);
    }
    return found;
  }

  /** The most violated row from each set of a frame. Links `taken` count between the set, where they are `at`, and their other end. */
  #from(
    frame: number,
    {
      taken,
      at,
      end,
      x,
      least,
    }: {
      readonly taken: readonly number[];
      readonly at: (e: number) => number;
      readonly end: (e: number) => number;
      readonly x: (e: number) => number;
      readonly least: number;
    },
  ): (Found & { readonly set: Uint32Array })[] {
    const flow = this.#flow;
    const linksAt = new Map<number, number[]>();
    for (const e of taken) {
      const known = linksAt.get(at(e));
      if (known === undefined) linksAt.set(at(e), [e]);
      else known.push(e);
    }
    const found: (Found & { readonly set: Uint32Array })[] = [];
    for (const set of this.#sets[frame]) {
      const ends: number[] = [];
      for (const d of set) {
        for (const e of linksAt.get(d) ?? []) {
          if (flow[end(e)] === 0) ends.push(end(e));
          flow[end(e)] += x(e);
        }
      }
      const best = this.#bestGroup(ends, least);
      if (best !== null) found.push({ ...best, set });
      for (const d of ends) flow[d] = 0;
    }
    return found;
  }

  /** Of the detections at the ends of a set's links, the group by which most is taken, grown from each detection that excludes one of them; null where it is no more than `least`. */
  #bestGroup(ends: readonly number[], least: number): Found | null {
    const { from, other } = this.conflicts;
    const [weight, flow] = [this.#weight, this.#flow];
    const tried = new Set<number>();
    let best: Found | null = null;
    for (const d of ends) {
      for (let n = from[d]; n < from[d + 1]; n++) {
        const first = other[n];
        if (weight[first] === 0 || tried.has(first)) continue;
        tried.add(first);
        let rivals = ends.filter((one) => excludes(this.conflicts, first, one));
        const group = [first];
        let by = weight[first] - 1;
        for (const one of rivals) by += flow[one];
        const atLeast = best === null ? least : best.by;
        const candidates = other.subarray(from[first], from[first + 1]).filter((one) => weight[one] > 0);
        if (candidates.reduce((sum, one) => sum + weight[one], by) <= atLeast) continue;
        for (const one of candidates.sort((a, b) => weight[b] - weight[a] || a - b)) {
          if (!group.every((member) => excludes(this.conflicts, member, one))) continue;
          const stay = rivals.filter((rival) => excludes(this.conflicts, one, rival));
          let gain = weight[one];
          for (const rival of rivals) if (!stay.includes(rival)) gain -= flow[rival];
          if (gain <= ROUNDING) continue;
          group.push(one);
          rivals = stay;
          by += gain;
        }
        if (by > atLeast) best = { group, by };
      }
    }
    return best;
  }

  /** The detections that every one of a group excludes. */
  #rivals(group: readonly number[]): Uint32Array {
    const { from, other } = this.conflicts;
    const [first, ...others] = group;
    return other
      .subarray(from[first], from[first + 1])
      .filter((d) => others.every((one) => excludes(this.conflicts, one, d)));
  }

  #forward(group: readonly number[], set: Uint32Array, withUses: boolean): number[] {
    const { graph } = this;
    const items: number[] = [];
    for (const i of withUses ? [] : group) for (let e = graph.linkStart[i]; e < graph.linkEnd[i]; e++) items.push(e);
    for (const i of this.#rivals(group)) {
      const twin = this.conflicts.twinOf[i];
      for (const j of set) {
        items.push(linkBetween(graph, i, j));
        if (twin !== UNASSIGNED) items.push(linkBetween(graph, twin, j));
      }
    }
    for (const i of withUses ? group : []) items.push(graph.edges + i);
    return items.filter((e) => e >= 0);
  }

  #backward(group: readonly number[], set: Uint32Array): number[] {
    const { graph } = this;
    const { inStart, inEdge } = graph;
    const items: number[] = [];
    for (const j of group)
      for (const e of inEdge.subarray(inStart[j], inStart[j + 1])) if (isLink(graph, e)) items.push(e);
    for (const j of this.#rivals(group)) for (const i of set) items.push(linkBetween(graph, i, j));
    return items.filter((e) => e >= 0);
  }
}
