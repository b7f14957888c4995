/** The metadata and arrays of a folder of GEFF (geff.ts), as any program writes it: Zarr 2 or 3, in chunks, compressed. zarrita reads the chunks, one at a time. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../core/errors.js";
import { needed } from "../core/optional-package.js";
import { readJson } from "../files/json-file.js";
import { refuse, shown } from "../files/refusal.js";
import { isThere, readBytes } from "../files/text-file.js";

/** One of these makes a folder one of Zarr, version 2 or 3. */
const ZARR = [".zattrs", ".zgroup", "zarr.json"];

export function isZarr(folder: string): boolean {
  return ZARR.some((name) => existsSync(join(folder, name)));
}

export const WRITE_AGAIN = "write the folder again with the program that it is from";
/** Elements of an array at most: a greater shape is a mistake. */
const MOST_ELEMENTS = 2 ** 27;

const axis = z.looseObject({
  name: z.string(),
  type: z.string().nullish(),
  unit: z.string().nullish(),
  scale: z.number().nullish(),
  scaled_unit: z.string().nullish(),
  offset: z.number().nullish(),
});
const metadata = z.looseObject({
  geff_version: z.string().optional(),
  directed: z.boolean().optional(),
  axes: z.array(axis).nullish(),
  affine: z.unknown().optional(),
  display_hints: z
    .looseObject({ display_horizontal: z.string().nullish(), display_vertical: z.string().nullish() })
    .nullish(),
  track_node_props: z.looseObject({ tracklet: z.string().nullish() }).nullish(),
});

export type GeffMetadata = z.infer<typeof metadata>;
/** The values of an array, row by row. Integers that no number holds exactly are text, as in ids of 64 bits. */
export type GeffValues = ArrayLike<number | string>;
export interface GeffArray {
  readonly shape: readonly number[];
  readonly values: GeffValues;
  /** Whether the values are true and false, as 1 and 0. */
  readonly isTruth: boolean;
}

/** A folder that is open. */
export interface GeffStore {
  readonly folder: string;
  readonly meta: GeffMetadata;
  /** An array by its path; null where there is none. */
  array(path: string): Promise<GeffArray | null>;
  /** The names of the properties of nodes, or of edges. */
  properties(of: "nodes" | "edges"): string[];
}

/** @throws InputError for what is no such graph, and where zarrita is not installed */
export async function openGeff(folder: string): Promise<GeffStore> {
  const zarr = await needed(`${folder}: a GEFF folder`, ["zarrita"], () => import("zarrita"));
  // zarrita copies by slice, which a Buffer takes for a view.
  const bytesOf = (key: string) => {
    const path = join(folder, key);
    if (!isThere(path)) return undefined;
    const { buffer, byteOffset, length } = readBytes(path);
    return new Uint8Array(buffer, byteOffset, length);
  };
  /** The shard that was read last: its index and its chunks are asked for one by one. */
  let shard: { key: string; bytes: Uint8Array | undefined } | null = null;
  const store = {
    get: async (key: string) => bytesOf(key),
    getRange: async (key: string, range: { offset: number; length: number } | { suffixLength: number }) => {
      if (shard?.key !== key) shard = { key, bytes: bytesOf(key) };
      return "suffixLength" in range
        ? shard.bytes?.subarray(-range.suffixLength)
        : shard.bytes?.subarray(range.offset, range.offset + range.length);
    },
  };
  const root = zarr.root(store);
  const read = async <T>(path: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof InputError) throw error;
      // It says the same of what is there in a form that it does not know.
      const written = ["zarr.json", ".zarray"].map((name) => join(folder, path, name)).find(existsSync);
      if (zarr.isZarritaError(error, "NotFoundError") && written === undefined) {
        if (path === "" || !existsSync(join(folder, path))) return null;
        refuse(join(folder, path), "has neither .zarray nor zarr.json, which say what it holds", WRITE_AGAIN);
      }
      if (!("Float16Array" in globalThis) && written && /"([<>]f2|float16)"/.test(readBytes(written).toString("utf8")))
        refuse(join(folder, path), "has numbers of 16 bits, which Node.js reads from version 24 on", "write float32");
      for (const name of ["zarr.json", ".zarray", ".zattrs", ".zgroup"]) {
        const file = join(folder, path, name);
        if (existsSync(file)) readJson(file, z.looseObject({}));
      }
      // What zarrita says of metadata that it trips over is about its own code.
      const isTold =
        !zarr.isZarritaError(error, "NotFoundError") && !(error instanceof TypeError || error instanceof RangeError);
      const why = isTold ? ` (${shown((error as Error).message)})` : "";
      refuse(join(folder, path), `cannot be read as Zarr${why}`, WRITE_AGAIN);
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
    read(path, async (): Promise<GeffArray> => {
      const opened = await zarr.open(root.resolve(path), { kind: "array" });
      const { shape, chunks } = opened;
      if (!shape.every(Number.isInteger)) refuse(join(folder, path), `has the shape ${shape.join(" × ")}`, WRITE_AGAIN);
      if (productOf(shape) > MOST_ELEMENTS)
        refuse(join(folder, path), `has the shape ${shape.join(" × ")}, more than ${MOST_ELEMENTS} values`, "split it");
      const values = await valuesOf(shape, chunks, (chunk) => opened.getChunk(chunk));
      return { shape, values, isTruth: opened.is("bool") };
    });
  const properties = (of: "nodes" | "edges") => {
    const props = join(folder, of, "props");
    return isThere(props)
      ? readdirSync(props)
          .filter((name) => !ZARR.includes(name))
          .sort()
      : [];
  };
  return { folder, meta: parsed.data, array, properties };
}

