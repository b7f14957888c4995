/** Positions in space: every reader finds z, and every writer that has a place for it keeps it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Detections } from "../../src/core/detections.js";
import { readAnyTracks } from "../../src/formats/answer.js";
import { formatDetections, parseDetections } from "../../src/formats/detections.js";
import { EXPORTS, type ExportName, exportNotes } from "../../src/formats/exports.js";
import { parseRecording } from "../../src/formats/input.js";
import { formatTracks, type PlacedTracks, parseTracks } from "../../src/formats/tracks.js";
import { squaredDisplacements, summariseTracks } from "../../src/scores/track-summary.js";
import { refusal, temporaryFolder } from "./support.js";

const parent = temporaryFolder();

const read = (text: string, source: Parameters<typeof parseDetections>[3] = {}) =>
  parseDetections("d.csv", Buffer.from(text), "if-complete", source);
const placesOf = ({ x, y, z }: Pick<Detections, "x" | "y" | "z">) => [[...x], [...y], z && [...z]];

describe("tables", () => {
  test.each([
    ["z beside x and y", "frame,x,y,z"],
    ["TrackMate", "FRAME,POSITION_X,POSITION_Y,POSITION_Z"],
    ["units", "frame,x_um,y_um,z_um"],
    ["ImageJ's hyperstacks", "Frame,X,Y,Slice"],
    ["centroids", "frame,centroid_x,centroid_y,centroid_z"],
    ["ilastik", "frame,Object_Center_0,Object_Center_1,Object_Center_2"],
  ])("%s", (_, header) => {
    const { detections } = read(`${header}\n0,1,2,5\n1,3,4,6\n`);
    expect(placesOf(detections)).toEqual([
      [1, 3],
      [2, 4],
      [5, 6],
    ]);
    expect(detections.attributes).toBeUndefined();
  });

  test.each([
    ["napari's points", "index,axis-0,axis-1,axis-2,axis-3\n0,0,5,2,1\n1,1,6,4,3\n"],
    ["napari's tracks", "track_id,t,z,y,x\n0,0,5,2,1\n0,1,6,4,3\n"],
    ["scikit-image's centroids", "frame,centroid-0,centroid-1,centroid-2\n0,5,2,1\n1,6,4,3\n"],
    ["a point of a body", "frame,nose_x,nose_y,nose_z\n0,1,2,5\n1,3,4,6\n"],
  ])("%s", (_, text) => {
    expect(placesOf(read(text).detections)).toEqual([
      [1, 3],
      [2, 4],
      [5, 6],
    ]);
  });

  test("a slice that stands for the frame is one, and other names are found by --columns", () => {
    expect(read("Slice,X,Y\n1,1,2\n2,3,4\n").detections.z).toBeUndefined();
    const asked = { columns: { z: "tiefe" } };
    expect(placesOf(read("frame,x,y,tiefe\n0,1,2,5\n1,3,4,6\n", asked).detections)[2]).toEqual([5, 6]);
  });

  test("one depth for all is a plane, and so is no depth, and z at a scale of 0: the column is handed on", () => {
    for (const [text, zScale] of [
      ["frame,x,y,z\n0,1,2,5\n1,3,4,5\n", 1],
      ["frame,x,y,z\n0,1,2,\n1,3,4,\n", 1],
      ["frame,x,y,z\n0,1,2,5\n1,3,4,6\n", 0],
    ] as const) {
      const { detections, carried } = read(text, { zScale });
      expect(detections.z).toBeUndefined();
      expect(carried?.map(({ name }) => name)).toEqual(["z"]);
      // It is no position of the tracks, and is not taken for one when they are read.
      const table = [...formatTracks(detections, Int32Array.of(0, 0), undefined, null, carried)].join("");
      expect(table).toMatch(/^frame,detection,track,x,y,input_z\n/);
    }
  });

  test("depths and velocities along them are in units of x and y, by a scale that the note states", () => {
    const { detections, notes } = read("frame,x,y,z,vx,vy,vz\n0,1,2,4,1,0,2\n1,3,4,6,1,0,\n", { zScale: 2.5 });
    expect([...(detections.z ?? [])]).toEqual([10, 15]);
    expect([...(detections.vz ?? [])]).toEqual([5, Number.NaN]);
    // A velocity has all three parts, or none.
    expect([...(detections.vx ?? [])]).toEqual([1, Number.NaN]);
    expect(notes).toContain("Positions are in space, z from 4 to 6, taken times 2.5.");
  });

  test("velocities without a part along z are not used, with a note", () => {
    const { detections, notes } = read("frame,x,y,z,vx,vy\n0,1,2,4,1,0\n1,3,4,6,1,0\n");
    expect([detections.vx, detections.vz]).toEqual([null, undefined]);
    expect(notes).toContain("Velocities are not used: positions have z, and velocities no column vz.");
  });

  test("what is not complete, or in another unit, is refused with what to type", () => {
    expect(refusal(() => read("frame,x,y,z\n0,1,2,4\n1,3,4,\n1,3,5,6\n"))).toBe(
      "d.csv:3, column z: has no z, and other rows have; give z in every row, or leave it out with --z-scale 0",
    );
    expect(refusal(() => read("frame,x,y,z\n0,1,2,4\n1,3,4,deep\n"))).toMatch(
      /^d\.csv:3, column z: "deep" is not a number/,
    );
    const units = "frame,x (µm),y (µm),z (nm)\n0,1,2,400\n1,3,4,600\n";
    expect(refusal(() => read(units))).toBe(
      "d.csv, column z (nm): z is in nm, and x in µm; give the length of a unit of z in µm, as in --z-scale 0.5",
    );
    expect([...(read(units, { zScale: 0.001 }).detections.z ?? [])]).toEqual([0.4, 0.6]);
  });

  test("detections of one place in the plane at two depths are two, and said to be so only where the depth is the same", () => {
    const warned = (text: string) => read(text).notes.some((note) => note.startsWith("Warning: rows that repeat"));
    expect(warned("frame,x,y,z\n0,1,2,4\n0,1,2,5\n1,3,4,6\n")).toBe(false);
    expect(warned("frame,x,y,z\n0,1,2,4\n0,1,2,4\n1,3,4,6\n")).toBe(true);
  });

  test("are read back bit for bit", () => {
    const numbers = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 2, maxLength: 20 }), (rows) => {
        const column = (n: number) => Float64Array.from(rows, (row) => row[n]);
        const z = column(2);
        fc.pre(new Set(z).size > 1);
        const detections: Detections = {
          frames: rows.length,
          frameStart: Uint32Array.from([...rows.keys(), rows.length]),
          ...{ x: column(0), y: column(1), z, vx: column(3), vy: column(4), vz: column(5) },
          target: null,
          timeStep: 0.5,
        };
        const { detections: again } = read([...formatDetections(detections)].join(""));
        expect(again).toEqual(detections);
      }),
    );
  });
});

test("LAMMPS scales z to the box as it does x and y", () => {
  const frame = (n: number, ...atoms: string[]) =>
    `ITEM: TIMESTEP\n${n}\nITEM: NUMBER OF ATOMS\n${atoms.length}\nITEM: BOX BOUNDS ff ff ff\n-1 3\n0 10\n5 25\nITEM: ATOMS id xs ys zs\n${atoms.join("\n")}\n`;
  const text = frame(0, "1 0.5 0.25 0", "2 0 0 1") + frame(1, "1 0.5 0.25 0.5", "2 0 0 0.75");
  const { detections } = parseRecording("a.lammpstrj", Buffer.from(text));
  expect(placesOf(detections)).toEqual([
    [1, -1, 1, -1],
    [2.5, 0, 2.5, 0],
    [5, 25, 15, 20],
  ]);
});

/** Two tracks in space, one of which divides, and a detection in none. */
const rows = [
  [0, 0, 1.5, 2, -3],
  [0, 1, 10, 20, 30],
  [1, 0, 2.5, 4, -1],
  [1, 1, 11, 20, 32.25],
  [2, 2, 13, 20, 35],
  [2, 3, 11, 21, 33],
  [2, -1, 5, 5, 5],
  [3, 2, 14, 20, 36],
  [3, 3, 11, 22, 33],
];
const column = (n: number) => Float64Array.from(rows, (row) => row[n]);
const tracks: PlacedTracks = {
  ...{ frame: column(0), x: column(2), y: column(3), z: column(4), track: Int32Array.from(column(1)) },
  parent: new Map([
    [2, 1],
    [3, 1],
  ]),
};

