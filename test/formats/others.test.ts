import { join } from "node:path";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { answerOf, parseForeign } from "../../src/formats/answer.js";
import type { NamedColumns } from "../../src/formats/column-names.js";
import { EXPORTS } from "../../src/formats/exports.js";
import { parseRecording, readRecording } from "../../src/formats/input.js";
import { isTable } from "../../src/formats/numpy.js";
import { formatTracks, readPlacedTracks } from "../../src/formats/tracks.js";
import { folderWith, refusal, temporaryFolder } from "./support.js";

const parent = temporaryFolder();

function recording(name: string, content: string) {
  return readRecording(join(folderWith(parent, { [name]: content }), name), "if-complete");
}

describe("MOTChallenge text", () => {
  test("may have a header, whose x and y are no positions", () => {
    const rows = "1,7,10,20,4,6,0.9,-1,-1,-1\n2,7,11,20,4,6,0.9,-1,-1,-1\n";
    const header = "frame,id,bb_left,bb_top,bb_width,bb_height,conf,x,y,z\n";
    const [with_, without] = [header + rows, rows].map((text) => parseRecording("m.csv", Buffer.from(text)));
    expect(with_.detections).toEqual(without.detections);
    expect([...with_.detections.x, ...with_.detections.y]).toEqual([12, 13, 23, 23]);
  });

  test("boxes become their centres, ids targets, and lines of confidence 0 are left out with a note", () => {
    const { detections, numbers, notes, unit } = recording(
      "gt.txt",
      "1,3,10,20,4,6,1,1,0.9\n2,3,12,20,4,6,1,1,1\n1,7,0,0,2,2,1,1,1\n2,9,5,5,2,2,0,2,1\n3,7,1,0,2,2,1,1,1\n",
    );
    expect([...detections.frameStart]).toEqual([0, 2, 3, 4]);
    expect(numbers).toEqual({ first: 1, step: 1 });
    expect([...detections.x]).toEqual([12, 1, 14, 2]);
    expect([...detections.y]).toEqual([23, 1, 23, 1]);
    expect([...(detections.target ?? [])]).toEqual([3, 7, 3, 7]);
    expect(notes.join(" ")).toContain("1 line of confidence 0 left out.");
    // In pictures of pixels y grows downwards.
    expect(unit).toBe("px");
  });

  test("lines of confidence 0 alone are told from an empty file", () => {
    expect(refusal(() => recording("m.txt", "1,12,100,50,20,30,0,1,0,0\n2,12,102,50,20,30,0,1,0,0\n"))).toMatch(
      /m\.txt: has 2 lines of confidence 0 alone, which MOTChallenge leaves out; name the columns where the seventh is no confidence, as in --columns frame=1,target=2,left=3,top=4,width=5,height=6$/,
    );
  });

  test("may have blanks for commas, as DeepSORT's programs write it", () => {
    const commas = "1,7,10,20,4,6,-1,-1,-1,0\n2,7,11,20,4,6,-1,-1,-1,0\n";
    const [with_, without] = [commas.replaceAll(",", " "), commas].map((text) => recording("m.txt", text));
    expect(with_.detections).toEqual(without.detections);
    expect([...with_.detections.x]).toEqual([12, 13]);
  });

  test("and NumPy's arrays have decimal points, and --decimal is refused", () => {
    const file = join(folderWith(parent, { "m.txt": "1,7,10,20,4,6,1\n2,7,11,20,4,6,1\n" }), "m.txt");
    expect(refusal(() => readRecording(file, "if-complete", { decimal: "comma" }))).toBe(
      `--decimal: ${file} is MOTChallenge text, with decimal points; leave it out`,
    );
  });

  test("detections without ids have no target; without a box, x and y are taken", () => {
    const { detections } = recording("det.txt", "1,-1,-1,-1,-1,-1,1,3.5,4.5,-1\n2,-1,-1,-1,-1,-1,1,3.75,4.5,-1\n");
    expect(detections.target).toBeNull();
    expect([...detections.x]).toEqual([3.5, 3.75]);
  });

  test.each([
    ["1,-1,1,1,2,2,1\n1,-1,1,1,two,2,1\n", /a\.txt:2, column width: "two" is not a number; correct it/],
    ["1,-1,1,1,2,2,1\n2,-1,1,1\n", /a\.txt:2: has 4 fields; give frame,id,left/],
    ["1,5,1,1,2,2,1\n1,5,9,1,2,2,1\n2,5,9,1,2,2,1\n", /a\.txt:2, column target: 5 is in frame 1 already, on line 1/],
    ["1,5,-1,-1,-1,-1,1\n", /a\.txt:1: has neither a box nor x and y/],
    ["1,5,-1,-1,-1,-1,1,,3,-1\n", /a\.txt:1, column x: "" is not a number/],
    ["1,x,1,1,2,2,1\n2,5,1,1,2,2,1\n", /a\.txt:1, column id: "x" is not a number/],
    ["1,5,1,1,-2,2,1\n", /a\.txt:1, column width: -2 is negative; give the size of the box/],
    ["1,5,1,1,2,2,1\n2,5,1,1,2,2,high\n", /a\.txt:2, column confidence: "high" is not a number/],
    ["1,5,1,1,2,2,1\n2.5,5,1,1,2,2,1\n", /a\.txt:2, column frame: "2.5" is not an integer; number the frames/],
  ])("%j is refused", (content, says) => {
    const file = join(folderWith(parent, { "a.txt": content }), "a.txt");
    expect(refusal(() => readRecording(file, "if-complete"))).toMatch(says);
  });
});

