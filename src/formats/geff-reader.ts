/** Tracks of a folder of GEFF (geff.ts) as any program writes it: Zarr 2 or 3, in chunks, compressed. zarrita reads the arrays. */
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../core/errors.js";
import { picked } from "../core/growing-array.js";
import { needed } from "../core/optional-package.js";
import { refuse, shown } from "../files/refusal.js";
import { isThere, readBytes } from "../files/text-file.js";
import { branchesOf, edgesInTime, type TrackEdge } from "./branches.js";
import { repeatInFrame } from "./frame-order.js";
import { READ } from "./row-warnings.js";
import type { ReadTracks } from "./tracks.js";

/** One of these makes a folder one of Zarr, version 2 or 3. */
const ZARR = [".zattrs", ".zgroup", "zarr.json"];

export function isZarr(folder: string): boolean {
  return ZARR.some((name) => isThere(join(folder, name)));
}

const WRITE_AGAIN = "write the folder again with the program that it is from";
/** Elements of an array at most: a greater shape is a mistake. */
const MOST_ELEMENTS = 2 ** 27;

const axis = z.looseObject({ name: z.string(), type: z.string().nullish() });
const metadata = z.looseObject({
  geff_version: z.string().optional(),
  directed: z.boolean().optional(),
  axes: z.array(axis).nullish(),
  display_hints: z
    .looseObject({ display_horizontal: z.string().nullish(), display_vertical: z.string().nullish() })
    .nullish(),
  track_node_props: z.looseObject({ tracklet: z.string().nullish() }).nullish(),
});

type Metadata = z.infer<typeof metadata>;
/** The values of an array, row by row; the ids of nodes may be any values. */
type Values = { readonly shape: readonly number[]; readonly values: readonly (number | string)[] };

/**
 * Its nodes as detections. Tracks are the tracklets that the folder names, or else the paths between divisions and merges; edges go forward in time, whichever way they
 * are written.
 * @throws InputError for what is no such graph, and where zarrita is not installed
 */
export async function readGeff(folder: string): Promise<ReadTracks> {
  const { meta, array } = await openGeff(folder);
  const column = async (role: string, name: string, property = "values"): Promise<Values["values"]> => {
    const read = await array(`nodes/props/${name}/${property}`);
    if (read === null) refuse(folder, `has no property ${name} of nodes, for ${role}`, "name the axes in its metadata");
    if (read.shape.length !== 1 || read.values.length !== nodes.length) {
      const problem = `has the shape ${read.shape.join(" × ")}, not one value for each of ${nodes.length} nodes`;
      refuse(join(folder, "nodes/props", name), problem, WRITE_AGAIN);
    }
    return read.values;
  };
  const nodes = (await array("nodes/ids"))?.values ?? refuse(folder, "has no array nodes/ids", WRITE_AGAIN);
  if (nodes.length === 0) refuse(folder, "has no nodes", "name a folder with tracks");
  const names = axesOf(meta);
  const [frame, x, y] = await Promise.all([column("time", names.time), column("x", names.x), column("y", names.y)]);
  const place = join(folder, "nodes/props", names.time);
  const off = frame.find((value) => !Number.isInteger(value));
  if (off !== undefined) refuse(place, `${shown(String(off))} is no frame number`, "number the frames as integers");
  const edges = edgesInTime(edgesOf(folder, nodes, (await array("edges/ids"))?.values ?? []), frame.map(Number));
  const { track, parent, notes } = await tracksOf(folder, meta, nodes.length, edges, column);
  const order = Uint32Array.from(nodes.keys()).sort((a, b) => Number(frame[a]) - Number(frame[b]) || a - b);
  const pick = (values: readonly (number | string)[]) => picked(Float64Array.from(values, Number), order);
  const depth = names.depth === null ? null : await column("z", names.depth);
  const isDeep = depth?.some((value) => Number(value) !== 0) === true;
  const z = depth !== null && isDeep ? pick(depth) : undefined;
  const found = { frame: pick(frame), x: pick(x), y: pick(y), ...(z && { z }), track: picked(track, order), parent };
  refuseRepeats(folder, found);
  const said = `${READ}GEFF${meta.geff_version ? ` ${meta.geff_version}` : ""}: frame = ${names.time}, x = ${names.x}, y = ${names.y}, ${z ? `z = ${names.depth}, ` : ""}${notes.by}.`;
  return { ...found, notes: [said, ...notes.of] };
}

