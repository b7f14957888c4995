import { frameOfDetections } from "../../core/detections.js";
import { PairMap } from "../../core/pair-map.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Cut, type Item, refuteCut } from "../certificate/cuts.js";
import { indexEdges } from "../instance/edges.js";
import { membersOf, setsByDetection } from "../instance/exclusions.js";
import { type Graph, isLink } from "../instance/instance.js";
import type { Exclusions } from "../instance/priced.js";
import { rounded } from "./numbers.js";
import type { RegionProof, Stage } from "./proof.js";
import type { Reduced } from "./reduced.js";

/** A region as an instance of its own, and multipliers that prove a bound of about 0 there. */
export interface RegionInstance {
  readonly graph: Graph;
  readonly stage: Stage;
  /** Σ μ right of the region's cuts, at most: what any tracks cost in the region beyond the bound is this and their cost in the instance. */
  readonly constant: number;
  /** Detection and edge of the instance, by those of the region. */
  readonly detections: Uint32Array;
  readonly edgeOf: Uint32Array;
}

/**
 * Regions of an instance: sets of detections that have none in common (docs/explanation/proofs.md §5). Tracks cost as much beyond the bound of a stage as their edges' and triplets' reduced costs and the
 * slack of the weighed cuts come to. Each edge at a region's detections, each triplet at one and each cut that has no others counts in one region, and nothing counts below 0, so the least of each region adds up.
 */
export class Regions {
  /** The region of each detection; UNASSIGNED outside all. */
  readonly #regionOf: Int32Array;
  readonly #frameOf: Uint32Array;
  /** The weighed cuts of each region. */
  readonly #cuts: number[][];
  readonly #setsOf: number[][];

