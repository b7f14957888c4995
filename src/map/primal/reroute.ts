import { frameOfDetections } from "../../core/detections.js";
import { sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Conflicts, isRestricted } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { EditedTracks } from "./edited-tracks.js";
import type { Tracks } from "./feasible.js";

/** Sweeps over all tracks at most; each begins where the one before has left them. */
const SWEEPS = 3;

/** Paths laid in the place of pieces that were taken out, at most. */
const PATHS = 3;

/** A saving of less is rounding. */
const ROUNDING = 1e-9;

/** What rerouting knows of the tracks that it has left, in memory that threads share. */
export interface RerouteMemory {
  readonly tracks: Tracks;
  /** Counts improvements. By detection, when something changed at it or at one that it excludes, and when the piece that begins there was last seen to have no improvement. */
  readonly time: Uint32Array;
  readonly changed: Uint32Array;
  readonly tried: Uint32Array;
}

/** Whether pieces can be laid anew. */
export function mayReroute(graph: Graph): boolean {
  return isRestricted(graph) && graph.triplets.kind === "csr" && graph.triplets.areFree === true;
}

export function rerouteMemory(detections: number): RerouteMemory {
  return {
    tracks: sharedInt32(detections).fill(UNASSIGNED),
    time: sharedUint32(1).fill(1),
    changed: sharedUint32(detections).fill(1),
    tried: sharedUint32(detections),
  };
}

/**
 * Improves tracks where triplets are free: takes out a piece of one, between mothers that divide or the ends, alone or with another one that stands beside it, and lays the cheapest paths through the
 * detections that nothing excludes then, over all frames at once. A path may go on from another track or a mother, and may lead to one. What saves nothing is undone.
 */
export class Reroute {
  readonly #edited: EditedTracks;
  /** Cost of the cheapest path to a detection, and the link that it enters by, where `#seen` is the present round. */
  readonly #least: Float64Array;
  readonly #by: Int32Array;
  readonly #seen: Uint32Array;
  /** Detections that no path enters in the present round. */
  readonly #barred: Uint32Array;
  #round = 0;
  readonly #layers: number[][];
  readonly #frameOf: Uint32Array;
  #memory: RerouteMemory;

  constructor(
    private readonly graph: Graph,
    private readonly conflicts: Conflicts,
  ) {
    const detections = graph.birthOf.length;
    this.#edited = new EditedTracks(graph, conflicts);
    this.#least = new Float64Array(detections);
    this.#by = new Int32Array(detections);
    this.#seen = new Uint32Array(detections);
    this.#barred = new Uint32Array(detections);
    this.#layers = Array.from({ length: graph.frames }, () => []);
    this.#frameOf = Uint32Array.from(frameOfDetections(graph.frameStart));
    this.#memory = rerouteMemory(0);
  }

