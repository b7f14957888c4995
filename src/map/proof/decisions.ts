import type { Core } from "./core.js";

/** Marks the edges that a decision removes: the edge itself, or all others at the detections that it joins. */
export function decide(
  { graph: { tail, head }, incidence }: Core,
  [edge, value]: readonly [edge: number, value: 0 | 1],
  removed: Uint8Array,
): void {
  if (value === 0) {
    removed[edge] = 1;
    return;
  }
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const removeOthers = (from: Uint32Array, list: Uint32Array, d: number): void => {
    if (d < 0) return;
    for (let k = from[d]; k < from[d + 1]; k++) if (list[k] !== edge) removed[list[k]] = 1;
  };
  removeOthers(outFrom, outEdge, tail[edge]);
  removeOthers(inFrom, inEdge, head[edge]);
}

/** The reason why decisions cannot be about a core, or null where they can. */
export function refuteDecisions(
  { graph: { edges } }: Core,
  decisions: readonly (readonly [edge: number, value: 0 | 1])[],
): string | null {
  const wrong = decisions.find(([e]) => !(Number.isInteger(e) && e >= 0 && e < edges));
  return wrong === undefined ? null : `decides an edge ${wrong[0]} that is not there`;
}

/** The reason why the leaves do not cover everything, or null where they do: every node has a branch for both values of one edge. */
export function leafCover(leaves: readonly (readonly (readonly [edge: number, value: 0 | 1])[])[]): string | null {
  // A leaf may lie as deep as there are leaves, so nodes wait on a stack of their own.
  const nodes = [{ here: leaves, depth: 0, decision: "" }];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const { here, depth, decision } = node;
    if (here.length === 0) return `no leaf at depth ${depth}${decision}`;
    if (here.length === 1 && here[0].length === depth) continue;
    const edge = here[0][depth]?.[0];
    if (edge === undefined || here.some((path) => path[depth]?.[0] !== edge)) {
      return `leaves at depth ${depth} do not branch on one edge`;
    }
    for (const value of [1, 0]) {
      const below = here.filter((path) => path[depth][1] === value);
      nodes.push({ here: below, depth: depth + 1, decision: `, edge ${edge} = ${value}` });
    }
  }
  return null;
}
