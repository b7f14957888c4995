/** The nodes of a folder of GEFF as detections, and its properties as columns of numbers. */
import { join } from "node:path";
import { MAX_LENGTH } from "../core/range.js";
import { refuse, shown } from "../files/refusal.js";
import { axesOf, type GeffStore, type GeffValues, scaledBy, WRITE_AGAIN } from "./geff-store.js";

export interface GeffNodes {
  readonly ids: GeffValues;
  /** The place of each id among them. */
  readonly nodeOf: ReadonlyMap<number | string, number>;
  /** Number of the frame. */
  readonly frame: Float64Array;
  /** In the units of the axes, scales applied. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** null where all are 0. */
  readonly z: Float64Array | null;
  /** The properties that these are. */
  readonly names: ReturnType<typeof axesOf>;
}

type Owner = "nodes" | "edges";

/**
 * The numbers of a property, NaN where it is missing; null where there is none of that name.
 * @param count of nodes or edges
 * @param width of a row: 1, or any where it is null
 */
export async function numbersOf(
  { folder, array, properties }: GeffStore,
  of: Owner,
  name: string,
  count: number,
): Promise<{ readonly values: Float64Array; readonly width: number; readonly isTruth: boolean } | null> {
  const [read, missing] = [await array(`${of}/props/${name}/values`), await array(`${of}/props/${name}/missing`)];
  const place = join(folder, of, "props", name);
  if (read === null && properties(of).includes(name)) refuse(place, "has no array values", WRITE_AGAIN);
  if (read === null) return null;
  const [rows, width = 1] = read.shape;
  if (read.shape.length > 2 || rows !== count || (missing !== null && missing.values.length !== count)) {
    const problem = `has the shape ${(rows === count && missing ? missing : read).shape.join(" × ")}, not one value for each of ${count} ${of}`;
    refuse(place, problem, WRITE_AGAIN);
  }
  const text = Array.isArray(read.values) ? read.values.find((value) => typeof value === "string") : undefined;
  if (text !== undefined && /^-?\d{16,}$/.test(text))
    refuse(place, `${text} is too large to be held exactly`, "write the property as numbers below 2^53");
  if (text !== undefined) refuse(place, `${shown(text)} is no number`, "write the property as numbers");
  const values = Float64Array.from(read.values as ArrayLike<number>);
  for (let row = 0; missing !== null && row < count; row++)
    if (missing.values[row] === 1) values.fill(Number.NaN, row * width, (row + 1) * width);
  return { values, width, isTruth: read.isTruth };
}

/** One number a node or edge; true and false are numbers where `truths` says so. */
export async function columnOf(
  store: GeffStore,
  of: Owner,
  name: string,
  count: number,
  truths = false,
): Promise<Float64Array | null> {
  const read = await numbersOf(store, of, name, count);
  if (read?.isTruth && !truths)
    refuse(join(store.folder, of, "props", name), "is true or false, not a number", "write the property as numbers");
  if (read === null || read.width === 1) return read?.values ?? null;
  const place = join(store.folder, of, "props", name);
  return refuse(place, `has the shape ${count} × ${read.width}, not one value for each of ${count} ${of}`, WRITE_AGAIN);
}

/** Properties of the nodes that the user names, in the place of those that the axes are. */
export type NamedAxes = Partial<Readonly<Record<"t" | "x" | "y" | "z", string>>>;

/**
 * @param hint what to type where a property is missing
 * @throws InputError for nodes without a frame or a place
 */
export async function readNodes(store: GeffStore, named: NamedAxes, hint = ""): Promise<GeffNodes> {
  const { folder, meta, array } = store;
  const ids = (await array("nodes/ids"))?.values ?? refuse(folder, "has no array nodes/ids", WRITE_AGAIN);
  if (ids.length === 0) refuse(folder, "has no nodes", "name a folder with nodes");
  const nodeOf = new Map<number | string, number>();
  for (let node = 0; node < ids.length; node++) {
    if (nodeOf.has(ids[node])) refuse(join(folder, "nodes/ids"), `has the id ${ids[node]} twice`, WRITE_AGAIN);
    nodeOf.set(ids[node], node);
  }
  const axes = axesOf(meta);
  const names = {
    time: named.t ?? axes.time,
    x: named.x ?? axes.x,
    y: named.y ?? axes.y,
    depth: named.z ?? axes.depth,
  };
  const column = async (role: string, name: string): Promise<Float64Array> => {
    const values = await columnOf(store, "nodes", name, ids.length);
    const has = store.properties("nodes").join(", ");
    if (values === null)
      refuse(
        folder,
        `has no property ${name} of nodes, for ${role}`,
        `name the axes in its metadata${hint} (nodes have ${has})`,
      );
    const [place, isTime] = [join(folder, "nodes/props", name), role === "time"];
    const off = values.findIndex((value) => !(isTime ? Number.isInteger(value) : Math.abs(value) < MAX_LENGTH));
    if (off >= 0 && isTime)
      refuse(place, `${shown(String(values[off]))} is no frame number`, "number the frames as integers");
    if (off >= 0)
      refuse(place, `${values[off]} of node ${ids[off]} is no position`, "correct it, or leave the node out");
    return isTime ? values : values.map(scaledBy(folder, meta, name));
  };
  const [frame, x, y] = [await column("time", names.time), await column("x", names.x), await column("y", names.y)];
  const depth = names.depth === null ? null : await column("z", names.depth);
  return { ids, nodeOf, frame, x, y, z: depth?.some((value) => value !== 0) ? depth : null, names };
}

/** The nodes that edges join, as many pairs as there are edges. */
export async function readEdges({ folder, array }: GeffStore, { nodeOf }: GeffNodes): Promise<Int32Array> {
  const read = await array("edges/ids");
  const ends = new Int32Array(read?.values.length ?? 0);
  if (read !== null && read.values.length > 0 && (read.shape.length !== 2 || read.shape[1] !== 2))
    refuse(
      join(folder, "edges/ids"),
      `has the shape ${read.shape.join(" × ")}, not two ids for each edge`,
      WRITE_AGAIN,
    );
  for (let n = 0; n < ends.length; n++) {
    const id = read?.values[n] as number | string;
    ends[n] =
      nodeOf.get(id) ??
      refuse(join(folder, "edges/ids"), `${shown(String(id))} is no node's id`, "add the node, or leave the edge out");
  }
  return ends;
}
