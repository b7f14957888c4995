import { UNASSIGNED } from "../../lap/lap.js";
import { refuteTracks, TracksPricer } from "../certificate/price-tracks.js";
import { type Conflicts, conflictsOf, membersOf, usedIn, type WeighedExclusions } from "../instance/exclusions.js";
import { type Graph, linkBetween, tripletCost } from "../instance/instance.js";
import type { Exclusions } from "../instance/priced.js";
import { orphanIn } from "../instance/twins.js";
import type { Tracks, TracksSearch } from "./feasible.js";

/** Rounds of opening other detections at most: nearly all improvement is in the first few. */
const ROUNDS = 6;

/** The edges at a detection; −1 for one that is not there, as in the first and the last frame. */
interface Place {
  readonly into: number;
  readonly out: number;
}

/**
 * Tracks of which no two use detections that exclude each other, and without orphans (twins.ts), made of any tracks: the best of each violated set stays, and the links of the others are cut. Then the
 * tracks are improved with all detections closed that another one excludes, exchanged within the sets, and improved with others open.
 */
export class ExclusiveTracks {
  readonly #exclusions: Exclusions;
  /** The detections that detection d excludes, each once: conflict[conflictsFrom[d]] … conflict[conflictsFrom[d + 1] − 1]. */
  readonly #conflictsFrom: Uint32Array;
  readonly #conflict: Uint32Array;
  readonly #twinOf: Int32Array;
  readonly #pricer: TracksPricer;

  constructor(
    private readonly graph: Graph,
    private readonly search: TracksSearch,
    { from, other, twinOf }: Conflicts = conflictsOf(graph),
  ) {
    this.#exclusions = graph.exclusions ?? { setStart: Uint32Array.of(0), member: new Uint32Array(0) };
    [this.#conflictsFrom, this.#conflict, this.#twinOf] = [from, other, twinOf];
    this.#pricer = new TracksPricer(graph);
  }

  /** @param improvedBefore tracks that cannot be improved, from which the given ones come: only what differs is looked at */
  from(given: Tracks, improvedBefore?: Tracks | null): Tracks {
    // X-LAPs at multipliers that are no finite numbers leave rows out.
    if (refuteTracks(this.graph, given) !== null) return given;
    let best = this.#cut(this.#unite(Int32Array.from(given)));
    let cost = this.#costOf(best);
    for (let round = 0; round < ROUNDS; round++) {
      const tracks = best.slice();
      const closed = this.#closed(usedIn(this.graph, tracks), round);
      this.search.improve(tracks, { closed, ...(improvedBefore && { improvedBefore }) });
      this.#exchange(tracks);
      this.#unite(tracks);
      const next = this.#costOf(tracks);
      if (!(next < cost)) {
        if (round > 0) break;
        continue;
      }
      [best, cost] = [tracks, next];
    }
    return best;
  }

  /** Of the detections that exclude each other, those that the bundle's combination uses most stay open. */
  closedBy({ combined }: WeighedExclusions): Uint8Array {
    const closed = new Uint8Array(this.graph.birthOf.length);
    const order = Float64Array.from(new Set(this.#exclusions.member)).sort(
      (a, b) => combined[b] - combined[a] || a - b,
    );
    for (const d of order) if (closed[d] === 0) for (const other of this.#conflictsOf(d)) closed[other] = 1;
    return this.#withTwins(closed);
  }

  /** The twins of detections that are closed are. */
  #withTwins(closed: Uint8Array): Uint8Array {
    this.#twinOf.forEach((twin, mother) => {
      if (twin !== UNASSIGNED && closed[mother] === 1) closed[twin] = 1;
    });
    return closed;
  }

  /** Orphans become the first daughters of their mothers. */
  #unite(tracks: Tracks): Tracks {
    const { graph } = this;
    if (orphanIn(graph, tracks) < 0) return tracks;
    const into = this.#into(tracks);
    graph.motherOf?.forEach((mother, twin) => {
      if (mother === UNASSIGNED || tracks[twin] === UNASSIGNED || tracks[mother] !== UNASSIGNED) return;
      const link = linkBetween(graph, mother, graph.head[tracks[twin]]);
      if (link >= 0 && this.#between(into[mother], link) < Number.POSITIVE_INFINITY) tracks[mother] = link;
      tracks[twin] = UNASSIGNED;
    });
    return tracks;
  }

