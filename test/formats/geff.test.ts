import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatGeff } from "../../src/formats/geff.js";
import { readGeff } from "../../src/formats/geff-reader.js";
import { type Graph, type Layout, writeGraph as writeGraphIn } from "./geff-folders.js";
import { folderWith, temporaryFolder } from "./support.js";

const parent = temporaryFolder();
const writeGraph = (graph: Graph, layout: Layout) => writeGraphIn(folderWith(parent, {}), graph, layout);

const axes = [
  { name: "T", type: "time", unit: "seconds", min: 0, max: 3 },
  { name: "depth", type: "space" },
  { name: "row", type: "space" },
  { name: "column", type: "space" },
];
/** A mother in frames 0 and 1, her two daughters from frame 2 on, and a node alone; nodes in no order, with ids of any size. */
const ids = BigUint64Array.of(900n, 7n, 12n, 2n ** 63n, 5n, 40n, 41n);
const arrays = {
  "nodes/ids": ids,
  "nodes/props/T/values": Uint16Array.of(2, 0, 1, 2, 3, 3, 1),
  "nodes/props/depth/values": new Float32Array(7),
  "nodes/props/row/values": Float32Array.of(3.5, 1, 2, 0.5, 4, 0.25, 9),
  "nodes/props/column/values": Float64Array.of(10, 11, 12, 13, 14, 15, 16),
  "edges/ids": BigUint64Array.of(7n, 12n, 12n, 900n, 12n, 2n ** 63n, 900n, 5n, 2n ** 63n, 40n),
};
const geff = { geff_version: "1.1.0", directed: true, axes };
/** By frame, each frame in the order of the file. */
const rows = [
  [0, 11, 1],
  [1, 12, 2],
  [1, 16, 9],
  [2, 10, 3.5],
  [2, 13, 0.5],
  [3, 14, 4],
  [3, 15, 0.25],
];
const rowsOf = ({ frame, x, y }: Awaited<ReturnType<typeof readGeff>>) => Array.from(frame, (p, d) => [p, x[d], y[d]]);