/** The metadata of the folder, and its arrays by their paths; null for one that is not there. */
async function openGeff(folder: string) {
  const zarr = await needed(`${folder}: a GEFF folder`, ["zarrita"], () => import("zarrita"));
  const store = {
    get: async (key: string) => {
      const path = join(folder, key);
      return isThere(path) ? readBytes(path) : undefined;
    },
  };
  const root = zarr.root(store);
  const read = async <T>(path: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof InputError) throw error;
      if (zarr.isZarritaError(error, "NotFoundError")) return null;
      refuse(join(folder, path), `cannot be read as Zarr (${shown((error as Error).message)})`, WRITE_AGAIN);
    }
  };
  const group = await read("", () => zarr.open(root, { kind: "group" }));
  const parsed = metadata.safeParse(group?.attrs.geff);
  if (!parsed.success) {
    const problem =
      group?.attrs.geff === undefined
        ? "is no GEFF: its group has no attribute geff"
        : "has metadata that is not GEFF's";
    refuse(folder, problem, "name the group that has nodes and edges, as FOLDER.zarr/GROUP");
  }
  const array = (path: string) =>
    read(path, async (): Promise<Values> => {
      const opened = await zarr.open(root.resolve(path), { kind: "array" });
      const { shape, chunks } = opened;
      if (productOf(shape) > MOST_ELEMENTS)
        refuse(join(folder, path), `has the shape ${shape.join(" × ")}, more than ${MOST_ELEMENTS} values`, "split it");
      // zarrita takes a chunk that is cut short for one that ends in zeros.
      for (const chunk of chunksOf(shape, chunks)) {
        const { length } = (await opened.getChunk(chunk)).data as ArrayLike<unknown>;
        if (length !== productOf(chunks))
          throw new Error(`chunk ${chunk} has ${length} of ${productOf(chunks)} values`);
      }
      const { data } = await zarr.get(opened);
      const values = Array.from(data as Iterable<unknown>, (value) =>
        typeof value === "string" ? value : Number(value),
      );
      return { shape, values };
    });
  return { meta: parsed.data, array };
}

const productOf = (sizes: readonly number[]) => sizes.reduce((product, size) => product * size, 1);

/** The places of all chunks of an array. */
function chunksOf(shape: readonly number[], chunks: readonly number[]): number[][] {
  const counts = shape.map((size, axis) => Math.ceil(size / chunks[axis]));
  return counts.reduce<number[][]>(
    (places, count) => places.flatMap((place) => Array.from({ length: count }, (_, n) => [...place, n])),
    [[]],
  );
}

/** The properties with time and place: axes by type and name, else by the hints for display, else the last two of space, which are y and x. */
function axesOf({ axes, display_hints: hints }: Metadata) {
  const all = axes ?? [];
  const space = all.filter(({ type }) => type === "space").map(({ name }) => name);
  const called = (wanted: string) => space.find((name) => name.toLowerCase() === wanted);
  const [lastButOne, last] = space.length > 1 ? space.slice(-2) : ["y", "x"];
  const x = called("x") ?? hints?.display_horizontal ?? last;
  const y = called("y") ?? hints?.display_vertical ?? lastButOne;
  const time = all.find(({ type }) => type === "time")?.name ?? "t";
  return { time, x, y, depth: space.find((name) => name !== x && name !== y) ?? null };
}

function edgesOf(folder: string, nodes: Values["values"], ends: Values["values"]): TrackEdge[] {
  const at = new Map(nodes.map((id, node) => [id, node]));
  if (at.size < nodes.length) refuse(join(folder, "nodes/ids"), "has an id twice", WRITE_AGAIN);
  const node = (id: number | string) =>
    at.get(id) ?? refuse(join(folder, "edges/ids"), `${shown(String(id))} is no node's id`, WRITE_AGAIN);
  return Array.from({ length: Math.floor(ends.length / 2) }, (_, e) => [node(ends[2 * e]), node(ends[2 * e + 1])]);
}

/** The track of each node and the mothers, with how they were found. */
async function tracksOf(
  folder: string,
  { track_node_props: named }: Metadata,
  nodes: number,
  edges: readonly TrackEdge[],
  column: (role: string, name: string, property?: string) => Promise<Values["values"]>,
) {
  const branches = branchesOf(nodes, edges);
  if (typeof named?.tracklet !== "string") {
    // A node without edges is a track of one detection.
    let count = branches.track.reduce((most, one) => Math.max(most, one), -1);
    const track = branches.track.map((one) => (one < 0 ? ++count : one));
    return { track, parent: branches.parent, notes: { by: "tracks by its edges", of: branches.notes } };
  }
  const labels = await column("tracks", named.tracklet);
  const hasMissing = isThere(join(folder, "nodes/props", named.tracklet, "missing"));
  const missing = hasMissing ? await column("tracks", named.tracklet, "missing") : [];
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
  return { track, parent, notes: { by: `track = ${named.tracklet}`, of: [] } };
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