  /** Improves allowed tracks in place. Of those that it has left before, by the memory, it looks at what has changed alone. */
  improve(tracks: Tracks, memory: RerouteMemory): void {
    this.#memory = memory;
    this.#edited.become(memory.tracks);
    this.#edited.become(tracks);
    this.#noteChanges();
    for (let sweep = 0, saved = 1; sweep < SWEEPS && saved > 0; sweep++) {
      saved = 0;
      for (let d = 0; d < tracks.length; d++) if (this.#edited.isFirst(d)) saved += this.#improveFrom(d);
    }
    tracks.set(this.#edited.tracks);
    memory.tracks.set(tracks);
  }

  /** Notes where links were replaced. */
  #noteChanges(): void {
    const { from, other } = this.conflicts;
    const { head } = this.graph;
    const all = this.#edited.replaced;
    const { changed, time: counted } = this.#memory;
    const time = ++counted[0];
    const note = (d: number): void => {
      if (changed[d] === time) return;
      changed[d] = time;
      for (let n = from[d]; n < from[d + 1]; n++) changed[other[n]] = time;
    };
    for (let n = 0; n < all.length; n += 2) {
      note(all[n]);
      for (const link of [all[n + 1], this.#edited.tracks[all[n]]]) if (link !== UNASSIGNED) note(head[link]);
    }
  }

  /** Lays the piece that begins at a detection anew: where it is cheapest, beside where it was, or with each other piece that stands in the way. */
  #improveFrom(first: number): number {
    const piece = this.#edited.pieceOf(first);
    const { changed, tried, time } = this.#memory;
    const before = tried[first];
    if (!piece.some((d) => changed[d] > before)) return 0;
    tried[first] = time[0];
    let saved = this.#replace([piece], false) || this.#replace([piece], true);
    for (const other of saved > 0 ? [] : this.#beside(piece)) {
      saved = this.#replace([piece, other], false);
      if (saved > 0) break;
    }
    return saved;
  }

  /** The other pieces that exclude a detection together with this one and no others. */
  #beside(piece: readonly number[]): number[][] {
    const { from, other } = this.conflicts;
    const found = new Map<number, number[]>();
    for (const d of piece) {
      for (let n = from[d]; n < from[d + 1]; n++) {
        const h = other[n];
        for (let m = from[h]; this.#edited.excluded[h] === 2 && m < from[h + 1]; m++) {
          if (this.#edited.used[other[m]] === 0 || other[m] === d) continue;
          const beside = this.#edited.pieceOf(other[m]);
          if (beside.length > 0 && beside[0] !== piece[0]) found.set(beside[0], beside);
        }
      }
    }
    return [...found.values()];
  }

  /** Takes pieces out and lays paths, the first `aside` from them; returns what that saves, and undoes it where it is nothing. */
  #replace(pieces: readonly (readonly number[])[], aside: boolean): number {
    this.#edited.replaced.length = 0;
    // A mother that divides has to go on.
    const mothers = pieces.map(([d]) => this.#edited.before(d)).filter((d) => d >= 0 && this.#edited.divides(d));
    let cost = 0;
    for (const piece of pieces) {
      const before = this.#edited.before(piece[0]);
      if (before >= 0) cost += this.#edited.put(before, UNASSIGNED);
      for (const d of piece) if (this.#edited.tracks[d] !== UNASSIGNED) cost += this.#edited.put(d, UNASSIGNED);
    }
    const freed = this.#freedBy(pieces.flat());
    for (let path = 0; path < mothers.length + PATHS; path++) {
      const before = this.#edited.replaced.length;
      const laid = this.#lay(freed, mothers[path] ?? UNASSIGNED, aside && path === 0 ? pieces.flat() : []);
      const isNeeded = path < mothers.length || (aside && path === 0);
      if (laid === null || (laid >= 0 && !isNeeded)) {
        this.#edited.undo(before);
        if (path < mothers.length) cost = Number.POSITIVE_INFINITY;
        break;
      }
      cost += laid;
    }
    if (cost < -ROUNDING) {
      this.#noteChanges();
      return -cost;
    }
    this.#edited.undo(0);
    return 0;
  }

  /** Detections and those that they exclude, in order. */
  #freedBy(taken: readonly number[]): number[] {
    const { from, other } = this.conflicts;
    const freed = new Set(taken);
    for (const d of taken) for (let n = from[d]; n < from[d + 1]; n++) freed.add(other[n]);
    return [...freed].sort((a, b) => a - b);
  }

  /** Lays the cheapest path that enters one of some detections first, from a mother where one is given; returns what it costs more, null where there is none. */
  #lay(freed: readonly number[], mother: number, barred: readonly number[]): number | null {
    const { frames, tail, head, linkStart, linkEnd, inStart, inEdge, birthOf, deathOf, cost } = this.graph;
    const [layers, least, by] = [this.#layers, this.#least, this.#by];
    this.#round++;
    for (const d of barred) this.#barred[d] = this.#round;
    let [first, last] = [frames, -1];
    for (const d of freed) {
      if (!this.#isOpen(d)) continue;
      this.#see(d);
      [first, last] = [Math.min(first, this.#frameOf[d]), Math.max(last, this.#frameOf[d])];
    }
    let [best, bestEnd, bestLink] = [Number.POSITIVE_INFINITY, UNASSIGNED, UNASSIGNED];
    for (let p = first; p <= last; p++) {
      for (const d of layers[p]) {
        const [birth, death] = [this.#edited.birthCost(d), this.#edited.deathCost(d)];
        if (mother < 0 && birth < least[d]) [least[d], by[d]] = [birth, UNASSIGNED];
        for (let k = inStart[d]; k < inStart[d + 1]; k++) {
          const e = inEdge[k];
          const from = tail[e];
          if (from < 0 || !(mother < 0 ? this.#mayGoOn(from) : from === mother)) continue;
          const value = cost[e] - cost[deathOf[from]];
          if (value < least[d]) [least[d], by[d]] = [value, e];
        }
        if (least[d] === Number.POSITIVE_INFINITY) continue;
        const value = least[d] - birth - death - this.#edited.loneCost(d);
        // Born and ended it would not be used.
        if (by[d] !== UNASSIGNED && value + death < best) [best, bestEnd, bestLink] = [value + death, d, UNASSIGNED];
        for (let f = linkStart[d]; f < linkEnd[d]; f++) {
          const next = head[f];
          if (this.#edited.used[next] === 1) {
            const born = this.#edited.into[next] === birthOf[next] && birthOf[next] !== UNASSIGNED;
            const joined = value + cost[f] - (born ? cost[birthOf[next]] : 0);
            if (born && joined < best) [best, bestEnd, bestLink] = [joined, d, f];
          } else if (this.#isOpen(next)) {
            if (this.#seen[next] !== this.#round) {
              this.#see(next);
              last = Math.max(last, p + 1);
            }
            if (value + cost[f] < least[next]) [least[next], by[next]] = [value + cost[f], f];
          }
        }
      }
      layers[p].length = 0;
    }
    return bestEnd === UNASSIGNED ? null : this.#putPath(bestEnd, bestLink);
  }

  #putPath(end: number, link: number): number {
    const links = link === UNASSIGNED ? [] : [link];
    for (let d = end; this.#seen[d] === this.#round && this.#by[d] !== UNASSIGNED; d = this.graph.tail[this.#by[d]])
      links.push(this.#by[d]);
    return links.reduce((cost, e) => cost + this.#edited.put(this.graph.tail[e], e), 0);
  }

  #see(d: number): void {
    this.#seen[d] = this.#round;
    this.#least[d] = Number.POSITIVE_INFINITY;
    this.#by[d] = UNASSIGNED;
    this.#layers[this.#frameOf[d]].push(d);
  }

  /** Whether a path may enter a detection. */
  #isOpen(d: number): boolean {
    return this.#edited.used[d] === 0 && this.#edited.excluded[d] === 0 && this.#barred[d] !== this.#round;
  }

  /** Whether a path may begin with a link out of a detection: from the end of a track, or as a second daughter. */
  #mayGoOn(d: number): boolean {
    if (this.#edited.tracks[d] !== UNASSIGNED) return false;
    if (!this.#edited.isTwin(d)) return this.#edited.used[d] === 1;
    return this.#edited.tracks[this.graph.motherOf?.[d] ?? d] !== UNASSIGNED;
  }
}
