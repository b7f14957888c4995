import { UNASSIGNED } from "../../lap/lap.js";
import { type EdgeIndex, indexEdges } from "../instance/edges.js";
import { membersOf, setCount } from "../instance/exclusions.js";
import { type Graph, isLink, type StoredTriplets, tripletCost } from "../instance/instance.js";
import type { Exclusions } from "../instance/priced.js";
import type { Stage } from "../proof/proof.js";
import type { TrackEdges } from "../proof/track-edges.js";
import type { ReducedCosts } from "./stages.js";

/**
 * Some detections of a few consecutive frames as an instance of their own with stored triplets, everything around them fixed as the tracks have
 * it: the edges that enter its first frame and leave its last are those of the tracks, and their triplets are part of the costs of the edges
 * they meet. A set of tracks of the region costs as much more or less than the present one as it does in the instance.
 */
export interface Region {
  readonly graph: Graph;
  /** The present tracks, by links of the region. */
  readonly tracks: Int32Array;
  /** Multipliers of the instance, as those of the region. */
  readonly stage: Stage;
  /** Edge of the instance, by edge of the region. */
  readonly edgeOf: Uint32Array;
  /** Detection of the instance, by detection of the region. */
  readonly detections: Uint32Array;
}

export interface RegionBounds {
  /** First and last frame, at least one pair. */
  readonly first: number;
  readonly last: number;
}

/**
 * Cuts a region. Edges and triplets that cost at least as much beyond the bound as the present tracks pay there are left out: no cheaper set of tracks
 * of the region uses them (docs/explanation/proofs.md §1), except that only the multipliers v and β are counted here, no cuts.
 * @param detections ascending, of frames `first` to `last`; whole pieces of tracks, so that the tracks join them with each other alone, and mothers with their twins
 * @returns null where more than `most` triplets are left
 */
export function cutRegion(
  reduced: ReducedCosts,
  trackEdges: TrackEdges,
  detections: Uint32Array,
  bounds: RegionBounds,
  most: number,
): Region | null {
  const place = placeOf(reduced, trackEdges, detections, bounds);
  const { frameStart, fixedEnd } = place;
  const { edgeOf, tail, head, cost } = edgesOf(place);
  const index = indexEdges(frameStart, tail, head);
  const triplets = tripletsOf(place, edgeOf, head, index, most);
  if (triplets === null) return null;
  const frames = frameStart.length - 1;
  const graph: Graph = {
    frames,
    frameStart,
    ...index,
    tail,
    head,
    cost,
    surcharge: null,
    triplets,
    exclusions: place.exclusions,
    motherOf: place.motherOf,
  };
  const tracks = new Int32Array(detections.length).fill(UNASSIGNED);
  for (const [n, e] of edgeOf.entries()) if (isLink(graph, n) && trackEdges.isOfTracks[e] === 1) tracks[tail[n]] = n;
  const stage: Stage = {
    v: Float64Array.from(edgeOf, (e) => reduced.v[e]),
    // With the pairs ahead fixed, v of the edge that leaves a column belongs to it (docs/explanation/mathematics.md §5).
    columnDual: Float64Array.from(detections, (d) => {
      return reduced.columnDual[d] + (d >= fixedEnd ? reduced.v[trackEdges.out[d]] : 0);
    }),
    cuts: [],
    cutMultipliers: new Float64Array(0),
  };
  return { graph, tracks, stage, edgeOf, detections };
}

/** Where a region lies in its instance. */
interface Place {
  readonly reduced: ReducedCosts;
  readonly trackEdges: TrackEdges;
  readonly detections: Uint32Array;
  /** Where the detections of the region's frames begin. */
  readonly frameStart: Uint32Array;
  /** The first detection of the last frame, in the instance. */
  readonly end: number;
  /** The edges into detections before `fixedBefore` are those of the tracks, and so are the edges out of detections from `fixedEnd` on. */
  readonly fixedBefore: number;
  readonly fixedEnd: number;
  /** Paid by the tracks beyond the bound in the region and at its border. */
  readonly room: number;
  /** The exclusions within the region; and 1 for its detections that may have no link, as another one is used outside it. */
  readonly exclusions: Exclusions | null;
  readonly closed: Uint8Array;
  /** Of twins whose links are not fixed: with their mothers they are in the region. */
  readonly motherOf: Int32Array | null;
}

function placeOf(
  reduced: ReducedCosts,
  trackEdges: TrackEdges,
  detections: Uint32Array,
  { first, last }: RegionBounds,
): Place {
  const { graph, edge: r, between } = reduced;
  const { into, out } = trackEdges;
  const [open, end] = [graph.frameStart[first + 1], graph.frameStart[last]];
  let room = 0;
  for (const d of detections) {
    if (d < end) room += r[out[d]];
    if (d >= open && into[d] !== UNASSIGNED && graph.tail[into[d]] === UNASSIGNED) room += r[into[d]];
    if (into[d] !== UNASSIGNED && out[d] !== UNASSIGNED) room += between(into[d], out[d]);
  }
  const frameStart = new Uint32Array(last - first + 2);
  for (let p = first, n = 0; p <= last; p++) {
    while (n < detections.length && detections[n] < graph.frameStart[p + 1]) n++;
    frameStart[p - first + 1] = n;
  }
  const fixedBefore = first > 0 ? open : 0;
  const fixedEnd = last + 1 < graph.frames ? end : Number.POSITIVE_INFINITY;
  const place = { reduced, trackEdges, detections, frameStart, end, fixedBefore, fixedEnd, room };
  return { ...place, ...exclusionsOf(place), motherOf: mothersIn(graph, detections, fixedEnd) };
}