  /** @param members the detections of each region */
  constructor(
    private readonly reduced: Reduced<number, Float64Array>,
    private readonly weighed: Stage,
    private readonly members: readonly Uint32Array[],
  ) {
    const { graph } = reduced;
    const { frameStart, frames } = graph;
    this.#regionOf = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
    for (const [n, each] of members.entries()) for (const d of each) this.#regionOf[d] = n;
    this.#frameOf = Uint32Array.from(frameOfDetections(frameStart));
    this.#cuts = members.map(() => []);
    for (const [k, cut] of weighed.cuts.entries()) {
      const of = cut.kind === "odd-hole" ? UNASSIGNED : this.#ownerOf(cut.items[0]);
      if (of >= 0 && cut.items.every((item) => this.#ownerOf(item) === of)) this.#cuts[of].push(k);
    }
    this.#setsOf = setsByDetection(graph);
  }

  /** The region in which an edge or a triplet counts. */
  #ownerOf([e, f]: Item): number {
    const { tail, head } = this.reduced.graph;
    if (f >= 0) return this.#regionOf[head[e]];
    const atTail = tail[e] < 0 ? UNASSIGNED : this.#regionOf[tail[e]];
    return atTail >= 0 || head[e] < 0 ? atTail : this.#regionOf[head[e]];
  }

  /** A region with the links that count in another one or cost less than `limit`, around it the detections that these join with it: nothing costs anything at those, and they may begin and end. */
  instance(n: number, limit: number): RegionInstance {
    const { graph, edge: r } = this.reduced;
    const { head, tail, linkStart, linkEnd, inStart, inEdge, frameStart } = graph;
    const nodes = new Set(this.members[n]);
    const links: number[] = [];
    const see = (e: number, other: number): void => {
      if (!(r[e] < limit) && this.#ownerOf([e, -1]) === n) return;
      nodes.add(other);
      links.push(e);
    };
    for (const d of this.members[n]) {
      for (let e = linkStart[d]; e < linkEnd[d]; e++) see(e, head[e]);
      for (const e of inEdge.subarray(inStart[d], inStart[d + 1]))
        if (isLink(graph, e) && this.#regionOf[tail[e]] !== n) see(e, tail[e]);
    }
    const detections = Uint32Array.from(nodes).sort();
    const ends = [this.members[n][0], this.members[n][this.members[n].length - 1]].map((d) => this.#frameOf[d]);
    const [first, last] = [Math.max(0, ends[0] - 1), Math.min(graph.frames - 1, ends[1] + 1)];
    const starts = new Uint32Array(last - first + 2);
    for (let p = first, m = 0; p <= last; p++) {
      while (m < detections.length && detections[m] < frameStart[p + 1]) m++;
      starts[p - first + 1] = m;
    }
    return this.#build(
      n,
      starts,
      detections,
      links.sort((a, b) => a - b),
    );
  }

  #build(n: number, frameStart: Uint32Array, detections: Uint32Array, links: readonly number[]): RegionInstance {
    const { graph } = this.reduced;
    const { deathOf, birthOf } = graph;
    const place = new Map(Array.from(detections, (d, m) => [d, m]));
    const edgeOf: number[] = [];
    const [tail, head]: [number[], number[]] = [[], []];
    const add = (e: number, i: number, j: number): void => {
      edgeOf.push(e);
      tail.push(i);
      head.push(j);
    };
    let at = 0;
    for (let p = 0; p + 2 < frameStart.length; p++) {
      const end = detections[frameStart[p + 1]] ?? Number.POSITIVE_INFINITY;
      for (; at < links.length && graph.tail[links[at]] < end; at++)
        add(links[at], place.get(graph.tail[links[at]]) as number, place.get(graph.head[links[at]]) as number);
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++) add(deathOf[detections[i]], i, UNASSIGNED);
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) add(birthOf[detections[j]], UNASSIGNED, j);
    }
    const index = indexEdges(frameStart, Int32Array.from(tail), Int32Array.from(head));
    const edges = Uint32Array.from(edgeOf);
    const charge = this.#charges(n);
    const ends = {
      frames: frameStart.length - 1,
      frameStart,
      tail: Int32Array.from(tail),
      head: Int32Array.from(head),
    };
    const region: Graph = {
      ...ends,
      ...index,
      cost: Float64Array.from(edges, (e, m) => {
        const owner = isLink(ends, m) ? this.#ownerOf([e, -1]) : this.#regionOf[detections[Math.max(tail[m], head[m])]];
        return owner === n ? (rounded.down(this.reduced.edge[e], -(charge.get(e, -1) ?? 0)) as number) : 0;
      }),
      surcharge: null,
      triplets: this.#triplets(n, { ...ends, ...index }, detections, edges, charge),
      exclusions: this.#exclusions(detections, place),
      motherOf: graph.motherOf && Int32Array.from(detections, (d) => this.#motherOf(n, d, place)),
    };
    return { graph: region, detections, edgeOf: edges, ...this.#stageOf(n, region, edges) };
  }

  /** A twin outside the region is like any other detection. */
  #motherOf(n: number, d: number, place: ReadonlyMap<number, number>): number {
    return (
      (this.#regionOf[d] === n ? place.get(this.reduced.graph.motherOf?.[d] ?? UNASSIGNED) : undefined) ?? UNASSIGNED
    );
  }

  /** Σ μ of the region's cuts at least, by edge and triplet. */
  #charges(n: number): PairMap<number> {
    const charge = new PairMap<number>();
    for (const k of this.#cuts[n])
      for (const [e, f] of this.weighed.cuts[k].items)
        charge.set(e, f, rounded.up(charge.get(e, f) ?? 0, this.weighed.cutMultipliers[k]) as number);
    return charge;
  }

  #triplets(
    n: number,
    {
      frames,
      frameStart,
      head,
      linkStart,
      linkEnd,
      deathOf,
    }: Pick<Graph, "frames" | "frameStart" | "head" | "linkStart" | "linkEnd" | "deathOf">,
    detections: Uint32Array,
    edgeOf: Uint32Array,
    charge: PairMap<number>,
  ): Graph["triplets"] {
    const rowStart = new Uint32Array(edgeOf.length + 1);
    const [successor, cost]: [number[], number[]] = [[], []];
    for (const [m, e] of edgeOf.entries()) {
      const j = head[m];
      const isInside = j >= 0 && this.#regionOf[detections[j]] === n;
      const add = (next: number): void => {
        const f = edgeOf[next];
        const price = isInside ? (rounded.down(this.reduced.between(e, f), -(charge.get(e, f) ?? 0)) as number) : 0;
        if (price === Number.POSITIVE_INFINITY) return;
        successor.push(next);
        cost.push(price);
      };
      if (j >= 0 && j < frameStart[frames - 1]) {
        for (let next = linkStart[j]; next < linkEnd[j]; next++) add(next);
        add(deathOf[j]);
      }
      rowStart[m + 1] = successor.length;
    }
    return {
      kind: "csr",
      count: cost.length,
      rowStart,
      successor: Uint32Array.from(successor),
      cost: Float64Array.from(cost),
    };
  }

  #exclusions(detections: Uint32Array, place: ReadonlyMap<number, number>): Exclusions | null {
    const { exclusions } = this.reduced.graph;
    if (exclusions === null) return null;
    const [setStart, member]: [number[], number[]] = [[0], []];
    const sets = new Set(Array.from(detections).flatMap((d) => this.#setsOf[d]));
    for (const set of [...sets].sort((a, b) => a - b)) {
      const inside = Array.from(membersOf(exclusions, set)).flatMap((d) => place.get(d) ?? []);
      if (inside.length > 1) setStart.push(member.push(...inside));
    }
    return { setStart: Uint32Array.from(setStart), member: Uint32Array.from(member) };
  }

  /** Each cut as a clique of the items that are left: every two of them are in conflict, but what a twin outside the region is in conflict with may follow from her mother, who need not be there. */
  #stageOf(n: number, region: Graph, edgeOf: Uint32Array): Pick<RegionInstance, "stage" | "constant"> {
    const { tail, motherOf } = this.reduced.graph;
    const place = new Map(Array.from(edgeOf, (e, m) => [e, m]));
    const isStrange = ([m]: Item): boolean => {
      const d = tail[edgeOf[m]] ?? UNASSIGNED;
      return d >= 0 && this.#regionOf[d] !== n && motherOf !== null && motherOf[d] >= 0;
    };
    const cuts: Cut[] = [];
    const multipliers: number[] = [];
    let constant = 0;
    for (const k of this.#cuts[n]) {
      const all = this.weighed.cuts[k].items.flatMap(([e, f]): Item[] => {
        const [a, b] = [place.get(e), f < 0 ? -1 : place.get(f)];
        return a === undefined || b === undefined ? [] : [[a, b]];
      });
      const isValid = !all.some(isStrange) || refuteCut(region, { kind: "clique", items: all }) === null;
      const items = isValid ? all : all.filter((item) => !isStrange(item));
      constant = rounded.down(constant, this.weighed.cutMultipliers[k]) as number;
      if (items.length === 0) continue;
      cuts.push({ kind: "clique", items });
      multipliers.push(this.weighed.cutMultipliers[k]);
    }
    const v = new Float64Array(region.edges);
    const columnDual = new Float64Array(region.frameStart[region.frames]);
    return { stage: { v, columnDual, cuts, cutMultipliers: Float64Array.from(multipliers) }, constant };
  }
}

/** Why sets of detections are no regions; null where they are. */
export function refuteRegions(
  { frames, frameStart, motherOf, birthOf, deathOf }: Graph,
  regions: readonly Pick<RegionProof, "detections">[],
): string | null {
  const seen = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  for (const [n, { detections }] of regions.entries()) {
    if (detections.length === 0) return `region ${n} is empty`;
    let before = -1;
    for (const d of detections) {
      if (!(d > before && d < seen.length)) return `region ${n} has detection ${d} after ${before}`;
      if (seen[d] >= 0) return `regions ${seen[d]} and ${n} have detection ${d} in common`;
      seen[d] = n;
      before = d;
    }
  }
  for (let d = 0; d < seen.length; d++) {
    const mother = motherOf?.[d] ?? UNASSIGNED;
    if (mother >= 0 && seen[mother] !== seen[d])
      return `detection ${d} and her mother ${mother} are in different regions`;
    if ((d >= frameStart[1] && birthOf[d] < 0) || (d < frameStart[frames - 1] && deathOf[d] < 0))
      return `detection ${d} may not begin or end anywhere`;
  }
  return null;
}
