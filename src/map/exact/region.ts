import { UNASSIGNED } from "../../lap/lap.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { indexEdges } from "../instance/edges.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { Stage } from "../proof/proof.js";
import type { TrackEdges } from "../proof/track-edges.js";

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
 * @param detections ascending, of frames `first` to `last`; whole pieces of tracks, so that the tracks join them with each other alone
 * @returns null where more than `most` triplets are left
 */
export function cutRegion(
  { graph, edge: r, v, columnDual, between }: ReducedCosts,
  trackEdges: TrackEdges,
  detections: Uint32Array,
  { first, last }: RegionBounds,
  most: number,
): Region | null {
  const { frames, frameStart, linkStart, linkEnd, deathOf, birthOf, tail, head, cost } = graph;
  const [open, end] = [frameStart[first + 1], frameStart[last]];
  const fixedBefore = first > 0;
  const fixedAfter = last + 1 < frames;
  const place = new Map<number, number>();
  for (const [n, d] of detections.entries()) place.set(d, n);

  // What the tracks pay beyond the bound in the region and at its border.
  let room = 0;
  for (const d of detections) {
    if (d < end) room += r[trackEdges.out[d]];
    if (d >= open && trackEdges.into[d] !== UNASSIGNED && tail[trackEdges.into[d]] === UNASSIGNED)
      room += r[trackEdges.into[d]];
    if (trackEdges.into[d] !== UNASSIGNED && trackEdges.out[d] !== UNASSIGNED)
      room += between(trackEdges.into[d], trackEdges.out[d]);
  }

  const regionStart = new Uint32Array(last - first + 2);
  for (let p = first, n = 0; p <= last; p++) {
    while (n < detections.length && detections[n] < frameStart[p + 1]) n++;
    regionStart[p - first + 1] = n;
  }

  const edgeOf: number[] = [];
  const tailOf: number[] = [];
  const headOf: number[] = [];
  const price: number[] = [];
  /** C_e with the triplets that join it to what is fixed; nothing for an edge that the instance has not. */
  const take = (e: number, i: number, j: number): void => {
    if (e === UNASSIGNED) return;
    let sum = cost[e];
    if (i !== UNASSIGNED && detections[i] < open && fixedBefore)
      sum += tripletCost(graph, trackEdges.into[detections[i]], e);
    if (j !== UNASSIGNED && detections[j] >= end && fixedAfter)
      sum += tripletCost(graph, e, trackEdges.out[detections[j]]);
    if (sum === Number.POSITIVE_INFINITY) return;
    edgeOf.push(e);
    tailOf.push(i);
    headOf.push(j);
    price.push(sum);
  };
  for (let p = 0; p < last - first; p++) {
    const [rows, columns, behind] = [regionStart[p], regionStart[p + 1], regionStart[p + 2]];
    for (let i = rows; i < columns; i++) {
      const d = detections[i];
      for (let e = linkStart[d]; e < linkEnd[d]; e++) {
        const j = place.get(head[e]);
        if (j !== undefined && (r[e] < room || trackEdges.out[d] === e)) take(e, i, j);
      }
    }
    for (let i = rows; i < columns; i++) take(deathOf[detections[i]], i, UNASSIGNED);
    for (let j = columns; j < behind; j++) take(birthOf[detections[j]], UNASSIGNED, j);
  }
  const [tails, heads] = [Int32Array.from(tailOf), Int32Array.from(headOf)];
  const index = indexEdges(regionStart, tails, heads);

  const rows = new Uint32Array(edgeOf.length + 1);
  const successor: number[] = [];
  const tripletPrice: number[] = [];
  for (let n = 0; n < edgeOf.length; n++) {
    const [e, j] = [edgeOf[n], headOf[n]];
    const follow = (m: number): void => {
      const f = edgeOf[m];
      const both = trackEdges.into[detections[j]] === e && trackEdges.out[detections[j]] === f;
      const sum = tripletCost(graph, e, f);
      if (sum === Number.POSITIVE_INFINITY || !(both || r[e] + r[f] + between(e, f) < room)) return;
      successor.push(m);
      tripletPrice.push(sum);
    };
    if (j !== UNASSIGNED && detections[j] < end) {
      for (let m = index.linkStart[j]; m < index.linkEnd[j]; m++) follow(m);
      if (index.deathOf[j] !== UNASSIGNED) follow(index.deathOf[j]);
    }
    rows[n + 1] = successor.length;
    if (successor.length > most) return null;
  }

  const region: Graph = {
    frames: last - first + 1,
    frameStart: regionStart,
    ...index,
    tail: tails,
    head: heads,
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
  for (const [n, e] of edgeOf.entries()) {
    if (tails[n] !== UNASSIGNED && heads[n] !== UNASSIGNED && trackEdges.isOfTracks[e] === 1) tracks[tails[n]] = n;
  }
  // With the pairs ahead fixed, v of the edge that leaves a column belongs to it (docs/explanation/mathematics.md §5).
  const duals = Float64Array.from(detections, (d) => {
    return columnDual[d] + (d >= end && fixedAfter ? v[trackEdges.out[d]] : 0);
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
    edgeOf: Uint32Array.from(edgeOf),
    detections,
  };
}
