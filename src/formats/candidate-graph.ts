/** Candidate edges with costs, births, deaths and pins, as the problem that says the same. */

import { InputError } from "../core/errors.js";
import type { FixedLinks } from "../core/fixed-links.js";
import { picked } from "../core/growing-array.js";
import { refuse } from "../files/refusal.js";
import type { Exclusions, PricedProblem } from "../map/instance/priced.js";
import { likeTheirMothers, withTwins } from "../map/instance/twins.js";
import { edgesOf } from "./branches.js";
import type { PlacedTracks } from "./tracks.js";

/** Detections with candidate edges, which are sorted by (tail, head). */
export interface CandidateGraph {
  readonly frameStart: Uint32Array;
  readonly tail: Int32Array;
  readonly head: Int32Array;
  readonly cost: Float64Array;
  /** By detection: of having an edge, of being the first and the last of a track in any frame, and of having no edge. */
  readonly nodeCost: Float64Array;
  readonly birth: Float64Array;
  readonly death: Float64Array;
  readonly unused: Float64Array;
  /** Of having two edges out; NaN where it may not. */
  readonly division: Float64Array;
  readonly exclusions: Exclusions | null;
  /** 1: required, 0: forbidden, −1: neither. */
  readonly nodePin: Int8Array;
  readonly edgePin: Int8Array;
  /** For messages. */
  readonly placeOf: { readonly node: (d: number) => string; readonly edge: (e: number) => string };
}

/** What is required and forbidden. */
export type Pins = Pick<CandidateGraph, "tail" | "head" | "nodePin" | "edgePin" | "placeOf">;

/** How many edges out of each detection, and into it, are required. */
function requiredAt({ tail, head, edgePin, nodePin }: Pins) {
  const [out, into] = [new Uint8Array(nodePin.length), new Uint8Array(nodePin.length)];
  edgePin.forEach((pin, e) => {
    if (pin !== 1) return;
    if (out[tail[e]] < 3) out[tail[e]]++;
    if (into[head[e]] < 3) into[head[e]]++;
  });
  return { out, into };
}

/** @throws InputError for pins that no tracks keep to */
export function refusePins(graph: CandidateGraph): void {
  const { tail, head, edgePin, nodePin, placeOf } = graph;
  const { out, into } = requiredAt(graph);
  const mayDivide = dividing(graph);
  edgePin.forEach((pin, e) => {
    if (pin !== 1) return;
    if (nodePin[tail[e]] === 0 || nodePin[head[e]] === 0)
      refuse(placeOf.edge(e), "is required, and one of its nodes is forbidden", "correct one of them");
    if (into[head[e]] > 1)
      refuse(placeOf.edge(e), "is not the only required edge into its node", "require one of them");
    if (out[tail[e]] > (Number.isNaN(mayDivide[tail[e]]) ? 1 : 2))
      refuse(
        placeOf.edge(e),
        "is one of more required edges out of its node than it may have",
        "require fewer, or give the node the cost of a division",
      );
  });
}

/** Costs of divisions where one is possible, with two edges out. */
function dividing({ tail, division, edgePin }: CandidateGraph): Float64Array {
  const out = new Uint32Array(division.length);
  tail.forEach((d, e) => {
    if (edgePin[e] !== 0) out[d]++;
  });
  return division.map((cost, d) => (out[d] < 2 ? Number.NaN : cost));
}

/** A node's pins cost this much beyond all that breaking them could save nearby. */
const INSISTENCE = 64;

/**
 * The problem of the edges. The costs of nodes are part of those of their edges: links into a detection have its own, and births; links out of the first frame those of
 * their tail and its birth, as that frame has no births, and links into the last one the death of their head. Forbidden edges are left out, with all that a required one
 * rules out. What is left to break a pin is dearer: tracks that keep to all cost the same as without, so that bounds hold as they are.
 */
