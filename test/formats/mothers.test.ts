import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAnyTracks } from "../../src/formats/answer.js";
import { edgesOf } from "../../src/formats/branches.js";
import { readCtc } from "../../src/formats/ctc.js";
import { rmap } from "../cli/rmap.js";
import { type TiffForm, tiffFile } from "../files/images/tiff-writer.js";
import { folderWith, temporaryFolder } from "./support.js";

const parent = temporaryFolder();
const [WIDTH, HEIGHT] = [8, 9];

type Cell = readonly [label: number, x: number, y: number, z: number];

/** A folder of the Cell Tracking Challenge; each cell is a pixel of the page z. */
function ctcOf(
  table: string,
  frames: readonly (readonly Cell[])[],
  depth = 1,
  type: typeof Uint16Array | typeof Uint32Array = Uint16Array,
  form: TiffForm = {},
): string {
  const folder = folderWith(parent, { "res_track.txt": table });
  frames.forEach((cells, number) => {
    const pages = Array.from({ length: depth }, () => new type(WIDTH * HEIGHT));
    for (const [label, x, y, z] of cells) pages[z][y * WIDTH + x] = label;
    writeFileSync(
      join(folder, `mask00${number}.tif`),
      tiffFile(
        pages.map((samples) => ({ width: WIDTH, height: HEIGHT, samples })),
        form,
      ),
    );
  });
  return folder;
}

const TABLE = "1 0 1 0\n2 2 3 1\n3 2 3 1\n";
/** One cell that divides into two. */
const FRAMES: Cell[][] = [
  [[1, 2, 2, 1]],
  [[1, 3, 2, 2]],
  [
    [2, 4, 2, 2],
    [3, 4, 5, 4],
  ],
  [
    [2, 5, 2, 2],
    [3, 5, 6, 4],
  ],
];
const flat = FRAMES.map((cells) => cells.map(([label, x, y]) => [label, x, y, 0] as const));

describe("masks of the Cell Tracking Challenge", () => {
  test("of several pages are volumes, whose z counts pages", async () => {
    const folder = ctcOf(TABLE, FRAMES, 6);
    const { x, z, parent: mothers, notes } = await readCtc(folder);
    expect([[...x], [...(z ?? [])], [...mothers], notes]).toEqual([
      [2, 3, 4, 4, 5, 5],
      [1, 2, 2, 4, 2, 4],
      [
        [2, 1],
        [3, 1],
      ],
      [],
    ]);
    // Pages are 2.5 pixels thick, and cells are where the detections are.
    const rows = FRAMES.flatMap((cells, p) => cells.map(([label, x, y, z]) => `${p},${x},${y},${z},${label}`));
    const detections = folderWith(parent, { "d.csv": `frame,x,y,z,target\n${rows.join("\n")}\n` });
    const file = join(detections, "d.csv");
    const scored = async (...args: string[]) => {
      const { code, stdout } = await rmap(["evaluate", file, folder, "--reach", "0.1", "--json", ...args]);
      return [code, JSON.parse(stdout).idf1];
    };
    expect([await scored(), await scored("--z-scale", "2.5"), await scored("--z-scale", "0")]).toEqual([
      [0, 100],
      [0, 100],
      [0, 100],
    ]);
    expect((await readCtc(ctcOf(TABLE, flat))).z).toBeUndefined();
  });

  test("may be stacks of ImageJ, with labels of 32 bits and colours", async () => {
    const form = { description: "ImageJ=1.53t\nimages=6\nslices=6\n", tags: { 262: 3 } };
    const stacks = await readCtc(ctcOf(TABLE, FRAMES, 6, Uint32Array, form));
    expect(stacks).toEqual(await readCtc(ctcOf(TABLE, FRAMES, 6)));
  });

  test.each<[string, string, RegExp]>([
    ["a label twice", `${TABLE}2 2 3 0\n`, /res_track\.txt:4: has label 2 again; keep one/],
    [
      "a parent that is not there",
      TABLE.replace("3 1\n3", "3 7\n3"),
      /:2: has label 2 begin in frame 2 out of 7, which has no line/,
    ],
    [
      "a parent that is not over",
      TABLE.replace("1 0 1", "1 0 2"),
      /:2: has label 2 begin in frame 2 out of 1, which is there until frame 2/,
    ],
    [
      "its own parent",
      TABLE.replace("1 0 1 0", "1 0 1 1"),
      /:1: has label 1 begin in frame 0 out of 1, which is there/,
    ],
    ["an end before its begin", TABLE.replace("3 2 3", "3 3 2"), /:3: has label 3 end in frame 2, before 3/],
    ["a negative number", TABLE.replace("1 0 1 0", "1 0 1 -1"), /:1: is not four whole numbers/],
    [
      "frames without it",
      TABLE.replace("3 2 3", "3 3 3"),
      /mask002\.tif: has label 3, which .*:3 has in frames 3 to 3/,
    ],
  ])("whose table has %s are refused", async (_, table, says) => {
    await expect(readCtc(ctcOf(table, flat))).rejects.toThrow(says);
  });

  test("say which labels have no pixel", async () => {
    expect((await readCtc(ctcOf(`${TABLE}9 1 3 0\n`, flat))).notes).toEqual([
      "In 3 of 9 frames of labels no mask has a pixel of them.",
    ]);
  });
});

/** Track 1 goes on beside its daughter 3, whose first detection comes after its own, or before. */
const budding = (order: readonly number[]) => {
  const rows = ["0,1,2,2,", "1,1,3,2,", "2,1,4,2,", "2,3,4,7,1", "3,1,5,2,", "3,3,5,7,1"];
  return `frame,track,x,y,parent\n${order.map((n) => rows[n]).join("\n")}\n`;
};

