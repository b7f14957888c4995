/**
 * The graph exchange file format GEFF (live-image-tracking-tools/geff, specification 1.x), as Zarr version 2 without compression: a folder with one node for each
 * detection and one edge for each link of a track.
 *
 *     .zattrs           { "geff": { geff_version, directed, axes, node_props_metadata, … } }
 *     nodes/ids         (N) uint64           nodes/props/{t,z,y,x,track,…}/values   (N), and perhaps missing
 *     edges/ids         (E, 2) uint64        edges/props/…
 */
import { edgesOf, type TrackEdge } from "./branches.js";
import type { PlacedTracks } from "./tracks.js";

/** Numbers of nodes or edges; with `holes`, NaN says that there is none. */
interface Property {
  readonly values: Float64Array | BigInt64Array;
  readonly holes?: boolean;
}

interface Graph extends Pick<PlacedTracks, "frame" | "x" | "y" | "z" | "track"> {
  /** [counted from 0] */
  readonly ids?: readonly bigint[];
  /** By the places of their nodes. */
  readonly edges: readonly TrackEdge[];
  readonly unit?: string | null;
  readonly timeUnit?: string | null;
  readonly nodeProperties?: Readonly<Record<string, Property>>;
  readonly edgeProperties?: Readonly<Record<string, Property>>;
}

/** The files of the folder by their path in it. t is the frame's number; a detection in no track has track −1. */
export function formatGeff(tracks: PlacedTracks): Map<string, string | Buffer> {
  return formatGraph({ ...tracks, edges: edgesOf(tracks) });
}

export function formatGraph(graph: Graph): Map<string, string | Buffer> {
  const { frame, x, y, z, track, edges, unit, timeUnit } = graph;
  const files = new Map<string, string | Buffer>();
  const group = (path: string) => files.set(`${path}.zgroup`, json({ zarr_format: 2 }));
  const array = (path: string, dtype: string, shape: readonly number[], values: NodeJS.TypedArray) => {
    const chunks = shape.map((size) => Math.max(1, size));
    const layout = { zarr_format: 2, shape, chunks, dtype, compressor: null, fill_value: 0, order: "C", filters: null };
    files.set(`${path}/.zarray`, json(layout));
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    if (values.length > 0) files.set(`${path}/${shape.map(() => 0).join(".")}`, bytes);
  };
  /** Writes properties, and returns what the metadata says of them. */
  const properties = (of: "nodes" | "edges", given: Readonly<Record<string, Property>>) => {
    group(`${of}/`);
    group(`${of}/props/`);
    return Object.fromEntries(
      Object.entries(given).map(([name, { values, holes }]) => {
        const place = `${of}/props/${name}`;
        const isWhole = values instanceof BigInt64Array;
        group(`${place}/`);
        array(
          `${place}/values`,
          isWhole ? "<i8" : "<f8",
          [values.length],
          isWhole || !holes ? values : values.map((value) => (Number.isNaN(value) ? 0 : value)),
        );
        if (holes)
          array(
            `${place}/missing`,
            "|b1",
            [values.length],
            Uint8Array.from(values as Float64Array, (value) => Number(Number.isNaN(value))),
          );
        return [name, { identifier: name, dtype: isWhole ? "int64" : "float64" }];
      }),
    );
  };
  const idOf = (node: number): bigint => graph.ids?.[node] ?? BigInt(node);
  // Ids are unsigned in most programs; those of a graph that has negative ones stay as they are.
  const [ids, pairs] = [Array.from(track, (_, node) => idOf(node)), edges.flat().map(idOf)];
  const isSigned = ids.some((id) => id < 0n);
  const stored = (values: readonly bigint[]) => (isSigned ? BigInt64Array.from(values) : BigUint64Array.from(values));
  const dtype = isSigned ? "<i8" : "<u8";
  group("");
  array("nodes/ids", dtype, [ids.length], stored(ids));
  array("edges/ids", dtype, [edges.length, 2], stored(pairs));
  const whole = (values: ArrayLike<number>) => ({
    values: BigInt64Array.from(values as ArrayLike<number> & Iterable<number>, BigInt),
  });
  const nodeProperties = properties("nodes", {
    t: whole(frame),
    ...(z && { z: { values: z } }),
    ...{ y: { values: y }, x: { values: x } },
    track: whole(track),
    ...graph.nodeProperties,
  });
  const edgeProperties = properties("edges", graph.edgeProperties ?? {});
  const axis = (name: string, type: string, values: Float64Array, unit: string | null | undefined) => ({
    ...{ name, type },
    ...(unit && { unit }),
    ...(values.length > 0 && {
      min: values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
      max: values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
    }),
  });
  const geff = {
    geff_version: "1.2",
    directed: true,
    axes: [
      axis("t", "time", frame, timeUnit),
      ...(z ? [axis("z", "space", z, unit)] : []),
      axis("y", "space", y, unit),
      axis("x", "space", x, unit),
    ],
    node_props_metadata: nodeProperties,
    edge_props_metadata: edgeProperties,
    track_node_props: { tracklet: "track" },
    display_hints: {
      ...{ display_horizontal: "x", display_vertical: "y" },
      ...(z && { display_depth: "z" }),
      display_time: "t",
    },
  };
  files.set(".zattrs", json({ geff }));
  return files;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
