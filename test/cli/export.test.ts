import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXPORTS } from "../../src/formats/exports.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { refuses, rmap, succeeds } from "./rmap.js";

const parent = temporaryFolder();

/** Tracks in pixels: one leaves out a frame, one divides into two, one detection is on no track. Frames begin at `first`. */
function tracksFrom(first: number): string[][] {
  const row = (frame: number, track: number | "", x: number, y: number, mother: number | "" = "") =>
    [first + frame, track, x, y, mother].map(String);
  const sister = (track: number, side: number) => [3, 4, 5].map((p) => row(p, track, 60 + side * 3 * (p - 2), 30, 1));
  const rows = [
    ...[0, 1, 3, 4, 5].map((p) => row(p, 0, 10 + 4 * p, 12 + p)),
    ...[0, 1, 2].map((p) => row(p, 1, 60, 24 + 2 * p)),
    ...sister(2, -1),
    ...sister(3, 1),
    row(2, "", 90, 40),
  ];
  return rows.sort((a, b) => Number(a[0]) - Number(b[0]));
}

function folderOf(first: number): string {
  const rows = tracksFrom(first);
  const table = (header: string, of: readonly (readonly string[])[]) => `${[header, ...of.map(String)].join("\n")}\n`;
  return folderWith(parent, {
    "tracks.csv": table("frame,track,x,y,parent", rows),
    "detections.csv": table(
      "frame,x,y,target,parent",
      rows.map(([frame, track, x, y, mother]) => [frame, x, y, track, mother]),
    ),
    "childless.csv": table(
      "frame,x,y,target",
      rows.map(([frame, track, x, y]) => [frame, x, y, track]),
    ),
  });
}

/** What evaluate says that it understood of a file that is not rmap's own. */
function notesOf(as: string, first: number, file: string): string[] {
  const said = (text: string) => expect.stringContaining(`rmap: note: ${file}: ${text}`);
  if (as === "mot" && first === 0)
    return [said("Read as MOTChallenge text"), said("MOTChallenge text counts frames from 1")];
  if (as === "mot") return [said("Read as MOTChallenge text")];
  if (as === "trackmate")
    return [
      said("Read as the visible spots of TrackMate's XML"),
      said("Branches: tracks divide at 1 of the detections, and each branch is a track of its own."),
    ];
  return as === "napari"
    ? [said("Read as a table with commas: frame = t, x, y, track = track_id")]
    : as === "geff"
      ? [said("Read as GEFF 1.2: frame = t, x = x, y = y, track = track.")]
      : [];
}

/** Rows of frame, track, x, y and mother in order of frames and places, the tracks numbered as they come. */
function lineage(csv: string): (number | null)[][] {
  const rows = csv.trim().split("\n").slice(1);
  const cells = rows.map((row) => row.split(",").map((cell) => (cell === "" ? null : Number(cell))) as number[]);
  cells.sort(([p, , x, y], [q, , u, v]) => p - q || x - u || y - v);
  const numbers = new Map<number, number>();
  for (const [, track] of cells) if (!numbers.has(track)) numbers.set(track, numbers.size);
  return cells.map(([frame, track, x, y, mother]) =>
    [frame, track, mother]
      .map((value, at) =>
        at === 0 || value === null || value === undefined ? (value ?? null) : (numbers.get(value) as number),
      )
      .concat([x, y]),
  );
}