  #costOf(tracks: Tracks): number {
    const priced = this.#pricer.price(tracks);
    return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
  }

  #conflictsOf(d: number): Uint32Array {
    return this.#conflict.subarray(this.#conflictsFrom[d], this.#conflictsFrom[d + 1]);
  }

  /** Keeps the detections of violated sets that are worth most. */
  #cut(tracks: Tracks): Tracks {
    const { tail } = this.graph;
    const used = usedIn(this.graph, tracks);
    const contested: number[] = [];
    for (let d = 0; d < used.length; d++)
      if (used[d] === 1 && this.#conflictsOf(d).some((other) => used[other] === 1)) contested.push(d);
    if (contested.length === 0) return tracks;
    const into = this.#into(tracks);
    const worth = new Map(contested.map((d) => [d, this.#costAlone(d) - this.#costAt(d, into, tracks)]));
    const stays = new Uint8Array(used.length);
    for (const d of contested.sort((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0) || a - b)) {
      if (!this.#conflictsOf(d).some((other) => stays[other] === 1)) {
        stays[d] = 1;
        continue;
      }
      tracks[d] = UNASSIGNED;
      if (this.#twinOf[d] !== UNASSIGNED) tracks[this.#twinOf[d]] = UNASSIGNED;
      if (into[d] >= 0 && tail[into[d]] >= 0) tracks[tail[into[d]]] = UNASSIGNED;
    }
    return tracks;
  }

  /** 1 for the detections that another one excludes: one that is used, or the one of a set without any that is open in this round. */
  #closed(used: Uint8Array, round: number): Uint8Array {
    const { setStart, member } = this.#exclusions;
    const closed = new Uint8Array(used.length);
    const unused: number[] = [];
    for (let s = 0; s + 1 < setStart.length; s++) {
      let open = -1;
      for (let n = setStart[s]; n < setStart[s + 1]; n++) if (used[member[n]] === 1) open = member[n];
      if (open < 0) unused.push(s);
      for (let n = setStart[s]; open >= 0 && n < setStart[s + 1]; n++) if (member[n] !== open) closed[member[n]] = 1;
    }
    for (const s of unused) {
      const free = membersOf(this.#exclusions, s).filter((d) => closed[d] === 0);
      const open = free[round % free.length];
      if (free.length > 1) for (const d of free) if (d !== open) closed[d] = 1;
    }
    return this.#withTwins(closed);
  }

  /** Puts another detection in the place of one that it excludes, where that costs less. */
  #exchange(tracks: Tracks): void {
    const [conflictsFrom, conflict] = [this.#conflictsFrom, this.#conflict];
    const used = usedIn(this.graph, tracks);
    const into = this.#into(tracks);
    const isFree = (d: number, present: number): boolean => {
      for (let n = conflictsFrom[d]; n < conflictsFrom[d + 1]; n++)
        if (used[conflict[n]] === 1 && conflict[n] !== present) return false;
      return true;
    };
    for (let present = 0; present < used.length; present++) {
      if (used[present] === 0 || conflictsFrom[present] === conflictsFrom[present + 1]) continue;
      if (used[this.#twinOf[present]] === 1) continue;
      const before = this.#costAt(present, into, tracks);
      const alone = this.#costAlone(present);
      let [best, saved, place] = [present, 0, null as Place | null];
      for (let n = conflictsFrom[present]; n < conflictsFrom[present + 1]; n++) {
        const d = conflict[n];
        const other = isFree(d, present) ? this.#placeOf(d, present, into, tracks) : null;
        if (other === null) continue;
        const saves = before + this.#costAlone(d) - alone - this.#costOfPlace(other, into, tracks);
        if (saves > saved + 1e-12 * Math.abs(before)) [best, saved, place] = [d, saves, other];
      }
      if (place !== null) this.#replace(present, best, place, { tracks, into, used });
    }
  }

  #replace(
    present: number,
    by: number,
    { into: e, out: f }: Place,
    { tracks, into, used }: { readonly tracks: Tracks; readonly into: Int32Array; readonly used: Uint8Array },
  ): void {
    const { tail, head, birthOf } = this.graph;
    into[present] = birthOf[present];
    tracks[present] = UNASSIGNED;
    used[present] = 0;
    used[by] = 1;
    into[by] = e;
    if (e >= 0 && tail[e] >= 0) tracks[tail[e]] = e;
    if (f < 0 || head[f] < 0) return;
    tracks[by] = f;
    into[head[f]] = f;
  }

  /** The edges at a detection in the place of another one; null where the links are missing. */
  #placeOf(d: number, other: number, into: Int32Array, tracks: Tracks): Place | null {
    const { graph } = this;
    const { tail, head, birthOf } = graph;
    const [before, after] = [into[other], tracks[other]];
    const e = before >= 0 && tail[before] >= 0 ? linkBetween(graph, tail[before], d) : birthOf[d];
    const f = after >= 0 ? linkBetween(graph, d, head[after]) : graph.deathOf[d];
    const isThere = (before < 0 || tail[before] < 0 || e >= 0) && (after < 0 || f >= 0);
    return isThere ? { into: e, out: f } : null;
  }

  /** Of the edges at a detection and of the triplets that they are in. */
  #costAt(d: number, into: Int32Array, tracks: Tracks): number {
    return this.#costOfPlace({ into: into[d], out: tracks[d] < 0 ? this.graph.deathOf[d] : tracks[d] }, into, tracks);
  }

  #costOfPlace({ into: e, out: f }: Place, into: Int32Array, tracks: Tracks): number {
    const { cost, tail, head, deathOf } = this.graph;
    let sum = this.#between(e, f);
    if (e >= 0) sum += cost[e] + (tail[e] >= 0 ? this.#between(into[tail[e]], e) : 0);
    if (f < 0) return sum;
    const next = head[f];
    return sum + cost[f] + (next >= 0 ? this.#between(f, tracks[next] < 0 ? deathOf[next] : tracks[next]) : 0);
  }

  /** Of a detection that is not used. */
  #costAlone(d: number): number {
    const { birthOf, deathOf } = this.graph;
    return this.#costOfPlace({ into: birthOf[d], out: deathOf[d] }, birthOf, deathOf);
  }

  #between(e: number, f: number): number {
    const { triplets, tail, head } = this.graph;
    if (e < 0 || f < 0) return 0;
    const isFree = triplets.kind === "csr" && triplets.areFree === true && (tail[e] >= 0 || head[f] >= 0);
    return isFree ? 0 : tripletCost(this.graph, e, f);
  }

  #into(tracks: Tracks): Int32Array {
    const into = this.graph.birthOf.slice();
    for (const link of tracks) if (link !== UNASSIGNED) into[this.graph.head[link]] = link;
    return into;
  }
}
