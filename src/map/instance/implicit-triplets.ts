import { InputError } from "../../core/errors.js";
import { sharedFloat64, sharedUint32 } from "../../core/shared-arrays.js";
import type { Work } from "../../core/team-work.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph, ImplicitTriplets, StoredTriplets } from "./instance.js";
import type { PricedImplicitTriplets } from "./priced.js";
import { sortByM } from "./sort-by-m.js";
import { tripletRule } from "./triplet-rules.js";

type Edges = Pick<
  Graph,
  "frames" | "frameStart" | "edges" | "linkStart" | "linkEnd" | "deathOf" | "birthOf" | "inStart" | "inEdge"
>;

/**
 * The triplets of a problem, whose edges are not yet in the order of m. The numbers of the links are the problem's own where these are its edges.
 * @param edgeOf of each link, UNASSIGNED for those that are left out; null where the edges are the links, one by one
 */
export function implicitTriplets(
  { rule, perLink }: PricedImplicitTriplets,
  { frames, frameStart, edges, linkStart, linkEnd, deathOf, inStart, inEdge }: Edges,
  edgeOf: Int32Array | null,
): ImplicitTriplets {
  const { width } = tripletRule(rule);
  const isShared = perLink.buffer instanceof SharedArrayBuffer;
  const perEdge = edgeOf === null && isShared ? perLink : sharedFloat64(width * edges);
  if (edgeOf === null && !isShared) perEdge.set(perLink);
  for (let link = 0; edgeOf !== null && link < edgeOf.length; link++) {
    if (edgeOf[link] === UNASSIGNED) continue;
    for (let w = 0; w < width; w++) perEdge[width * edgeOf[link] + w] = perLink[width * link + w];
  }
  let count = 0;
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) {
    const dying = deathOf[d] === UNASSIGNED ? 0 : 1;
    count += (inStart[d + 1] - inStart[d]) * (linkEnd[d] - linkStart[d] + dying);
  }
  const [inByM, outByM] = [sharedUint32(inEdge.length), sharedUint32(edges)];
  return { kind: "implicit", rule, count, perEdge, inByM, outByM };
}

/**
 * The same triplets, stored.
 * @throws InputError where they are too many to be numbered
 */
export function storedInstead(graph: Graph, triplets: ImplicitTriplets): StoredTriplets {
  const { frames, frameStart, edges, tail, head, linkStart, linkEnd, deathOf } = graph;
  const { rule, count, perEdge } = triplets;
  if (count >= 2 ** 32) {
    throw new InputError(
      `${count} triplets are more than 2^32 − 1, and the device does not compute them as the cost's function does; use --device cpu, or a narrower gate`,
    );
  }
  const { width, cost: priced } = tripletRule(rule);
  const rowStart = sharedUint32(edges + 1);
  const [successor, cost] = [sharedUint32(count), sharedFloat64(count)];
  let t = 0;
  for (let e = 0; e < edges; e++) {
    const j = head[e];
    if (j !== UNASSIGNED && j < frameStart[frames - 1]) {
      for (let f = linkStart[j]; f < linkEnd[j]; f++) {
        successor[t] = f;
        cost[t++] = tail[e] === UNASSIGNED ? 0 : priced(perEdge, width * e, width * f);
      }
      if (deathOf[j] !== UNASSIGNED) successor[t++] = deathOf[j];
    }
    rowStart[e + 1] = t;
  }
  return { kind: "csr", count, rowStart, successor, cost };
}

/** What threads need to put the edges at each detection into the order of m. */
export interface OrderMemory extends Edges {
  readonly triplets: ImplicitTriplets;
}

/** An item is a frame. */
export function bindOrder({ frameStart, linkStart, linkEnd, birthOf, inStart, inEdge, triplets }: OrderMemory): Work {
  const { rule, perEdge, inByM, outByM } = triplets;
  const isSwept = tripletRule(rule).minimum === "sweep";
  return (_, p) => {
    const [first, end] = [frameStart[p], frameStart[p + 1]];
    for (let k = inStart[first]; k < inStart[end]; k++) inByM[k] = inEdge[k];
    for (let d = first; d < end; d++) {
      for (let e = linkStart[d]; e < linkEnd[d]; e++) outByM[e] = e;
      if (!isSwept) continue;
      sortByM(inByM, inStart[d], inStart[d + 1] - (birthOf[d] === UNASSIGNED ? 0 : 1), perEdge);
      sortByM(outByM, linkStart[d], linkEnd[d], perEdge);
    }
  };
}