describe("what export writes is read back by evaluate as the same tracks", () => {
  test.each(Object.keys(EXPORTS).flatMap((as) => [0, 7].map((first) => ({ as, first }))))(
    "$as, frames from $first",
    async ({ as, first }) => {
      const cwd = folderOf(first);
      await succeeds(
        ["export", "tracks.csv", "--as", as, "-o", `out.${as === "trackmate" ? "xml" : as === "mot" ? "txt" : as}`],
        { cwd },
      );
      const out = ["xml", "txt", as]
        .map((ending) => `out.${ending}`)
        .find((file) => existsSync(join(cwd, file))) as string;
      const { code, stdout, stderr } = await rmap(["evaluate", "detections.csv", out, "--reach", "0.01", "--json"], {
        cwd,
      });
      expect({ code, notes: stderr.split("\n") }).toEqual({ code: 0, notes: [...notesOf(as, first, out), ""] });
      const scores = JSON.parse(stdout);
      expect(scores).toMatchObject({ idf1: 100, mota: 100, idSwitches: 0, links: { missed: 0, wrong: 0 } });
      const found = as === "mot" ? 0 : 1;
      expect(scores.lineages.divisions).toEqual({ truth: 1, answer: found, found });
      if (as !== "mot") expect(scores.lineages).toMatchObject({ divisionF1: 100, tra: 100 });
    },
  );

  test.each(["csv", "trackmate", "ctc", "napari", "geff"])(
    "%s and back: the same daughters of the same mother",
    async (as) => {
      const cwd = folderOf(7);
      await succeeds(["export", "tracks.csv", "--as", "csv", "-o", "plain.csv"], { cwd });
      const file = as === "trackmate" ? "out.xml" : as === "ctc" ? "out" : "out.csv";
      await succeeds(["export", "tracks.csv", "--as", as, "-o", file], { cwd });
      await succeeds(["export", file, "--as", "csv", "-o", "back.csv"], { cwd });
      const [plain, back] = ["plain.csv", "back.csv"].map((name) => lineage(readFileSync(join(cwd, name), "utf8")));
      expect(back).toEqual(plain);
      expect(plain.filter(([, , mother]) => mother !== null)).toHaveLength(6);
    },
  );

  test("one link less is seen", async () => {
    const cwd = folderOf(7);
    const cut = readFileSync(join(cwd, "tracks.csv"), "utf8").replace(/^12,0,.*\n/m, "");
    const broken = folderWith(parent, { "cut.csv": cut });
    await succeeds(["export", join(broken, "cut.csv"), "--as", "ctc", "-o", "out"], { cwd });
    const { stdout, stderr } = await rmap(["evaluate", "childless.csv", "out", "--reach", "0.01", "--json"], { cwd });
    const scores = JSON.parse(stdout);
    expect(scores.links).toMatchObject({ missed: 1, wrong: 0 });
    expect(scores.lineages).toBeUndefined();
    expect(stderr).toContain(
      "2 tracks have a mother, and no target of the detections has one: divisions are not scored.",
    );
  });

  test("divisions of tracks that name detections are said not to be scored, too", async () => {
    const cwd = folderWith(parent, {
      "d.csv": "frame,x,y,target\n0,1,1,0\n1,1,1,0\n1,1,2,1\n2,1,2,1\n",
      "t.csv": "frame,detection,track,parent\n0,0,0,\n1,0,1,0\n1,1,2,0\n2,0,2,0\n",
    });
    expect((await rmap(["evaluate", "d.csv", "t.csv"], { cwd })).stderr).toBe(
      "rmap: note: t.csv: 2 tracks have a mother, and no target of the detections has one: divisions are not scored.\n",
    );
  });
});

test("ctc: labels are in every frame from B to E, and name their mothers", async () => {
  const cwd = folderOf(7);
  await succeeds(["export", "tracks.csv", "--as", "ctc", "-o", "out"], { cwd });
  expect(readFileSync(join(cwd, "out/res_track.txt"), "utf8")).toBe(
    "1 7 8 0\n2 7 9 0\n3 10 12 1\n4 10 12 2\n5 10 12 2\n",
  );
  expect(existsSync(join(cwd, "out/mask012.tif"))).toBe(true);
});

test.each(["ctc", "geff"])("%s: an export takes the place of one as a whole, and of nothing else", async (as) => {
  const write = (file: string, out: string) => ["export", file, "--as", as, "-o", out];
  const cwd = folderWith(parent, {
    "long.csv": "frame,track,x,y,z\n0,0,9,9,1\n1,0,9,9,1\n2,0,9,9,1\n",
    "short.csv": "frame,track,x,y\n0,0,9,9\n1,0,9,9\n",
  });
  for (const out of ["new/out", "alone"]) await succeeds(write("short.csv", out), { cwd });
  const files = () => readdirSync(join(cwd, "alone"), { recursive: true });
  const alone = files();
  await succeeds(write("long.csv", "alone"), { cwd });
  await succeeds(write("short.csv", "alone"), { cwd });
  expect(files()).toEqual(alone);
  writeFileSync(join(cwd, "alone/mine.txt"), "");
  expect(await refuses(write("short.csv", "alone"), { cwd })).toMatch(
    /alone: holds "mine.txt", which would be lost; name another folder/,
  );
  expect(files()).toContain("mine.txt");
  if (process.platform === "linux")
    expect(await refuses(write("short.csv", "/dev/full"), { cwd })).toMatch(
      /\/dev\/full: is a device or a pipe, not a folder; choose another folder/,
    );
});

