/** Tracks as graphs, as other programs have them: an edge goes from a detection to the one that follows it, and to each first one of a daughter. */
import { rootOf } from "../core/union-find.js";
import type { PlacedTracks } from "./tracks.js";

export type TrackEdge = readonly [from: number, to: number];

/** The edges of tracks whose detections are in order of time. A daughter's first detection follows her mother's last one before it, also of a mother who goes on. */
export function edgesOf({
  frame,
  track,
  parent,
}: Pick<PlacedTracks, "track" | "parent"> & { readonly frame?: ArrayLike<number> }): TrackEdge[] {
  const edges: TrackEdge[] = [];
  const last = new Map<number, number>();
  const previous = new Map<number, number>();
  track.forEach((one, d) => {
    if (one < 0) return;
    let before = last.get(one) ?? last.get(parent.get(one) ?? -1);
    if (before !== undefined && frame !== undefined && frame[before] === frame[d]) before = previous.get(before);
    if (before !== undefined) {
      edges.push([before, d]);
      previous.set(d, before);
    }
    last.set(one, d);
  });
  return edges;
}

/** The edges with the earlier end first, each once. */
export function edgesInTime(edges: readonly TrackEdge[], frame: ArrayLike<number>): TrackEdge[] {
  const known = new Set<number>();
  return edges.flatMap(([a, b]) => {
    const edge: TrackEdge = frame[a] > frame[b] ? [b, a] : [a, b];
    return known.size === known.add(edge[0] * frame.length + edge[1]).size ? [] : [edge];
  });
}

/** Begins the note that tracks divide or merge. */
export const BRANCHES = "Branches: ";

/** The parts of a graph between its divisions and merges. */
export interface Branches {
  /** The branch of each node, by the order of their first ones; −1 of nodes without edges. */
  readonly track: Int32Array;
  /** The mother's branch of each that begins where a node has several successors. */
  readonly parent: ReadonlyMap<number, number>;
  /** What became of divisions and merges, where there are any. */
  readonly notes: readonly string[];
}

export function branchesOf(nodes: number, edges: readonly TrackEdge[]): Branches {
  const [into, out] = [new Uint32Array(nodes), new Uint32Array(nodes)];
  for (const [from, to] of edges) {
    out[from]++;
    into[to]++;
  }
  const root = Int32Array.from({ length: nodes }, (_, node) => node);
  for (const [from, to] of edges) {
    if (out[from] === 1 && into[to] === 1) root[rootOf(root, to)] = rootOf(root, from);
  }
  const numbers = new Map<number, number>();
  const track = new Int32Array(nodes).fill(-1);
  for (let node = 0; node < nodes; node++) {
    if (into[node] + out[node] === 0) continue;
    const branch = rootOf(root, node);
    if (!numbers.has(branch)) numbers.set(branch, numbers.size);
    track[node] = numbers.get(branch) as number;
  }
  const births = edges.filter(([from, to]) => out[from] > 1 && into[to] === 1);
  const parent = new Map(births.map(([from, to]) => [track[to], track[from]]));
  const [divided, merged] = [out, into].map((degrees) => degrees.filter((degree) => degree > 1).length);
  const places = [divided > 0 ? [`divide at ${divided}`] : [], merged > 0 ? [`merge at ${merged}`] : []].flat();
  const notes =
    places.length === 0
      ? []
      : [`${BRANCHES}tracks ${places.join(" and ")} of the detections, and each branch is a track of its own.`];
  return { track, parent, notes };
}