describe("GEFF of other programs", () => {
  const layouts = ([2, 3] as const).flatMap((zarr) =>
    (["none", "gzip", "zstd", "blosc"] as const).flatMap((codec) =>
      [3, 100].map((size): Layout => ({ zarr, codec, rows: size })),
    ),
  );
  const sharded = (["none", "blosc"] as const).map((codec): Layout => ({ zarr: 3, codec, rows: 2, shard: 3 }));
  test.each([...layouts, ...sharded])("Zarr $zarr, $codec, $rows rows, shards of $shard", async (layout) => {
    const found = await readGeff(await writeGraph({ geff, arrays }, layout));
    expect(rowsOf(found)).toEqual(rows);
    expect([...found.track]).toEqual([1, 1, 3, 0, 2, 0, 2]);
    expect([...found.parent]).toEqual([
      [0, 1],
      [2, 1],
    ]);
    expect(found.notes).toEqual([
      "Read as GEFF 1.1.0: frame = T, x = column, y = row, tracks by its edges.",
      "Branches: tracks divide at 1 of the detections, and each branch is a track of its own.",
    ]);
  });

  const plain = { zarr: 2, codec: "none", rows: 100 } as const;

  test("tracklets that it names, some missing; an undirected graph; depth", async () => {
    const folder = await writeGraph(
      {
        geff: { ...geff, directed: false, track_node_props: { tracklet: "id" } },
        arrays: {
          ...arrays,
          "nodes/props/depth/values": Float32Array.of(1, 2, 3, 4, 5, 6, 7),
          "nodes/props/id/values": BigInt64Array.of(11n, 10n, 10n, 12n, 11n, 12n, 77n),
          "nodes/props/id/missing": Uint8Array.of(0, 0, 0, 0, 0, 0, 1),
          "edges/ids": BigUint64Array.of(12n, 7n, 12n, 900n, 2n ** 63n, 12n, 5n, 900n, 2n ** 63n, 40n),
        },
      },
      plain,
    );
    const found = await readGeff(folder);
    expect([...found.track]).toEqual([10, 10, -1, 11, 12, 11, 12]);
    expect([...found.parent]).toEqual([
      [11, 10],
      [12, 10],
    ]);
    expect(found.notes[0]).toBe("Read as GEFF 1.1.0: frame = T, x = column, y = row, z = depth, track = id.");
  });

  test("what tracklets merge into has no mother, which is said", async () => {
    const merging = {
      ...arrays,
      "nodes/props/id/values": BigInt64Array.of(11n, 10n, 10n, 12n, 11n, 12n, 77n),
      // 41 goes on into the first detection of 900's track, too.
      "edges/ids": BigUint64Array.of(7n, 12n, 12n, 900n, 41n, 900n, 12n, 2n ** 63n, 900n, 5n, 2n ** 63n, 40n),
    };
    const metadata = { ...geff, track_node_props: { tracklet: "id" } };
    const { parent: mothers, notes } = await readGeff(await writeGraph({ geff: metadata, arrays: merging }, plain));
    expect([[...mothers], notes.slice(1)]).toEqual([
      [[12, 10]],
      ["Tracks merge at 1 of the nodes, where none is a mother."],
    ]);
  });

  test.each<[string, Partial<Record<string, NodeJS.TypedArray>>, unknown, RegExp]>([
    [
      "no metadata",
      {},
      undefined,
      /is no GEFF: its group has no attribute geff; name the group that has nodes and edges/,
    ],
    ["other metadata", {}, { axes: 3 }, /has metadata that is not GEFF's/],
    [
      "half a frame",
      { "nodes/props/T/values": Float64Array.of(0, 0, 0.5, 1, 1, 1, 1) },
      geff,
      /T: "0.5" is no frame number/,
    ],
    [
      "a short property",
      { "nodes/props/row/values": Float32Array.of(1, 2) },
      geff,
      /row: has the shape 2, not one value for each of 7/,
    ],
    ["no time", {}, { axes: [] }, /has no property t of nodes, for time; name the axes/],
    ["an edge to nowhere", { "edges/ids": BigUint64Array.of(7n, 8n) }, geff, /edges\/ids: "8" is no node's id/],
    [
      "an id twice",
      { "nodes/ids": BigUint64Array.of(7n, 7n, 1n, 2n, 3n, 4n, 5n) },
      geff,
      /nodes\/ids: has the id 7 twice/,
    ],
    [
      "two nodes of a tracklet in a frame",
      { "nodes/props/id/values": new BigInt64Array(7) },
      { ...geff, track_node_props: { tracklet: "id" } },
      /track 0 has two nodes in frame 1; a track has one detection in a frame/,
    ],
  ])("%s is refused", async (_, changed, metadata, says) => {
    const folder = await writeGraph({ geff: metadata, arrays: { ...arrays, ...changed } as Graph["arrays"] }, plain);
    await expect(readGeff(folder)).rejects.toThrow(says);
  });

  test("an array that is cut short is refused", async () => {
    for (const codec of ["none", "blosc"] as const) {
      const folder = await writeGraph({ geff, arrays }, { ...plain, codec });
      writeFileSync(join(folder, "nodes/props/row/values/0"), Buffer.alloc(20));
      await expect(readGeff(folder)).rejects.toThrow(
        /nodes\/props\/row\/values: cannot be read as Zarr \(.*\); write the folder again/,
      );
    }
  });
});

test("rmap's own: mothers and detections in no track stay", async () => {
  const tracks = {
    frame: Float64Array.of(4, 4, 5, 5, 6),
    x: Float64Array.of(1, 2, 3, 4.5, 6),
    y: Float64Array.of(5, 6, 7, 8, 9),
    track: Int32Array.of(3, -1, 0, 1, 0),
    parent: new Map([
      [0, 3],
      [1, 3],
    ]),
  };
  const folder = folderWith(parent, {});
  for (const [name, content] of formatGeff(tracks)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const { notes, ...found } = await readGeff(folder);
  expect(found).toEqual(tracks);
  expect(notes).toEqual(["Read as GEFF 1.2: frame = t, x = x, y = y, track = track."]);
});