test("ctc: the middles of labels are the places, at a border and beside others", async () => {
  const rows = "0,1,0,1\n0,2,2,2\n0,3,3,2\n1,1,0,0\n1,2,2,3\n1,3,1,1\n";
  const cwd = folderWith(parent, { "t.csv": `frame,track,x,y\n${rows}` });
  await succeeds(["export", "t.csv", "--as", "ctc", "-o", "out"], { cwd });
  await succeeds(["export", "out", "--as", "csv", "-o", "back.csv"], { cwd });
  expect(readFileSync(join(cwd, "back.csv"), "utf8").split("\n").sort()).toEqual(
    `frame,track,x,y\n${rows}`.split("\n").sort(),
  );
});

test("ctc: tracks in space are volumes, whose pages are z", async () => {
  const rows = "0,1,5,6,3,\n1,1,5,7,4,\n2,2,4,4,2,1\n2,3,4,4,3,1\n3,2,4,4,1,1\n3,3,4,4,3,1\n";
  const cwd = folderWith(parent, { "t.csv": `frame,track,x,y,z,parent\n${rows}` });
  await succeeds(["export", "t.csv", "--as", "ctc", "-o", "out"], { cwd });
  await succeeds(["export", "out", "--as", "csv", "-o", "back.csv"], { cwd });
  expect(readFileSync(join(cwd, "back.csv"), "utf8").split("\n").sort()).toEqual(
    `frame,track,x,y,z,parent\n${rows}`.split("\n").sort(),
  );
  writeFileSync(join(cwd, "far.csv"), "frame,track,x,y,z\n0,0,9000,9000,9\n1,0,9000,9000,9\n");
  expect(await refuses(["export", "far.csv", "--as", "ctc", "-o", "far"], { cwd })).toMatch(
    /--as ctc: volumes of 9003 × 9003 × 10 pixels are too large; move the tracks towards 0/,
  );
});

test.each(["0,1,2,3\n10,1,2,4\n25,2,5,6\n31,1,2,5\n", "7,1,2,3\n7,2,5,6\n"])(
  "napari: frames %j come back as they are numbered",
  async (rows) => {
    const cwd = folderWith(parent, { "t.csv": `frame,track,x,y\n${rows}` });
    await succeeds(["export", "t.csv", "--as", "napari", "-o", "n.csv"], { cwd });
    await succeeds(["export", "n.csv", "--as", "csv", "-o", "back.csv"], { cwd });
    expect(readFileSync(join(cwd, "back.csv"), "utf8")).toBe(`frame,track,x,y\n${rows}`);
  },
);

test("files of one frame leave, too", async () => {
  const cwd = folderWith(parent, { "one.txt": "7,1,10,20,5,5,1,-1,-1,-1\n7,2,50,20,5,5,1,-1,-1,-1\n" });
  await succeeds(["export", "one.txt", "--as", "csv", "-o", "one.csv"], { cwd });
  expect(readFileSync(join(cwd, "one.csv"), "utf8")).toBe("frame,track,x,y\n7,1,12.5,22.5\n7,2,52.5,22.5\n");
});

test("frames of MOTChallenge text are named as it numbers them, from 1 or from 0", async () => {
  const line = (frame: number) => `${frame},1,-1,-1,-1,-1,1,1,1,0\n`;
  const cwd = folderWith(parent, {
    "d.csv": "frame,x,y,target\n0,1,1,0\n1,1,1,0\n2,1,1,0\n",
    "late.txt": [1, 2, 4].map(line).join(""),
    "zero.txt": [0, 1, 2].map(line).join(""),
  });
  expect(await refuses(["evaluate", "d.csv", "late.txt", "--reach", "1"], { cwd })).toMatch(
    /late\.txt: has a point in frame 4, and the recording has 0 to 2, which are 1 to 3 there; use/,
  );
  const { idf1 } = JSON.parse(
    (await rmap(["evaluate", "d.csv", "zero.txt", "--reach", "1", "--json"], { cwd })).stdout,
  );
  expect(idf1).toBe(100);
});

test("csv and geff carry mothers", async () => {
  const cwd = folderOf(0);
  await succeeds(["export", "tracks.csv", "--as", "csv", "-o", "plain.csv"], { cwd });
  expect(readFileSync(join(cwd, "plain.csv"), "utf8")).toMatch(
    /^frame,track,x,y,parent\n0,0,10,12,\n.*^3,2,57,30,1\n/ms,
  );
  await succeeds(["export", "tracks.csv", "--as", "geff", "-o", "out.geff"], { cwd });
  const { shape } = JSON.parse(readFileSync(join(cwd, "out.geff/edges/ids/.zarray"), "utf8"));
  // Four links of the first track, two of the mother, two of each daughter, and one to each.
  expect(shape).toEqual([12, 2]);
});