describe("a mother who goes on beside her daughter", () => {
  test.each([[[0, 1, 2, 3, 4, 5]], [[0, 1, 3, 2, 5, 4]]])(
    "is followed by her from the frame before, rows %j",
    async (order) => {
      const cwd = folderWith(parent, { "t.csv": budding(order) });
      const truth = budding(order).replace("frame,track", "frame,target");
      writeFileSync(join(cwd, "d.csv"), truth);
      const tracks = await readAnyTracks(join(cwd, "t.csv"));
      const [mother, daughter] = [1, 3].map((one) => tracks.track.indexOf(one, 2));
      expect(edgesOf(tracks)).toContainEqual([1, daughter]);
      expect(edgesOf(tracks)).toContainEqual([1, mother]);
      for (const as of ["ctc", "geff", "trackmate", "napari"]) {
        const out = `out.${as === "trackmate" ? "xml" : as === "napari" ? "csv" : as}`;
        expect((await rmap(["export", "t.csv", "--as", as, "-o", out], { cwd })).code).toBe(0);
        const { code, stdout } = await rmap(["evaluate", "d.csv", out, "--reach", "0.1", "--json"], { cwd });
        const { lineages } = JSON.parse(stdout);
        expect([as, code, lineages.divisions]).toEqual([as, 0, { truth: 1, answer: 1, found: 1 }]);
        // Labels and branches end where cells divide, so that the mother's edge is that of a daughter.
        const edgesChanged = as === "ctc" || as === "trackmate" ? 1 : 0;
        expect(lineages.operations).toEqual({
          falseNegatives: 0,
          falsePositives: 0,
          edgesDeleted: 0,
          edgesAdded: 0,
          edgesChanged,
        });
      }
    },
  );
});

describe("mothers that tracks name", () => {
  const rows = (...mothers: readonly (string | number)[]) =>
    `frame,track,x,y,parent\n${[
      [0, 1, 2, 2],
      [1, 1, 3, 2],
      [2, 2, 4, 2],
      [2, 3, 4, 5],
      [3, 3, 5, 6],
    ]
      .map((row, n) => [...row, mothers[n] ?? ""].join())
      .join("\n")}\n`;
  const read = (content: string) => readAnyTracks(join(folderWith(parent, { "t.csv": content }), "t.csv"));

  test("are those that are seen before them; the others are said", async () => {
    const one = "1 track names a mother that is not seen before it, or several, and has none.";
    const cases: [readonly (string | number)[], [number, number][], string[]][] = [
      [
        ["", "", 1, 1, 1],
        [
          [2, 1],
          [3, 1],
        ],
        [],
      ],
      // As btrack writes those that begin without one.
      [[1, 1, 1, 3, 3], [[2, 1]], []],
      [["", "", 1, 9, 9], [[2, 1]], [one]],
      [[2, 2, 1, "", ""], [[2, 1]], [one]],
      [
        ["", "", 3, 2, 2],
        [],
        [
          one.replace(
            "1 track names a mother that is not seen before it, or several, and has",
            "2 tracks name mothers that are not seen before them, or several, and have",
          ),
        ],
      ],
    ];
    for (const [mothers, found, notes] of cases)
      expect(await read(rows(...mothers)).then((tracks) => [[...tracks.parent], tracks.notes])).toEqual([found, notes]);
  });

  test("are one each", async () => {
    await expect(read(rows("", "", "", 1, 2))).rejects.toThrow(
      /t\.csv:6, column parent: 2 is not 1, as in a row before; name one mother/,
    );
    const cwd = folderWith(parent, { "t.csv": rows("", "", "", 1, 1) });
    writeFileSync(join(cwd, "d.csv"), rows("", "", "", 1, 2).replace("track", "target"));
    const { code, stderr } = await rmap(["evaluate", "d.csv", "t.csv", "--reach", "1"], { cwd });
    expect([code, stderr]).toEqual([
      2,
      "rmap: d.csv:6, column parent: 2 is not 1, as in a row before; name one mother\n",
    ]);
  });

  test("of a merged track in napari's graph are none, which is said", async () => {
    const cwd = folderWith(parent, { "n.csv": "track_id,t,y,x\n1,0,2,2\n1,1,2,3\n2,1,9,9\n3,2,5,4\n3,3,6,5\n" });
    const graph = (content: string) => writeFileSync(join(cwd, "n.csv.graph.json"), content);
    graph('{"3":[1,2]}');
    const { parent: mothers, notes } = await readAnyTracks(join(cwd, "n.csv"));
    expect([mothers.size, notes.at(-1)]).toEqual([
      0,
      "1 track names a mother that is not seen before it, or several, and has none.",
    ]);
    for (const [content, says] of [
      ["[1]", /graph\.json:1: is \[1\]; give an object/],
      ['{"3":"a"}', /graph\.json:1, 3: is "a"; give \{ daughter: \[mother\] \}, each by its track_id/],
    ] as const) {
      graph(content);
      await expect(readAnyTracks(join(cwd, "n.csv"))).rejects.toThrow(says);
    }
  });
});

test("at a reach of 0 points of one place are the same", async () => {
  const cwd = folderWith(parent, { "t.csv": "frame,track,x,y\n0,0,1,2\n1,0,2,2\n2,0,3.5,2\n" });
  writeFileSync(join(cwd, "d.csv"), "frame,x,y,target\n0,1,2,7\n1,2,2,7\n2,3,2,7\n");
  const { code, stdout } = await rmap(["evaluate", "d.csv", "t.csv", "--reach", "0", "--json"], { cwd });
  expect([code, JSON.parse(stdout).links]).toMatchObject([0, { truth: 2, missed: 1, answer: 2, wrong: 1 }]);
});