describe("LAMMPS's dumps", () => {
  const dump = (columns: string, ...steps: readonly (readonly string[])[]) =>
    steps
      .map(
        (atoms, n) =>
          `ITEM: TIMESTEP\n${100 * n}\nITEM: NUMBER OF ATOMS\n${atoms.length}\nITEM: BOX BOUNDS pp pp pp\n-1 3\n0 10\n0 1\nITEM: ATOMS ${columns}\n${atoms.map((atom) => `${atom}\n`).join("")}`,
      )
      .join("");

  test("have a frame for each time step, and the atoms' ids as targets", () => {
    const text = dump("id type x y", ["2 1 1.5 2.25", "1 1 3 4"], ["1 1 3.5 4", "2 1 1.25 2"], ["1 1 9 9"]);
    const { detections, numbers, notes, line } = recording("a.lammpstrj", text);
    expect(numbers).toEqual({ first: 0, step: 100 });
    expect([...detections.x, ...detections.y]).toEqual([1.5, 3, 3.5, 1.25, 9, 2.25, 4, 4, 2, 9]);
    expect([...(detections.target ?? [])]).toEqual([2, 1, 1, 2, 1]);
    expect([...line]).toEqual([10, 11, 21, 22, 32]);
    expect(notes[0]).toBe("Read as a LAMMPS dump: frame, x, y, target; time step 1 assumed; no row dropped.");
    expect(notes.at(-1)).toMatch(/^The box is periodic, .* dump xu and yu/);
    // Known by how it begins, whatever it is called.
    expect(recording("traj.dump", text).detections).toEqual(detections);
  });

  test("have positions that are not wrapped before others, and scaled ones become lengths", () => {
    const both = recording("b.dump", dump("id x y xu yu", ["1 1 1 5 1"], ["1 1 1 6 1"]));
    expect([...both.detections.x]).toEqual([5, 6]);
    expect(both.notes.join()).not.toContain("periodic");
    const scaled = recording("s.dump", dump("id xs ys zs", ["1 0.5 0.1 0"], ["1 0.75 0.2 0"]));
    expect([...scaled.detections.x, ...scaled.detections.y]).toEqual([1, 2, 1, 2]);
  });

  test.each([
    [
      "a row that is cut",
      dump("id x y", ["1 1 1"], ["1 2"]),
      /a\.dump:20: has 2 fields where the ITEM has 3; the file may/,
    ],
    ["a number that is none", dump("id x y", ["1 1 1"], ["1 2 b"]), /a\.dump:20, column y: "b" is not a number/],
    [
      "a tilted box",
      dump("id xs ys", ["1 0 0"], ["1 0 0"]).replaceAll("BOUNDS pp", "BOUNDS xy xz yz pp"),
      /a\.dump:10: is scaled to a box with tilted sides; dump x and y, or xu and yu/,
    ],
    ["no positions", dump("id vx vy", ["1 0 0"], ["1 0 0"]), /lacks the column x/],
  ])("with %s are refused", (_, content, says) => {
    const file = join(folderWith(parent, { "a.dump": content }), "a.dump");
    expect(refusal(() => readRecording(file, "if-complete"))).toMatch(says);
  });
});

