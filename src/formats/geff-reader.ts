/** Tracks of a folder of GEFF (geff.ts). */
import { join } from "node:path";
import { picked } from "../core/growing-array.js";
import { refuse } from "../files/refusal.js";
import { branchesOf, edgesInTime, type TrackEdge } from "./branches.js";
import { repeatInFrame } from "./frame-order.js";
import { readEdges, readNodes } from "./geff-nodes.js";
import { type GeffStore, openGeff, WRITE_AGAIN } from "./geff-store.js";
import { READ } from "./row-warnings.js";
import type { ReadTracks } from "./tracks.js";

/**
 * Its nodes as detections. Tracks are the tracklets that the folder names, or else the paths between divisions and merges; edges go forward in time, whichever way they
 * are written.
 * @throws InputError for what is no such graph, and where zarrita is not installed
 */
export async function readGeff(folder: string): Promise<ReadTracks> {
  const store = await openGeff(folder);
  const { meta } = store;
  const nodes = await readNodes(store, {});
  const { frame, names } = nodes;
  const ends = await readEdges(store, nodes);
  const pairs = Array.from({ length: ends.length / 2 }, (_, e): TrackEdge => [ends[2 * e], ends[2 * e + 1]]);
  const { track, parent, notes } = await tracksOf(store, frame.length, edgesInTime(pairs, frame));
  const order = Uint32Array.from(frame.keys()).sort((a, b) => frame[a] - frame[b] || a - b);
  const [x, y, z] = [nodes.x, nodes.y, nodes.z].map((values) => values && picked(values, order));
  const places = { x: x as Float64Array, y: y as Float64Array, ...(z && { z }) };
  const found = { frame: picked(frame, order), ...places, track: picked(track, order), parent };
  refuseRepeats(folder, found);
  const said = `${READ}GEFF${meta.geff_version ? ` ${meta.geff_version}` : ""}: frame = ${names.time}, x = ${names.x}, y = ${names.y}, ${z ? `z = ${names.depth}, ` : ""}${notes.by}.`;
  return { ...found, notes: [said, ...notes.of] };
}

/** The track of each node and the mothers, with how they were found. */
async function tracksOf({ folder, meta, array }: GeffStore, nodes: number, edges: readonly TrackEdge[]) {
  const branches = branchesOf(nodes, edges);
  const named = meta.track_node_props?.tracklet;
  if (typeof named !== "string") {
    // A node without edges is a track of one detection.
    let count = branches.track.reduce((most, one) => Math.max(most, one), -1);
    const track = branches.track.map((one) => (one < 0 ? ++count : one));
    return { track, parent: branches.parent, notes: { by: "tracks by its edges", of: branches.notes } };
  }
  // Tracklets may be text.
  const [read, missing] = [
    await array(`nodes/props/${named}/values`),
    (await array(`nodes/props/${named}/missing`))?.values ?? [],
  ];
  if (read === null) refuse(folder, `has no property ${named} of nodes, for tracks`, WRITE_AGAIN);
  if (read.shape.length !== 1 || read.values.length !== nodes) {
    const problem = `has the shape ${read.shape.join(" × ")}, not one value for each of ${nodes} nodes`;
    refuse(join(folder, "nodes/props", named), problem, WRITE_AGAIN);
  }
  const labels = Array.from(read.values);
  const isPlain = labels.every((label) => Number.isInteger(label) && Number(label) < 2 ** 31);
  const numbers = new Map<number | string, number>();
  const track = Int32Array.from(labels, (label, node) => {
    if (missing[node] === 1 || (isPlain && Number(label) < 0)) return -1;
    if (!numbers.has(label)) numbers.set(label, isPlain ? Number(label) : numbers.size);
    return numbers.get(label) as number;
  });
  const merged = edges.reduce((into, [, to]) => into.set(to, (into.get(to) ?? 0) + 1), new Map<number, number>());
  const births = edges.filter(([from, to]) => track[from] !== track[to] && track[from] >= 0 && merged.get(to) === 1);
  const parent = new Map(births.map(([from, to]) => [track[to], track[from]]));
  const merges = [...merged.values()].filter((edges) => edges > 1).length;
  const of = merges === 0 ? [] : [`Tracks merge at ${merges} of the nodes, where none is a mother.`];
  return { track, parent, notes: { by: `track = ${named}`, of } };
}

/** No track twice in a frame. */
function refuseRepeats(
  folder: string,
  { frame, track }: { readonly frame: Float64Array; readonly track: Int32Array },
): void {
  const repeat = repeatInFrame(frame, track);
  if (repeat === null) return;
  const problem = `track ${track[repeat.second]} has two nodes in frame ${frame[repeat.second]}`;
  refuse(folder, problem, "a track has one detection in a frame: correct its tracklets or edges");
}
