import { existsSync, readFileSync } from "node:fs";
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
  if (as === "trackmate") return [said("Read as the visible spots of TrackMate's XML")];
  return as === "napari" ? [said("Read as a table with commas: time = t, x, y, track = track_id")] : [];
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
      expect(JSON.parse(stdout)).toMatchObject({ idf1: 100, mota: 100, idSwitches: 0, links: { missed: 0, wrong: 0 } });
    },
  );

  test("one link less is seen", async () => {
    const cwd = folderOf(7);
    const cut = readFileSync(join(cwd, "tracks.csv"), "utf8").replace(/^12,0,.*\n/m, "");
    const broken = folderWith(parent, { "cut.csv": cut });
    await succeeds(["export", join(broken, "cut.csv"), "--as", "ctc", "-o", "out"], { cwd });
    const json = await succeeds(["evaluate", "detections.csv", "out", "--reach", "0.01", "--json"], { cwd });
    expect(JSON.parse(json).links).toMatchObject({ missed: 1, wrong: 0 });
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

test.each([
  ["0,0,-3,4\n", /--as ctc: -3, 4 in frame 0 is no pixel of an image; give tracks whose x and y are pixels/],
  [
    "0,0,3,4\n10,0,3,4\n25,0,3,4\n",
    /--as ctc: no frame follows .* go up by 10 or more, .*; number the frames one by one/,
  ],
  ["0,0,3,4\n0,1,3.2,4\n", /--as ctc: two tracks of frame 0 are in pixel 3, 4; scale the positions/],
])("ctc refuses %j", async (rows, says) => {
  const cwd = folderWith(parent, { "t.csv": `frame,track,x,y\n${rows}` });
  expect(await refuses(["export", "t.csv", "--as", "ctc", "-o", "out"], { cwd })).toMatch(says);
});