const spot = (id: number, frame: number, x: number, extra = "") =>
  `<Spot ID="${id}" name="ID${id}" FRAME="${frame}" POSITION_X="${x}" POSITION_Y="2.5" POSITION_Z="0.0" VISIBILITY="1" ${extra}/>`;
const edge = (source: number, target: number) => `<Edge SPOT_SOURCE_ID="${source}" SPOT_TARGET_ID="${target}" />`;
const trackMate = (tracks: string) => `<?xml version="1.0" encoding="UTF-8"?>
<TrackMate version="7.11.1"><Model spatialunits="micron" timeunits="sec">
<AllSpots nspots="5"><SpotsInFrame frame="0">${spot(11, 0, 1.25)}${spot(12, 0, 8)}</SpotsInFrame>
<SpotsInFrame frame="1">${spot(13, 1, 1.5)}${spot(14, 1, 8.5)}</SpotsInFrame>
<SpotsInFrame frame="2">${spot(15, 2, 1.75)}</SpotsInFrame></AllSpots>
<AllTracks>${tracks}</AllTracks></Model><Settings><ImageData timeinterval="0.5" width="9"/></Settings></TrackMate>`;

/** A .npy file. */
function npyOf(descr: string, shape: string, data: Buffer, order = "False"): Buffer {
  const head = `${`{'descr': ${descr}, 'fortran_order': ${order}, 'shape': ${shape}, }`.padEnd(117)}\n`;
  return Buffer.concat([
    Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, head.length & 255, head.length >> 8]),
    Buffer.from(head),
    data,
  ]);
}

