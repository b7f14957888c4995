/**
 * The graph exchange file format GEFF (live-image-tracking-tools/geff, specification 1.x), as Zarr version 2 without compression: a folder with one node for each
 * detection and one edge for each link of a track.
 *
 *     .zattrs           { "geff": { geff_version, directed, axes, node_props_metadata, … } }
 *     nodes/ids         (N) uint64           nodes/props/{t,z,y,x,track}/values   (N)
 *     edges/ids         (E, 2) uint64
 */
import { edgesOf } from "./branches.js";
import type { PlacedTracks } from "./tracks.js";

/** The files of the folder by their path in it. t is the frame's number; a detection in no track has track −1. */
export function formatGeff({ frame, x, y, z, track, parent }: PlacedTracks): Map<string, string | Buffer> {
  const count = track.length;
  const edges = edgesOf({ track, parent }).flat().map(BigInt);
  const files = new Map<string, string | Buffer>();
  const group = (path: string) => files.set(`${path}.zgroup`, json({ zarr_format: 2 }));
  const array = (path: string, dtype: string, shape: readonly number[], values: NodeJS.TypedArray) => {
    const chunks = shape.map((size) => Math.max(1, size));
    const layout = { zarr_format: 2, shape, chunks, dtype, compressor: null, fill_value: 0, order: "C", filters: null };
    files.set(`${path}/.zarray`, json(layout));
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    if (values.length > 0) files.set(`${path}/${shape.map(() => 0).join(".")}`, bytes);
  };
  for (const path of ["", "nodes/", "nodes/props/", "edges/"]) group(path);
  array(
    "nodes/ids",
    "<u8",
    [count],
    BigUint64Array.from({ length: count }, (_, d) => BigInt(d)),
  );
  const properties = {
    t: ["<i8", BigInt64Array.from(frame, BigInt)],
    ...(z && { z: ["<f8", z] as const }),
    y: ["<f8", y],
    x: ["<f8", x],
    track: ["<i8", BigInt64Array.from(track, BigInt)],
  } as const;
  for (const [name, [dtype, values]] of Object.entries(properties)) {
    group(`nodes/props/${name}/`);
    array(`nodes/props/${name}/values`, dtype, [count], values);
  }
  array("edges/ids", "<u8", [edges.length / 2, 2], BigUint64Array.from(edges));
  const range = (values: Float64Array) => ({
    min: values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    max: values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  });
  const described = (identifier: string, dtype: string) => ({ identifier, dtype });
  files.set(
    ".zattrs",
    json({
      geff: {
        geff_version: "1.1",
        directed: true,
        axes: [
          { name: "t", type: "time", ...range(frame) },
          ...(z ? [{ name: "z", type: "space", ...range(z) }] : []),
          { name: "y", type: "space", ...range(y) },
          { name: "x", type: "space", ...range(x) },
        ],
        node_props_metadata: {
          t: described("t", "int64"),
          ...(z && { z: described("z", "float64") }),
          y: described("y", "float64"),
          x: described("x", "float64"),
          track: described("track", "int64"),
        },
        edge_props_metadata: {},
        track_node_props: { tracklet: "track" },
      },
    }),
  );
  return files;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