const productOf = (sizes: readonly number[]) => sizes.reduce((product, size) => product * size, 1);

interface ZarrChunk {
  readonly data: unknown;
  readonly stride: readonly number[];
}

/** The values of an array in the order of its rows, from one chunk after another. */
async function valuesOf(
  shape: readonly number[],
  chunks: readonly number[],
  getChunk: (chunk: number[]) => Promise<ZarrChunk>,
): Promise<GeffValues> {
  const all = new Float64Array(productOf(shape));
  /** What numbers do not hold, by its place. */
  const texts = new Map<number, string>();
  for (const chunk of chunksOf(shape, chunks)) {
    const { data, stride } = await getChunk(chunk);
    const cells: ArrayLike<unknown> = ArrayBuffer.isView(data)
      ? (data as Float64Array)
      : Array.from(data as Iterable<unknown>);
    // zarrita takes a chunk that is cut short for one that ends in zeros.
    if (cells.length !== productOf(chunks))
      throw new Error(`chunk ${chunk} has ${cells.length} of ${productOf(chunks)} values`);
    const copy = (axis: number, from: number, to: number): void => {
      if (axis === shape.length) {
        const value = cells[from];
        all[to] = Number(value);
        if (typeof value === "string" || (typeof value === "bigint" && !Number.isSafeInteger(all[to])))
          texts.set(to, String(value));
        return;
      }
      const first = chunk[axis] * chunks[axis];
      const size = Math.min(chunks[axis], shape[axis] - first);
      for (let n = 0; n < size; n++) copy(axis + 1, from + n * stride[axis], to * shape[axis] + first + n);
    };
    copy(0, 0, 0);
  }
  return texts.size === 0 ? all : Array.from(all, (value, at) => texts.get(at) ?? value);
}

/** The places of all chunks of an array. */
function chunksOf(shape: readonly number[], chunks: readonly number[]): number[][] {
  const counts = shape.map((size, axis) => Math.ceil(size / chunks[axis]));
  return counts.reduce<number[][]>(
    (places, count) => places.flatMap((place) => Array.from({ length: count }, (_, n) => [...place, n])),
    [[]],
  );
}

/** The properties with time and place: axes by type and name, else by the hints for display, else the last two of space, which are y and x. */
export function axesOf({ axes, display_hints: hints }: GeffMetadata) {
  const all = axes ?? [];
  const space = all.filter(({ type }) => type === "space").map(({ name }) => name);
  const called = (wanted: string) => space.find((name) => name.toLowerCase() === wanted);
  const [lastButOne, last] = space.length > 1 ? space.slice(-2) : ["y", "x"];
  const x = called("x") ?? hints?.display_horizontal ?? last;
  const y = called("y") ?? hints?.display_vertical ?? lastButOne;
  const time = all.find(({ type }) => type === "time")?.name ?? "t";
  return { time, x, y, depth: space.find((name) => name !== x && name !== y) ?? null };
}

/**
 * The values of a property in the unit of its axis: times `scale`, plus `offset`.
 * @throws InputError for an affine map, which may mix axes
 */
export function scaledBy(folder: string, { axes, affine }: GeffMetadata, name: string): (value: number) => number {
  if (affine !== undefined && affine !== null)
    refuse(folder, "has an affine map of its axes", "apply it to the positions, and leave affine out of the metadata");
  const { scale, offset } = axes?.find((axis) => axis.name === name) ?? {};
  const [factor, shift] = [scale ?? 1, offset ?? 0];
  return (value) => value * factor + shift;
}