describe("NumPy's arrays", () => {
  const columns = { frame: "1", x: "2", y: "3" };
  const from = (name: string, bytes: Buffer, source = {}) => {
    const { detections } = readRecording(join(folderWith(parent, { [name]: bytes }), name), "if-complete", source);
    const { frameStart, x, y } = detections;
    return [[...frameStart], [...x], [...y]];
  };
  const same = [
    [0, 1, 2],
    [1.5, 3],
    [2.25, -4],
  ];

  test("a table whose columns the user numbers, in C's and Fortran's order, in f8, f4 and big-endian integers", () => {
    const rows = Float64Array.of(0, 1.5, 2.25, 1, 3, -4);
    const table = npyOf("'<f8'", "(2, 3)", Buffer.from(rows.buffer));
    expect(from("a.npy", table, { columns })).toEqual(same);
    const turned = Float32Array.of(0, 1, 1.5, 3, 2.25, -4);
    expect(from("a.npy", npyOf("'<f4'", "(2, 3)", Buffer.from(turned.buffer), "True"), { columns })).toEqual(same);
    const whole = Buffer.from(Int32Array.of(0, 1, 2, 1, 3, 4).buffer).swap32();
    expect(from("a.npy", npyOf("'>i4'", "(2, 3)", whole), { columns })[1]).toEqual([1, 3]);
  });

  /** Rows as an array without names. */
  const arrayOf = (...rows: readonly number[][]) =>
    npyOf("'<f8'", `(${rows.length}, ${rows[0].length})`, Buffer.from(Float64Array.from(rows.flat()).buffer));

  test("three columns without names, of which one can be the frame: it, and the turned order, are said", () => {
    const notes = (bytes: Buffer) =>
      readRecording(join(folderWith(parent, { "a.npy": bytes }), "a.npy"), "if-complete").notes;
    expect(from("a.npy", arrayOf([0, 1.5, 2.25], [1, 3, -4]))).toEqual(same);
    expect(from("a.npy", arrayOf([1.5, 2.25, 0], [3, -4, 1]))).toEqual(same);
    expect(notes(arrayOf([1.5, 2.25, 0], [3, -4, 1])).slice(0, 2)).toEqual([
      "Read as a NumPy array: frame = 3, x = 1, y = 2; time step 1 assumed; no row dropped.",
      "The columns have no names: the one of whole numbers is taken for the frame, and x for the one before y (else give --columns frame=3,x=2,y=1).",
    ]);
    // Whole pixels: frames alone never decrease.
    expect(from("a.npy", arrayOf([0, 7, 2], [0, 9, 9], [1, 3, 4]))[0]).toEqual([0, 2, 3]);
  });

  test.each([
    ["each column may be the frame", arrayOf([0, 1, 2], [1, 3, 4])],
    ["none may be", arrayOf([0.5, 1.5, 2], [1, 3, -4])],
    ["z, or anything, stands beside x and y", arrayOf([0, 1.5, 2.5, 7.5], [1, 3, 4, 7])],
  ])("columns without names, where %s, are refused with the option", (_, bytes) => {
    expect(refusal(() => from("a.npy", bytes))).toMatch(
      /a\.npy: is an array of [34] columns without names; give their numbers, from 1 on, as in --columns frame=1,x=2,y=3$/,
    );
  });

  test("an array on its side, or of one column, is refused with its shape", () => {
    const sides = [0, 1, 2].map((at) => Array.from({ length: 9 }, (_, n) => at + n));
    expect(refusal(() => from("a.npy", arrayOf(...sides)))).toMatch(
      /has the shape \(3, 9\); give an array of a row for each detection: frame, x, y; its transpose may be one$/,
    );
    expect(refusal(() => from("a.npy", arrayOf([1], [2])))).toMatch(
      /has the shape \(2, 1\); give an array of a row for each detection: frame, x, y$/,
    );
  });

  test("an array is a table or images by its shape, and where it may be either, one line says what to type", () => {
    const shaped = (shape: string) => isTable("a.npy", npyOf("'|u1'", shape, Buffer.alloc(0)));
    expect(["(100, 3)", "(100, 6)", "(3, 100)", "(9,)"].map(shaped)).toEqual([true, true, true, true]);
    expect(["(100, 16)", "(480, 640)", "(3, 480, 640)", "(9, 3, 3)"].map(shaped)).toEqual([false, false, false, false]);
    expect(isTable("a.npy", npyOf("[('frame', '<f8'), ('x', '<f8')]", "(9,)", Buffer.alloc(0)))).toBe(true);
    expect(refusal(() => shaped("(500, 8)"))).toBe(
      "a.npy: has the shape (500, 8), which may be a table or an image; type rmap solve a.npy --columns frame=1,x=2,y=3, with the numbers of its columns, or rmap detect a.npy",
    );
  });

  test("records and datetime64", () => {
    const data = Buffer.alloc(48);
    for (const [n, [seconds, x, y]] of [
      [10, 1.5, 2.25],
      [15, 3, -4],
    ].entries()) {
      data.writeBigInt64LE(BigInt(seconds) * 10n ** 9n, 24 * n);
      data.writeDoubleLE(x, 24 * n + 8);
      data.writeDoubleLE(y, 24 * n + 16);
    }
    const bytes = npyOf("[('time', '<M8[ns]'), ('x', '<f8'), ('y', '<f8')]", "(2,)", data);
    expect(from("r.npy", bytes)).toEqual(same);
  });

  test.each([
    ["a.npy", npyOf("'<f8'", "(2, 3)", Buffer.alloc(40)), /ends after \d+ bytes of \d+; the file is cut short/],
    ["a.npy", npyOf("'<U5'", "(2, 3)", Buffer.alloc(400)), /has elements of type "<U5"; save numbers/],
    ["a.npy", npyOf("'<f8'", "(2, 3, 1)", Buffer.alloc(48)), /has the shape \(2, 3, 1\)/],
    ["a.npz", Buffer.from("PK nothing"), /cannot be read as an archive/],
  ])("%s is refused", (name, bytes, says) => {
    expect(refusal(() => from(name, bytes, { columns }))).toMatch(says);
  });
});

