import { UNASSIGNED } from "../../lap/lap.js";
import { type Conflicts, loneCosts } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import type { Tracks } from "./feasible.js";

/** Tracks where triplets are free, of which a link is replaced at a time, at a cost that is known at once; what was replaced can be undone. */
export class EditedTracks {
  readonly tracks: Tracks;
  /** The edge into each detection. */
  readonly into: Int32Array;
  /** 1 for detections that a link touches; and the number of those that exclude a detection. */
  readonly used: Uint8Array;
  readonly excluded: Uint16Array;
  /** Links that were replaced, as pairs of a detection and its link before. */
  readonly replaced: number[] = [];
  readonly #lone: Float64Array | null;

  constructor(
    private readonly graph: Graph,
    private readonly conflicts: Conflicts,
  ) {
    const detections = graph.birthOf.length;
    this.tracks = new Int32Array(detections).fill(UNASSIGNED);
    this.into = graph.birthOf.slice();
    this.used = new Uint8Array(detections);
    this.excluded = new Uint16Array(detections);
    this.#lone = loneCosts(graph);
  }

  /** Sets all links. */
  become(tracks: Tracks): void {
    this.replaced.length = 0;
    const differing = tracks.map((link, d) => (link === this.tracks[d] ? 0 : 1));
    for (let d = 0; d < tracks.length; d++) if (differing[d] === 1) this.put(d, UNASSIGNED);
    for (let d = 0; d < tracks.length; d++) if (differing[d] === 1) this.put(d, tracks[d]);
  }

  /** Has a detection go on by a link, or end; returns what that costs more. */
  put(d: number, link: number): number {
    const { head, birthOf } = this.graph;
    const [tracks, into] = [this.tracks, this.into];
    const before = tracks[d] === UNASSIGNED ? UNASSIGNED : head[tracks[d]];
    const after = link === UNASSIGNED ? UNASSIGNED : head[link];
    this.replaced.push(d, tracks[d]);
    let cost = -this.#costAt(d) - this.#costAt(before) - (after === before ? 0 : this.#costAt(after));
    if (before !== UNASSIGNED) into[before] = birthOf[before];
    tracks[d] = link;
    if (after !== UNASSIGNED) into[after] = link;
    cost += this.#costAt(d) + this.#costAt(before) + (after === before ? 0 : this.#costAt(after));
    this.#use(d);
    this.#use(before);
    this.#use(after);
    return cost;
  }

  /** Of the edges that a detection begins with or leaves by. */
  #costAt(d: number): number {
    if (d === UNASSIGNED) return 0;
    const isBorn = this.into[d] === this.graph.birthOf[d];
    const link = this.tracks[d];
    const birth = isBorn ? this.birthCost(d) : 0;
    return link !== UNASSIGNED
      ? birth + this.graph.cost[link]
      : birth + this.deathCost(d) + (isBorn ? this.loneCost(d) : 0);
  }

  /** Notes whether a detection is used. */
  #use(d: number): void {
    if (d === UNASSIGNED) return;
    const used = this.tracks[d] !== UNASSIGNED || this.into[d] !== this.graph.birthOf[d] ? 1 : 0;
    if (used === this.used[d]) return;
    this.used[d] = used;
    const { from, other } = this.conflicts;
    for (let n = from[d]; n < from[d + 1]; n++) this.excluded[other[n]] += used === 1 ? 1 : -1;
  }

  /** Undoes what was put since there were so many replaced links. */
  undo(replaced: number): void {
    const all = this.replaced;
    while (all.length > replaced) {
      const [d, link] = all.splice(-2);
      this.put(d, link);
      all.length -= 2;
    }
  }

  divides(d: number): boolean {
    const twin = this.conflicts.twinOf[d];
    return twin >= 0 && this.tracks[twin] !== UNASSIGNED;
  }

  /** Costs of a detection's birth, of its death, and of both together; 0 where it has none. */
  birthCost(d: number): number {
    const e = this.graph.birthOf[d];
    return e === UNASSIGNED ? 0 : this.graph.cost[e];
  }

  deathCost(d: number): number {
    const e = this.graph.deathOf[d];
    return e === UNASSIGNED ? 0 : this.graph.cost[e];
  }

  loneCost(d: number): number {
    return this.#lone?.[d] ?? 0;
  }
}