describe("tracks", () => {
  test.each(Object.keys(EXPORTS) as ExportName[])("leave as %s with z, or are refused", async (as) => {
    const content = () => EXPORTS[as](tracks);
    if (as === "ctc") {
      expect(refusal(() => [...(content() as Iterable<unknown>)])).toBe(
        "--as ctc: 1.5, 2, -3 in frame 0 is no pixel of an image; give tracks whose x and y are pixels, and whose z are pages, from 0 to 20000",
      );
      return;
    }
    const file = join(parent, as === "geff" ? "tracks.geff" : as === "trackmate" ? "tracks.xml" : `tracks.${as}.csv`);
    const written = content();
    for (const [name, bytes] of typeof written === "string" ? [["", written] as const] : written) {
      const part = join(file, name);
      mkdirSync(dirname(part), { recursive: true });
      writeFileSync(part, bytes);
    }
    const { frame, x, y, z, track } = await readAnyTracks(file);
    const shift = as === "mot" ? 1 : 0;
    const keep = (row: readonly number[]) => row[1] >= 0;
    const found = Array.from(frame, (p, d) => [p - shift, track[d], x[d], y[d], z?.[d]]);
    const placed = (all: readonly (readonly (number | undefined)[])[]) =>
      all.map(([p, , ...place]) => [p, ...place]).sort();
    expect(placed(found.filter((row) => (row[1] as number) >= 0))).toEqual(placed(rows.filter(keep)));
    expect(exportNotes(as, tracks).join()).not.toMatch(/\bz\b/);
  });

  test("of boxes leave as MOTChallenge text without z, with a note", () => {
    const boxes = { left: column(2), top: column(3), width: column(0), height: column(0), confidence: column(0) };
    expect(exportNotes("mot", { ...tracks, boxes }).join(" ")).toMatch(/z is left out where a detection has a box/);
  });

  test("of tracks.csv are those of detections in space, and not of others", () => {
    const { detections } = read("frame,x,y,z\n0,1,2,5\n1,3,4,6\n");
    const table = [...formatTracks(detections, Int32Array.of(4, 4))].join("");
    expect(table).toBe("frame,detection,track,x,y,z\n0,0,4,1,2,5\n1,0,4,3,4,6\n");
    expect([...parseTracks("t.csv", Buffer.from(table), detections)]).toEqual([4, 4]);
    const elsewhere = Buffer.from(table.replace(",6\n", ",7\n"));
    expect(refusal(() => parseTracks("t.csv", elsewhere, detections))).toBe(
      "t.csv:3, column z: 7 is not where this detection is (6); give tracks of the same detections",
    );
  });

  test("are as long, fast and far as they are in space", () => {
    const [first] = summariseTracks(tracks, 1, 0.5);
    expect(first).toMatchObject({ track: 0, path: 3, displacement: 3, speed: 6 });
    expect(squaredDisplacements(tracks, 1, 1)).toEqual([{ lag: 1, pairs: 4, mean: (9 + 6.0625 + 2 + 1) / 4 }]);
  });
});