describe("TrackMate's XML", () => {
  test("spots become detections and tracks targets, with unit and time step", () => {
    const tracks = `<Track TRACK_ID="0">${edge(11, 13)}${edge(13, 15)}</Track><Track TRACK_ID="1">${edge(12, 14)}</Track>`;
    const { detections, unit } = recording("a.xml", trackMate(tracks));
    expect([...detections.x]).toEqual([1.25, 8, 1.5, 8.5, 1.75]);
    expect([...(detections.target ?? [])]).toEqual([0, 1, 0, 1, 0]);
    expect([detections.timeStep, unit]).toEqual([0.5, "micron"]);
  });

  test("options about tables are refused for it, and a time step is taken", () => {
    const file = join(folderWith(parent, { "a.xml": trackMate("") }), "a.xml");
    expect(refusal(() => readRecording(file, "if-complete", { columns: { x: "1" } }))).toMatch(
      /^--columns: .*a\.xml is TrackMate's XML, no table; leave/,
    );
    const plain = join(folderWith(parent, { "b.xml": trackMate("").replace('timeinterval="0.5"', "") }), "b.xml");
    expect(readRecording(plain, "if-complete", { dt: 2 })).toMatchObject({ detections: { timeStep: 2 } });
    expect(refusal(() => readRecording(file, "if-complete", { dt: 2 }))).toMatch(
      /^--dt 2: .*a\.xml states dt=0\.5; leave one of them out/,
    );
  });

  test("tracks that do not pass its filters are none", () => {
    const two = `<Track TRACK_ID="3">${edge(11, 13)}</Track><Track TRACK_ID="4">${edge(12, 14)}</Track>`;
    const filtered = (ids: string) =>
      recording("a.xml", trackMate(two).replace("</AllTracks>", `</AllTracks><FilteredTracks>${ids}</FilteredTracks>`));
    const some = filtered('<TrackID TRACK_ID="4"/>');
    expect([...(some.detections.target ?? [])]).toEqual([-1, 0, -1, 0, -1]);
    expect(some.notes).toContain("1 of 2 tracks do not pass TrackMate's filters; their spots are on no track.");
    const none = filtered("");
    expect([none.detections.target, none.notes.at(-1)]).toEqual([
      null,
      "2 of 2 tracks do not pass TrackMate's filters; their spots are on no track.",
    ]);
  });

  test("edges are once each and go forward in time, whichever way they are written", () => {
    const turned = `<Track>${edge(13, 11)}${edge(14, 11)}${edge(11, 14)}${edge(13, 15)}</Track>`;
    const { detections, parents } = recording("a.xml", trackMate(turned));
    expect([...(detections.target ?? [])]).toEqual([1, -1, 0, 2, 0]);
    expect([...(parents ?? [])].sort()).toEqual([
      [0, 1],
      [2, 1],
    ]);
  });

  test("each branch of a track that splits or merges is a target, and the note says so", () => {
    const split = recording("a.xml", trackMate(`<Track>${edge(11, 13)}${edge(11, 14)}${edge(13, 15)}</Track>`));
    // Spots 11 to 15, of which 12 is in no track.
    expect([...(split.detections.target ?? [])]).toEqual([0, -1, 1, 2, 1]);
    expect([...(split.parents ?? [])]).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect(split.notes.join(" ")).toContain(
      "Branches: tracks divide at 1 of the detections, and each branch is a track of its own.",
    );
    const merged = recording("a.xml", trackMate(`<Track>${edge(11, 13)}${edge(12, 13)}${edge(13, 15)}</Track>`));
    expect([...(merged.detections.target ?? [])]).toEqual([0, 2, 1, -1, 1]);
    expect(merged.parents?.size).toBe(0);
    expect(merged.notes.join(" ")).toContain("Branches: tracks merge at 1 of the detections");
  });

  test.each([
    ["<a><b></a>", /a\.xml:1: is malformed XML/],
    [
      "<a/>",
      /a\.xml: is XML of <a>, but not TrackMate's; save the tracks from TrackMate \(Save\), or make a table of it: frame,x,y/,
    ],
    [trackMate("").replace('POSITION_X="8"', ""), /a\.xml: spot 12 has no POSITION_X/],
    [trackMate("").replace('POSITION_X="8"', 'POSITION_X="NaN"'), /a\.xml, spot 12: POSITION_X "NaN" is no finite/],
    [trackMate("").replace('FRAME="2"', 'FRAME="2.5"'), /a\.xml, spot 15: FRAME 2.5 is no frame number/],
    [
      trackMate(`<Track>${edge(11, 13)}${edge(13, 14)}</Track>`),
      /a\.xml: an edge joins spots 13 and 14, both in frame 1; save the file again with TrackMate/,
    ],
    [
      trackMate(`<Track>${edge(11, 13)}${edge(13, 77)}</Track>`),
      /a\.xml: an edge joins spots 13 and 77, of which one is not there; save the file again with TrackMate/,
    ],
    [
      trackMate(`<Track>${edge(11, 15)}${edge(15, 13)}</Track>`).replace('FRAME="2"', 'FRAME="1" '),
      /a\.xml: an edge joins spots 15 and 13, both in frame 1/,
    ],
  ])("%j is refused", (content, says) => {
    const file = join(folderWith(parent, { "a.xml": content }), "a.xml");
    expect(refusal(() => readRecording(file, "if-complete"))).toMatch(says);
  });
});

