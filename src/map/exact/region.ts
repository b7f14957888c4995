import { UNASSIGNED } from "../../lap/lap.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { OwnEdges } from "../proof/own-edges.js";
import type { Stage } from "../proof/proof.js";

/**
 * Some detections of a few consecutive frames as an instance of their own with stored triplets, everything around them fixed as the tracks have
 * it: the edges that enter its first frame and leave its last are those of the tracks, and their triplets are part of the costs of the edges
 * they meet. What a set of tracks of the region costs more or less than the present one, so does it in the instance.
 */
export interface Region {
  readonly graph: Graph;
  /** The present tracks, by links of the region. */
  readonly tracks: Int32Array;
  /** Multipliers of the instance, as those of the region. */
  readonly stage: Stage;
  /** Link of the instance, by link of the region. */
  readonly linkOf: Uint32Array;
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
 * @param detections ascending, of frames `first` to `last`; whole pieces of tracks, so that the tracks join them with each other alone
 * @returns null where more than `most` triplets are left
 */
export function cutRegion(
  { graph, edge: r, v, columnDual, between }: ReducedCosts,
  own: OwnEdges,
  detections: Uint32Array,
  { first, last }: RegionBounds,
  most: number,
): Region | null {
  const { frames, frameStart, links, edges, outStart, head, cost } = graph;
  const hasBirths = edges > links;
  const [open, end] = [frameStart[first + 1], frameStart[last]];
  const fixedBefore = first > 0;
  const fixedAfter = last + 1 < frames;
  const place = new Map<number, number>();
  for (const [n, d] of detections.entries()) place.set(d, n);

  // What the tracks pay beyond the bound in the region and at its border.
  let room = 0;
  for (const d of detections) {
    if (d < end) room += r[own.out[d]];
    if (d >= open && own.into[d] >= links) room += r[own.into[d]];
    if (own.into[d] !== UNASSIGNED && own.out[d] !== UNASSIGNED) room += between(own.into[d], own.out[d]);
  }

  const edgeOf: number[] = [];
  const tail: number[] = [];
  const headOf: number[] = [];
  const price: number[] = [];
  /** C_e with the triplets that join it to what is fixed. */
  const take = (e: number, i: number, j: number): void => {
    let sum = cost[e];
    if (i !== UNASSIGNED && detections[i] < open && fixedBefore) sum += tripletCost(graph, own.into[detections[i]], e);
    if (j !== UNASSIGNED && detections[j] >= end && fixedAfter) sum += tripletCost(graph, e, own.out[detections[j]]);
    if (sum === Number.POSITIVE_INFINITY) return;
    edgeOf.push(e);
    tail.push(i);
    headOf.push(j);
    price.push(sum);
  };
  const start = new Uint32Array(detections.length + 1);
  for (const [i, d] of detections.entries()) {
    for (let e = outStart[d]; d < end && e < outStart[d + 1]; e++) {
      const j = place.get(head[e]);
      if (j !== undefined && (r[e] < room || own.out[d] === e)) take(e, i, j);
    }
    start[i + 1] = edgeOf.length;
  }
  const linkCount = edgeOf.length;
  if (hasBirths) {
    const births = links + frameStart[frames - 1] - frameStart[1];
    for (const [i, d] of detections.entries()) if (d < end) take(links + d, i, UNASSIGNED);
    for (const [j, d] of detections.entries()) if (d >= open) take(births + d, UNASSIGNED, j);
  }

  /** Edges of the region out of a detection: links, then its death. */
  const deathOf = (i: number): number => linkCount + i;
  const rows = new Uint32Array(edgeOf.length + 1);
  const successor: number[] = [];
  const tripletPrice: number[] = [];
  for (let n = 0; n < edgeOf.length; n++) {
    const [e, j] = [edgeOf[n], headOf[n]];
    const follow = (m: number): void => {
      const f = edgeOf[m];
      const both = own.into[detections[j]] === e && own.out[detections[j]] === f;
      const sum = tripletCost(graph, e, f);
      if (sum === Number.POSITIVE_INFINITY || !(both || r[e] + r[f] + between(e, f) < room)) return;
      successor.push(m);
      tripletPrice.push(sum);
    };
    if (j !== UNASSIGNED && detections[j] < end) {
      for (let m = start[j]; m < start[j + 1]; m++) follow(m);
      if (hasBirths) follow(deathOf(j));
    }
    rows[n + 1] = successor.length;
    if (successor.length > most) return null;
  }

  const regionStart = new Uint32Array(last - first + 2);
  for (let p = first, n = 0; p <= last; p++) {
    while (n < detections.length && detections[n] < frameStart[p + 1]) n++;
    regionStart[p - first + 1] = n;
  }
  const region: Graph = {
    frames: last - first + 1,
    frameStart: regionStart,
    links: linkCount,
    edges: edgeOf.length,
    outStart: start,
    tail: Int32Array.from(tail),
    head: Int32Array.from(headOf),
    cost: Float64Array.from(price),
    surcharge: null,
    triplets: {
      kind: "csr",
      count: successor.length,
      start: rows,
      successor: Uint32Array.from(successor),
      cost: Float64Array.from(tripletPrice),
    },
  };
  const tracks = new Int32Array(detections.length).fill(UNASSIGNED);
  for (let n = 0; n < linkCount; n++) if (own.isOwn[edgeOf[n]] === 1) tracks[tail[n]] = n;
  // With the pairs ahead fixed, v of the edge that leaves a column belongs to it (docs/explanation/mathematics.md §5).
  const duals = Float64Array.from(detections, (d) => {
    return columnDual[d] + (d >= end && fixedAfter ? v[own.out[d]] : 0);
  });
  return {
    graph: region,
    tracks,
    stage: {
      v: Float64Array.from(edgeOf, (e) => v[e]),
      columnDual: duals,
      cuts: [],
      cutMultipliers: new Float64Array(0),
    },
    linkOf: Uint32Array.from(edgeOf.slice(0, linkCount)),
    detections,
  };
}