test("napari: the layer's graph is beside the CSV, and that of an earlier export does not stay", async () => {
  const cwd = folderOf(0);
  expect(await succeeds(["export", "tracks.csv", "--as", "napari", "-o", "n.csv"], { cwd })).toBe(
    "wrote n.csv, n.csv.graph.json\n  note        1 detection in no track is left out.\n",
  );
  expect(readFileSync(join(cwd, "n.csv.graph.json"), "utf8")).toBe('{"2":[1],"3":[1]}\n');
  writeFileSync(join(cwd, "one.csv"), "frame,track,x,y\n0,1,2,3\n1,1,2,3\n");
  expect(await succeeds(["export", "one.csv", "--as", "napari", "-o", "n.csv"], { cwd })).toBe(
    "wrote n.csv, n.csv.graph.json\n",
  );
  expect(readFileSync(join(cwd, "n.csv.graph.json"), "utf8")).toBe("{}\n");
  expect(await succeeds(["export", "one.csv", "--as", "napari", "-o", "other.csv"], { cwd })).toBe("wrote other.csv\n");
  writeFileSync(join(cwd, "n.csv.graph.json"), '{"two":[1]}');
  expect(await refuses(["export", "n.csv", "--as", "csv", "-o", "back.csv"], { cwd })).toMatch(
    /n\.csv\.graph\.json: "two" is no track's number; give \{ daughter: \[mother\] \}, each by its track_id/,
  );
});

test("what a form has no place for is said", async () => {
  const cwd = folderWith(parent, {
    "t.csv":
      "frame,track,x,y,parent,left,top,width,height\n0,0,3,4,,2,3,2,2\n1,1,2.5,4,0,,,,\n1,2,8,4.25,0,,,,\n1,,9,9,,,,,\n3,3,1,1,,,,,\n",
  });
  const notes = async (as: string) => {
    const out = await succeeds(["export", "t.csv", "--as", as, "-o", `out.${as}`, "--json"], { cwd });
    return JSON.parse(out).notes;
  };
  const loose = "1 detection in no track is left out.";
  const boxes = "The boxes around the detections are left out.";
  expect(await notes("csv")).toEqual([loose, boxes]);
  expect(await notes("mot")).toEqual([
    loose,
    "2 tracks have a mother, for which there is no place.",
    "Frame 0 is frame 1, as MOTChallenge has no frame 0; those after it follow.",
  ]);
  expect(await notes("trackmate")).toEqual(["1 track of one detection is a spot without a track.", boxes]);
  expect(await notes("geff")).toEqual([boxes]);
  expect(await notes("ctc")).toEqual([
    loose,
    boxes,
    "Places are whole pixels: 2 of 4 are rounded, by up to 0.50 on an axis.",
  ]);
});

test("ctc: where no frame follows another, every number stays, and the note names the remedy", async () => {
  const cwd = folderWith(parent, { "t.csv": "frame,track,x,y\n0,0,3,4\n10,0,3,4\n25,0,3,4\n" });
  expect(await succeeds(["export", "t.csv", "--as", "ctc", "-o", "out"], { cwd })).toBe(
    "wrote out\n  note        3 labels stand for 1 track: a track that misses frames, or goes on beside a daughter, is several, each the parent of the next. " +
      "No frame follows the one before it: divide their numbers by 10 for a label a track.\n",
  );
  expect(readFileSync(join(cwd, "out/res_track.txt"), "utf8")).toBe("1 0 0 0\n2 10 10 1\n3 25 25 2\n");
  await succeeds(["export", "out", "--as", "csv", "-o", "back.csv"], { cwd });
  expect(readFileSync(join(cwd, "back.csv"), "utf8")).toBe("frame,track,x,y\n0,1,3,4\n10,1,3,4\n25,1,3,4\n");
});

test.each([
  ["0,0,-3,4\n", /--as ctc: -3, 4 in frame 0 is no pixel of an image; give tracks whose x and y are pixels/],
  [
    "1700000000,0,3,4\n",
    /--as ctc: every number up to 1700000000, the last frame's, has a mask, and 100000 are the most; number the frames from 0/,
  ],
  ["0,0,3,4\n0,1,3.2,4\n", /--as ctc: two tracks of frame 0 are in pixel 3, 4; scale the positions/],
])("ctc refuses %j", async (rows, says) => {
  const cwd = folderWith(parent, { "t.csv": `frame,track,x,y\n${rows}` });
  expect(await refuses(["export", "t.csv", "--as", "ctc", "-o", "out"], { cwd })).toMatch(says);
  expect(readdirSync(cwd)).toEqual(["t.csv"]);
});