describe("exports", () => {
  const tracks = {
    frame: Float64Array.of(0, 0, 2, 2),
    x: Float64Array.of(1, 2, 3, 4.5),
    y: Float64Array.of(5, 6, 7, 8),
    track: Int32Array.of(1, -1, 0, 1),
    parent: new Map<number, number>(),
  };

  test("tracks of other programs are read in the recording's frames: trackpy's, napari's, NumPy's, columns that are named", () => {
    const numbers = { first: 0, step: 1 };
    const read = (name: string, content: string | Uint8Array, columns?: NamedColumns) => {
      const found = parseForeign(name, Buffer.from(content), numbers, columns);
      const { frame, x, y, identity } = answerOf(name, found, numbers, 3);
      return Array.from(frame, (p, d) => [p, x[d], y[d], identity[d]]);
    };
    const same = [
      [0, 1, 5, 1],
      [2, 3, 7, 0],
      [2, 4.5, 8, 1],
    ];
    expect(read("napari.csv", EXPORTS.napari(tracks))).toEqual(same);
    expect(read("trackpy.csv", ",y,x,frame,particle\n0,5,1,0.0,1\n1,7,3,2.0,0\n2,8,4.5,2.0,1\n")).toEqual(same);
    expect(read("t.csv", "frame;x;y;id\n0;1;5;1\n2;3;7;0\n2;4,5;8;1\n", { target: "id" })).toEqual(same);
    expect(read("mot.txt", EXPORTS.mot(tracks))).toEqual(same.map(([p, x, y, one]) => [p, x, y, one + 1]));
    const arrays = { frame: [0, 2, 2], x: [1, 3, 4.5], y: [5, 7, 8], track: [1, 0, 1] };
    const list = (values: number[]) =>
      npyOf("'<f8'", `(${values.length},)`, Buffer.from(Float64Array.from(values).buffer));
    const members = Object.entries(arrays).map(([name, values]) => [`${name}.npy`, list(values)]);
    expect(read("a.npz", zipSync(Object.fromEntries(members)))).toEqual(same);
    expect(refusal(() => read("t.csv", "frame,x,y\n0,1,2\n"))).toMatch(/or name it: --track-columns target=NAME$/);
    expect(refusal(() => read("t.csv", "time,x,y,particle\n0,1,2,0\n0.5,1,2,0\n"))).toMatch(
      /t\.csv: has times in the column time, and no numbers of frames; give the number of the frame of each point/,
    );
  });

  test("boxes go from MOTChallenge text through tracks.csv and back", () => {
    const text = "1,3,10.1,20.3,4.7,6,0.5,-1,-1,-1\n1,7,-1,-1,-1,-1,1,8,9,-1\n2,3,12,20,4,6,0.25,-1,-1,-1\n";
    const { detections, numbers, carried } = recording("gt.txt", text);
    const { frameStart, x, y } = detections;
    const csv = [...formatTracks({ frameStart, x, y }, Int32Array.of(2, 6, 2), numbers, null, carried)].join("");
    const file = join(folderWith(parent, { "tracks.csv": csv }), "tracks.csv");
    expect(EXPORTS.mot(readPlacedTracks(file))).toBe(text);
  });

  test("MOTChallenge text is read back", () => {
    const { detections } = recording("t.txt", EXPORTS.mot(tracks));
    expect([...detections.x]).toEqual([1, 3, 4.5]);
    expect([...(detections.target ?? [])]).toEqual([2, 1, 2]);
  });

  test("napari's rows are sorted by track, then time", () => {
    expect(EXPORTS.napari(tracks)).toBe("track_id,t,y,x\n0,2,7,3\n1,0,5,1\n1,2,8,4.5\n");
  });

  test("GEFF: every detection a node, every link an edge, arrays as Zarr 2 states them", () => {
    const files = EXPORTS.geff(tracks);
    const array = (path: string) => {
      const { shape, dtype } = JSON.parse(String(files.get(`${path}/.zarray`)));
      const bytes = files.get(`${path}/${shape.map(() => 0).join(".")}`) as Buffer;
      const size = shape.reduce((product: number, n: number) => product * n, 1);
      expect(bytes.length).toBe(8 * size);
      const read = { "<f8": "readDoubleLE", "<i8": "readBigInt64LE", "<u8": "readBigUInt64LE" }[
        dtype as "<f8"
      ] as "readDoubleLE";
      return Array.from({ length: size }, (_, k) => Number(bytes[read](8 * k)));
    };
    expect(array("nodes/ids")).toEqual([0, 1, 2, 3]);
    expect(array("edges/ids")).toEqual([0, 3]);
    expect(array("nodes/props/t/values")).toEqual([0, 0, 2, 2]);
    expect(array("nodes/props/x/values")).toEqual([1, 2, 3, 4.5]);
    expect(array("nodes/props/track/values")).toEqual([1, -1, 0, 1]);
    const { geff } = JSON.parse(String(files.get(".zattrs")));
    expect(geff.axes.map(({ name }: { name: string }) => name)).toEqual(["t", "y", "x"]);
    expect(Object.keys(geff.node_props_metadata)).toEqual(["t", "y", "x", "track"]);
  });
});

test("a file of another ending, or of none, is known by how it begins", () => {
  const of = (name: string, bytes: Uint8Array | string) => {
    const file = join(folderWith(parent, { [name]: bytes as Buffer }), name);
    return [...readRecording(file, "ignored").detections.x];
  };
  const table = npyOf("'<f8'", "(2, 3)", Buffer.from(Float64Array.of(0, 1.5, 2.25, 1, 3, -4).buffer));
  const xml = trackMate("");
  expect(of("a", table)).toEqual([1.5, 3]);
  expect(of("a.dat", zipSync({ "detections.npy": table }))).toEqual([1.5, 3]);
  expect(of("tracks.txt", xml)).toEqual(of("tracks.xml", xml));
  expect(of("tracks", `\ufeff${xml}`)).toEqual(of("tracks.xml", xml));
});
