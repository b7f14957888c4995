import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Detections } from "../../src/core/detections.js";
import { parseDetections } from "../../src/formats/detections.js";
import { formatTracks, parseTracks, readTracks } from "../../src/formats/tracks.js";
import { byteSoup, mutated, parsesOrRefuses, refusal, temporaryFolder } from "./support.js";

/** Frames of 2, 0 and 3 detections. */
const detections: Detections = {
  frames: 3,
  frameStart: Uint32Array.of(0, 2, 2, 5),
  x: Float64Array.of(0.1, 1 / 3, 2, -3e5, 4),
  y: Float64Array.of(0, 1, 2, 3, 4),
  vx: null,
  vy: null,
  target: null,
  timeStep: 1,
};
const track = Int32Array.of(4, -1, 0, 4, 7);
const text = (...args: Parameters<typeof formatTracks>): string => [...formatTracks(...args)].join("");
const written = text(detections, track);
const parse = (text: string, first = 0) => parseTracks("t.csv", Buffer.from(text), detections, { first, step: 1 });

describe("tracks.csv", () => {
  it("carries further columns of the input, in the order of the detections, quoted where they must be", () => {
    const csv = 'frame,x,y,track,note,size\n1,5,0,007a,"a ""b"", c",2\n0,1,0,x,,1.5\n1,2,0,y,plain,3\n';
    const { detections, carried } = parseDetections("d.csv", Buffer.from(csv));
    const text = [...formatTracks(detections, Int32Array.of(0, 1, 0), undefined, null, carried)].join("");
    expect(text.split("\n")).toEqual([
      "frame,detection,track,x,y,input_track,note,size",
      "0,0,0,1,0,x,,1.5",
      '1,0,1,5,0,007a,"a ""b"", c",2',
      "1,1,0,2,0,y,plain,3",
      "",
    ]);
    expect(parseTracks("t.csv", Buffer.from(text), detections)).toEqual(Int32Array.of(0, 1, 0));
  });

  it("has a row per detection", () => {
    const rows = [
      "frame,detection,track,x,y",
      "0,0,4,0.1,0",
      `0,1,,${1 / 3},1`,
      "2,0,0,2,2",
      "2,1,4,-300000,3",
      "2,2,7,4,4",
      "",
    ];
    expect(written).toBe(rows.join("\n"));
    expect(text({ ...detections, x: null, y: null }, track, { first: 5, step: 1 }).split("\n")[3]).toBe("7,0,0,,");
  });

  it("has the mother's track in every row of a daughter's, and keeps a column of the input apart from it", () => {
    const carried = [{ name: "parent", at: (d: number) => `of ${d}` }];
    const rows = text(detections, track, { first: 0, step: 1 }, null, carried, new Map([[4, 0]])).split("\n");
    expect(rows.slice(0, 3)).toEqual([
      "frame,detection,track,x,y,parent,input_parent",
      "0,0,4,0.1,0,0,of 0",
      `0,1,,${1 / 3},1,,of 1`,
    ]);
    expect(text(detections, track, { first: 0, step: 1 }, null, carried)).toMatch(
      /^frame,detection,track,x,y,input_parent\n/,
    );
  });

  it("is read back, from any first frame and in any order", () => {
    const file = join(temporaryFolder(), "tracks.csv");
    writeFileSync(file, written);
    expect(readTracks(file, detections)).toEqual(track);
    expect(parse(text(detections, track, { first: 40, step: 1 }), 40)).toEqual(track);
    const [header, ...rows] = written.trim().split("\n");
    expect(parse([header, ...rows.reverse()].join("\n"))).toEqual(track);
    expect(parse("track,frame,detection\n9,2,1\n")).toEqual(Int32Array.of(-1, -1, -1, 9, -1));
  });

  const header = "frame,detection,track,x,y\n";
  it.each([
    ["a frame past the last", `${header}3,0,1,,\n`, /^t\.csv:2, column frame: 3 is above 2; give tracks of the same/],
    ["an empty frame", `${header}1,0,1,,\n`, /^t\.csv:2, column frame: 1 has no detections; give/],
    ["a detection past the last", `${header}0,2,1,,\n`, /^t\.csv:2, column detection: 2 is above 1; give/],
    [
      "a detection twice",
      `${header}0,1,1,,\n0,1,2,,\n`,
      /^t\.csv:3, column detection: 1 is on line 2 already; keep one/,
    ],
    [
      "a track twice in a frame",
      `${header}2,1,6,,\n0,0,6,,\n2,0,6,,\n`,
      /^t\.csv:4, column track: 6 is in frame 2 already, on line 2; a track/,
    ],
    [
      "a track that is no number",
      `${header}0,0,a,,\n`,
      /^t\.csv:2, column track: "a" is not a number; number the tracks/,
    ],
    ["a negative track", `${header}0,0,-2,,\n`, /^t\.csv:2, column track: -2 is below -1; number/],
    [
      "other detections",
      `${header}0,0,1,0.1,5\n`,
      /^t\.csv:2, column y: 5 is not where this detection is \(0\); give tracks/,
    ],
    [
      "no track column",
      "frame,detection\n0,0\n",
      /^t\.csv:1: the header "frame,detection" lacks the column track; name/,
    ],
  ])("refuses %s", (_, text, message) => {
    expect(refusal(() => parse(text))).toMatch(message);
  });

  it("parses or refuses any bytes", () => {
    fc.assert(
      fc.property(fc.oneof(byteSoup, mutated(Buffer.from(written))), (bytes) =>
        parsesOrRefuses(() => parseTracks("t.csv", bytes, detections)),
      ),
      { numRuns: 1000 },
    );
  });
});