export function pricedGraph(graph: CandidateGraph): PricedProblem {
  const { frameStart, tail, head, edgePin, nodePin, nodeCost, exclusions } = graph;
  const lastFrame = frameStart[frameStart.length - 2];
  const { out, into } = requiredAt(graph);
  const division = dividing(graph);
  const most = (values: Float64Array) => values.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  const more =
    INSISTENCE *
    [graph.cost, nodeCost, graph.birth, graph.death, graph.unused].reduce((sum, values) => sum + most(values), 1);
  const alive = Uint32Array.from(tail.keys()).filter((e) => {
    const [i, j] = [tail[e], head[e]];
    if (edgePin[e] === 0 || nodePin[i] === 0 || nodePin[j] === 0) return false;
    return edgePin[e] === 1 || (into[j] === 0 && out[i] < (Number.isNaN(division[i]) ? 1 : 2));
  });
  const cost = Float64Array.from(alive, (e) => {
    const [i, j] = [tail[e], head[e]];
    const [begins, ends] = [i < frameStart[1], j >= lastFrame];
    return graph.cost[e] + nodeCost[j] + (begins ? nodeCost[i] + graph.birth[i] : 0) + (ends ? graph.death[j] : 0);
  });
  const dearer = (values: Float64Array, isPinned: (d: number) => boolean) =>
    values.map((value, d) => (isPinned(d) ? value + more : value));
  const problem: PricedProblem = {
    links: { frameStart, tail: picked(tail, alive), head: picked(head, alive), cost },
    triplets: null,
    birthDeath: {
      birth: dearer(
        graph.birth.map((value, d) => value + nodeCost[d]),
        (d) => into[d] > 0,
      ),
      death: dearer(graph.death, (d) => out[d] > 0),
      unused: dearer(graph.unused, (d) => nodePin[d] === 1 || into[d] > 0 || out[d] > 0),
    },
    ...(exclusions && { exclusions }),
  };
  if (division.every(Number.isNaN)) return problem;
  // Links out of the first frame have the costs of their tail already, which count once.
  const second = division.map((value, d) => (d < frameStart[1] ? value - (nodeCost[d] + graph.birth[d]) : value));
  return withTwins(problem, likeTheirMothers(problem, second)).problem;
}

/** The graph with links required and forbidden beside its own pins. */
export function withFixedLinks(graph: CandidateGraph, { next, forbidden }: FixedLinks) {
  const { tail, head } = graph;
  const edgePin = graph.edgePin.slice();
  const found = new Set<number>();
  tail.forEach((i, e) => {
    if (next[i] === head[e]) {
      edgePin[e] = 1;
      found.add(i);
    } else if (forbidden.get(i)?.has(head[e])) edgePin[e] = 0;
  });
  const without = next.findIndex((j, i) => j >= 0 && !found.has(i));
  if (without >= 0)
    refuse(
      "--links",
      `requires an edge from ${graph.placeOf.node(without)} that the graph does not have`,
      "leave the line out, or add the edge",
    );
  const pins = { ...graph, edgePin };
  refusePins(pins);
  return { pins, problem: pricedGraph(pins) };
}

/**
 * @param isOptimal whether the tracks are the cheapest: then none keep to all
 * @throws InputError where tracks do not keep to the pins
 */
export function requirePins(
  { tail, head, nodePin, edgePin, placeOf }: Pins,
  tracks: Pick<PlacedTracks, "track" | "parent">,
  isOptimal: boolean,
): void {
  if (!edgePin.includes(1) && !nodePin.includes(1)) return;
  const before = new Int32Array(nodePin.length).fill(-1);
  const used = new Uint8Array(nodePin.length);
  for (const [from, to] of edgesOf(tracks)) {
    before[to] = from;
    used[from] = used[to] = 1;
  }
  const edge = edgePin.findIndex((pin, e) => pin === 1 && before[head[e]] !== tail[e]);
  const node = nodePin.findIndex((pin, d) => pin === 1 && used[d] === 0);
  if (edge < 0 && node < 0) return;
  const broken = edge >= 0 ? placeOf.edge(edge) : placeOf.node(node);
  const [none, remedy] = isOptimal ? ["keep", ""] : ["were found that keep", "give more time, or "];
  throw new InputError(`${broken}: is required, and no tracks ${none} to all that is; ${remedy}require less`);
}