function mothersIn({ motherOf }: Graph, detections: Uint32Array, fixedEnd: number): Int32Array | null {
  if (motherOf === null) return null;
  const place = new Map(Array.from(detections, (d, n) => [d, n]));
  return Int32Array.from(detections, (d) => (d < fixedEnd ? place.get(motherOf[d]) : undefined) ?? UNASSIGNED);
}

function exclusionsOf({
  reduced: { graph },
  trackEdges: { into, out },
  detections,
  fixedBefore,
  fixedEnd,
}: Omit<Place, "exclusions" | "closed" | "motherOf">): Pick<Place, "exclusions" | "closed"> {
  const closed = new Uint8Array(detections.length);
  if (graph.exclusions === null) return { exclusions: null, closed };
  const inRegion = new Map(Array.from(detections, (d, n) => [d, n]));
  const isLinkAt = (e: number): boolean => e !== UNASSIGNED && isLink(graph, e);
  /** Used whatever the region's tracks are. */
  const isUsed = (d: number): boolean =>
    inRegion.has(d)
      ? (d < fixedBefore && isLinkAt(into[d])) || (d >= fixedEnd && isLinkAt(out[d]))
      : isLinkAt(into[d]) || isLinkAt(out[d]);
  const [setStart, member]: [number[], number[]] = [[0], []];
  for (let set = 0; set < setCount(graph.exclusions); set++) {
    const members = membersOf(graph.exclusions, set);
    const inside = Array.from(members).flatMap((d) => inRegion.get(d) ?? []);
    if (inside.length === 0) continue;
    const used = members.find(isUsed);
    if (used !== undefined) for (const n of inside) closed[n] = Number(closed[n] === 1 || detections[n] !== used);
    else if (inside.length > 1) setStart.push(member.push(...inside));
  }
  return { exclusions: { setStart: Uint32Array.from(setStart), member: Uint32Array.from(member) }, closed };
}

/** The edges of a region: their numbers in the instance, their ends as detections of the region, and C_e with the triplets that join them to fixed edges. */
function edgesOf({ reduced, trackEdges, detections, frameStart, fixedBefore, fixedEnd, room, closed }: Place) {
  const { graph, edge: r } = reduced;
  const { linkStart, linkEnd, deathOf, birthOf } = graph;
  const { into, out } = trackEdges;
  const inRegion = new Map<number, number>();
  for (const [n, d] of detections.entries()) inRegion.set(d, n);
  const edgeOf: number[] = [];
  const [tail, head, cost]: [number[], number[], number[]] = [[], [], []];
  /** Adds an edge, unless the instance has none. */
  const add = (e: number, i: number, j: number): void => {
    if (e === UNASSIGNED) return;
    let sum = graph.cost[e];
    if (i !== UNASSIGNED && detections[i] < fixedBefore) sum += tripletCost(graph, into[detections[i]], e);
    if (j !== UNASSIGNED && detections[j] >= fixedEnd) sum += tripletCost(graph, e, out[detections[j]]);
    if (sum === Number.POSITIVE_INFINITY) return;
    edgeOf.push(e);
    tail.push(i);
    head.push(j);
    cost.push(sum);
  };
  for (let p = 0; p + 2 < frameStart.length; p++) {
    const [rows, columns, behind] = [frameStart[p], frameStart[p + 1], frameStart[p + 2]];
    for (let i = rows; i < columns; i++) {
      const d = detections[i];
      for (let e = linkStart[d]; e < linkEnd[d]; e++) {
        const j = inRegion.get(graph.head[e]);
        if (j !== undefined && ((r[e] < room && closed[i] + closed[j] === 0) || out[d] === e)) add(e, i, j);
      }
    }
    for (let i = rows; i < columns; i++) add(deathOf[detections[i]], i, UNASSIGNED);
    for (let j = columns; j < behind; j++) add(birthOf[detections[j]], UNASSIGNED, j);
  }
  return {
    edgeOf: Uint32Array.from(edgeOf),
    tail: Int32Array.from(tail),
    head: Int32Array.from(head),
    cost: Float64Array.from(cost),
  };
}

/** The triplets of a region; null where there are more than `most`. */
function tripletsOf(
  { reduced, trackEdges, detections, end, room }: Place,
  edgeOf: Uint32Array,
  head: Int32Array,
  { linkStart, linkEnd, deathOf }: EdgeIndex,
  most: number,
): StoredTriplets | null {
  const { graph, edge: r, between } = reduced;
  const rowStart = new Uint32Array(edgeOf.length + 1);
  const successor: number[] = [];
  const cost: number[] = [];
  for (const [n, e] of edgeOf.entries()) {
    const j = head[n];
    const d = detections[j];
    const add = (m: number): void => {
      const f = edgeOf[m];
      const isOfTracks = trackEdges.into[d] === e && trackEdges.out[d] === f;
      const sum = tripletCost(graph, e, f);
      if (sum === Number.POSITIVE_INFINITY || !(isOfTracks || r[e] + r[f] + between(e, f) < room)) return;
      successor.push(m);
      cost.push(sum);
    };
    if (j !== UNASSIGNED && d < end) {
      for (let m = linkStart[j]; m < linkEnd[j]; m++) add(m);
      if (deathOf[j] !== UNASSIGNED) add(deathOf[j]);
    }
    rowStart[n + 1] = successor.length;
    if (successor.length > most) return null;
  }
  const { length: count } = successor;
  return { kind: "csr", count, rowStart, successor: Uint32Array.from(successor), cost: Float64Array.from(cost) };
}
