import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entriesFromCsv } from "../../src/formats/cost-entries.js";
import { readInstanceFolder } from "../../src/formats/instance-folder.js";
import { byteSoup, folderWith, mutated, parsesOrRefuses, refusal, temporaryFolder } from "./support.js";

const parent = temporaryFolder();
const read = (files: Record<string, string | Uint8Array>) => readInstanceFolder(folderWith(parent, files));

/** The message without the folder's name. */
function refused(files: Record<string, string | Uint8Array>): string {
  const folder = folderWith(parent, files);
  return refusal(() => readInstanceFolder(folder))
    .replaceAll(`${folder}/`, "")
    .replaceAll(folder, "FOLDER");
}

/** A .npy file as numpy.save writes it; `change` may spoil the header. */
function npy(rows: readonly (readonly number[])[], dtype = "<f8", change = (header: string) => header): Buffer {
  const columns = rows[0].length;
  const text = change(`{'descr': '${dtype}', 'fortran_order': False, 'shape': (${rows.length}, ${columns}), }`);
  const header = `${text.padEnd(128 - 11)}\n`;
  const start = Buffer.alloc(10);
  start.write("\x93NUMPY\x01\x00", "latin1");
  start.writeUInt16LE(header.length, 8);
  const bytes = Number(dtype[2]);
  const data = Buffer.alloc(rows.flat().length * bytes);
  rows.flat().forEach((value, n) => {
    if (dtype === "<f8") data.writeDoubleLE(value, n * bytes);
    else if (dtype === "<f4") data.writeFloatLE(value, n * bytes);
    else if (dtype === "<i4") data.writeInt32LE(value, n * bytes);
    else data.writeBigInt64LE(BigInt(value), n * bytes);
  });
  return Buffer.concat([start, Buffer.from(header), data]);
}

/** Two detections in three frames; costs asymmetric, rows out of order. */
const pairRows = [
  [1, 1, 0, 7],
  [0, 0, 1, 2],
  [0, 1, 0, 3],
  [0, 0, 0, 1],
  [1, 0, 0, 5],
  [1, 0, 1, 6],
  [0, 1, 1, 4],
  [1, 1, 1, 8],
];
const tripletRows = [
  [0, 1, 0, 1, 30],
  [0, 0, 0, 0, 10],
  [0, 0, 1, 0, 20],
];
const csv = (header: string, rows: readonly (readonly number[])[]) =>
  [header, ...rows.map((row) => row.join(","))].join("\n");
const pairs = csv("frame,i,j,cost", pairRows);
const triplets = csv("frame,i,j,k,cost", tripletRows);

describe("readInstanceFolder", () => {
  it("sorts links by tail and head, and triplets into rows over them", () => {
    const { problem, recording } = read({ "pairs.csv": pairs, "triplets.csv": triplets });
    expect(problem).toEqual({
      links: {
        frameStart: Uint32Array.of(0, 2, 4, 6),
        tail: Int32Array.of(0, 0, 1, 1, 2, 2, 3, 3),
        head: Int32Array.of(2, 3, 2, 3, 4, 5, 4, 5),
        cost: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8),
      },
      triplets: {
        kind: "csr",
        rowStart: Uint32Array.of(0, 1, 2, 3, 3, 3, 3, 3, 3),
        successor: Uint32Array.of(4, 6, 5),
        cost: Float64Array.of(10, 20, 30),
      },
      birthDeath: null,
    });
    expect(recording).toBeNull();
  });

  it("reads the same from .npy of every element type", () => {
    const { problem } = read({ "pairs.csv": pairs, "triplets.csv": triplets });
    for (const dtype of ["<f8", "<f4", "<i4", "<i8"]) {
      const arrays = { "pairs.npy": npy(pairRows, dtype), "triplets.npy": npy(tripletRows, dtype) };
      expect(read(arrays).problem).toEqual(problem);
    }
  });

  it("leaves absent triplets free where there are none, or on demand", () => {
    expect(read({ "pairs.csv": pairs }).problem.triplets).toBeNull();
    const free = read({ "pairs.csv": pairs, "triplets.csv": triplets, "instance.json": '{"absentTriplets":"free"}' });
    expect(free.problem.triplets).toEqual({
      kind: "csr",
      rowStart: Uint32Array.of(0, 2, 4, 6, 8, 8, 8, 8, 8),
      successor: Uint32Array.of(4, 5, 6, 7, 4, 5, 6, 7),
      cost: Float64Array.of(10, 0, 20, 0, 0, 30, 0, 0),
    });
  });

  it("takes counts, births and deaths from instance.json, and counts from detections.csv", () => {
    const json = JSON.stringify({ counts: [2, 3, 0, 1], birth: 4, death: -5 });
    const { problem } = read({ "pairs.csv": "frame,i,j,cost\n0,1,2,9\n", "instance.json": json });
    expect(problem.links.frameStart).toEqual(Uint32Array.of(0, 2, 5, 5, 6));
    expect(problem.birthDeath).toEqual({ birth: new Float64Array(6).fill(4), death: new Float64Array(6).fill(-5) });
    const positions = "# frames=3\nframe,x,y,target\n0,0,0,1\n0,0,1,2\n1,0,2,1\n1,5,5,7\n";
    const priced = { "pairs.csv": "frame,i,j,cost\n0,1,0,9\n", "instance.json": '{"birth":1,"death":1}' };
    const { problem: placed, recording } = read({ ...priced, "detections.csv": positions });
    expect(placed.links.frameStart).toEqual(Uint32Array.of(0, 2, 4, 4));
    expect(recording?.detections.target).toEqual(Int32Array.of(1, 2, 1, 7));
  });

  it("takes births and deaths by detection from ends, and all others from instance.json", () => {
    const counts = {
      "pairs.csv": "frame,i,j,cost\n0,1,2,9\n",
      "instance.json": '{"counts":[2,3],"birth":4,"death":-5}',
    };
    const rows = [
      [1, 2, 7, 8],
      [0, 1, 2, -3],
    ];
    const expected = { birth: Float64Array.of(4, 2, 4, 4, 7), death: Float64Array.of(-5, -3, -5, -5, 8) };
    for (const ends of [{ "ends.csv": csv("frame,i,birth,death", rows) }, { "ends.npy": npy(rows) }])
      expect(read({ ...counts, ...ends }).problem.birthDeath).toEqual(expected);
    const all = rows.concat([0, 1].map((i) => [1, i, i, i])).concat([[0, 0, 6, 6]]);
    const alone = read({ "pairs.csv": "frame,i,j,cost\n0,1,2,9\n", "ends.csv": csv("frame,i,birth,death", all) });
    expect(alone.problem.birthDeath?.birth).toEqual(Float64Array.of(6, 2, 0, 1, 7));
  });

  it("takes costs of detections without links, and sets of detections that exclude each other", () => {
    const given = { "pairs.csv": "frame,i,j,cost\n0,1,2,9\n", "instance.json": '{"birth":4,"death":-5,"unused":0.5}' };
    const unused = [[1, 2, 7]];
    const sets = [
      [1, 2, 40],
      [0, 1, 7],
      [1, 0, 40],
      [0, 0, 7],
      [1, 1, 8],
    ];
    for (const files of [
      { "unused.csv": csv("frame,i,cost", unused), "exclusions.csv": csv("frame,i,set", sets) },
      { "unused.npy": npy(unused), "exclusions.npy": npy(sets) },
    ]) {
      const { problem } = read({ ...given, ...files });
      expect(problem.birthDeath?.unused).toEqual(Float64Array.of(0.5, 0.5, 0.5, 0.5, 7));
      expect(problem.exclusions).toEqual({
        setStart: Uint32Array.of(0, 2, 3, 5),
        member: Uint32Array.of(0, 1, 3, 2, 4),
      });
    }
  });

  const p1 = "frame,i,j,cost\n";
  it.each([
    ["no pairs file", {}, /^FOLDER: holds neither pairs\.csv nor pairs\.npy; add one/],
    [
      "both kinds of pairs",
      { "pairs.csv": pairs, "pairs.npy": npy(pairRows) },
      /^FOLDER: holds pairs\.csv and pairs\.npy; keep one/,
    ],
    ["no rows", { "pairs.csv": p1 }, /has no pairs; give a row/],
    [
      "an unknown column",
      { "pairs.csv": "frame,i,j,cost,k\n0,0,0,1,2\n" },
      /^pairs\.csv: has the unknown column k; give frame,i,j,cost alone/,
    ],
    [
      "a negative id",
      { "pairs.csv": `${p1}0,-1,0,1\n` },
      /^pairs\.csv:2, column i: -1 is below 0; number the detections/,
    ],
    [
      "a huge id",
      { "pairs.csv": `${p1}0,0,1000000000,1\n` },
      /^pairs\.csv:2, column j: 1000000000 is above 999999; number/,
    ],
    ["a huge frame", { "pairs.csv": `${p1}1e12,0,0,1\n` }, /^pairs\.csv:2, column frame: 1e12 is above 999999; number/],
    [
      "an id past its count",
      { "pairs.csv": `${p1}0,0,2,1\n`, "instance.json": '{"counts":[2,2]}' },
      /^pairs\.csv:2, column j: 2 in frame 1, which has 2 detections; correct it or the counts/,
    ],
    [
      "a frame past the counts",
      { "pairs.csv": `${p1}1,0,0,1\n`, "instance.json": '{"counts":[2,2]}' },
      /^pairs\.csv:2, column j: 0 in frame 2, which is past the last, 1; correct/,
    ],
    [
      "a pair twice",
      { "pairs.csv": `${p1}0,0,0,1\n0,0,0,2\n` },
      /^pairs\.csv:3: pair \(0, 0, 0\) stands at pairs\.csv:2 already; keep one/,
    ],
    [
      "NaN",
      { "pairs.csv": `${p1}0,0,0,nan\n` },
      /^pairs\.csv:2, column cost: "nan" is not a finite number; leave forbidden entries out/,
    ],
    [
      "infinity",
      { "pairs.csv": `${p1}0,0,0,Infinity\n` },
      /^pairs\.csv:2, column cost: "Infinity" is not a finite number; leave/,
    ],
    [
      "a large cost",
      { "pairs.csv": `${p1}0,0,0,-1e30\n` },
      /^pairs\.csv:2, column cost: -1e30 is 1e30 or more in size; leave forbidden/,
    ],
    [
      "unequal counts",
      { "pairs.csv": `${p1}0,0,0,1\n0,1,0,1\n` },
      /^FOLDER: has 2 detections in frame 0 and 1 in frame 1; give birth and death/,
    ],
    [
      "a gap",
      { "pairs.csv": `${p1}0,0,0,1\n2,0,0,1\n` },
      /^FOLDER: has no pairs from frame 1 to 2; give birth and death/,
    ],
    [
      "a birth without a death",
      { "pairs.csv": pairs, "instance.json": '{"birth":1}' },
      /^instance\.json: gives birth but no death; give death too/,
    ],
    [
      "ends of some detections alone",
      { "pairs.csv": pairs, "ends.csv": "frame,i,birth,death\n0,0,1,1\n0,1,1,1\n1,0,1,1\n2,0,1,1\n" },
      /^FOLDER: has no birth and death for detection 1 of frame 1; add it to the ends, or give .* \(instance\.json\)/,
    ],
    [
      "ends twice",
      { "pairs.csv": pairs, "ends.csv": "frame,i,birth,death\n0,1,1,1\n0,1,2,2\n" },
      /^ends\.csv:3: detection 1 of frame 0 stands at ends\.csv:2 already; keep/,
    ],
    [
      "ends of no detection",
      { "pairs.csv": pairs, "ends.csv": "frame,i,birth,death\n2,2,1,1\n" },
      /^ends\.csv:2, column i: 2 in frame 2, which has 2 detections; correct/,
    ],
    ["an end without a birth", { "pairs.csv": pairs, "ends.csv": "frame,i,death\n2,2,1\n" }, /^ends\.csv.*birth/],
    [
      "exclusions where all must be linked",
      { "pairs.csv": pairs, "exclusions.csv": "frame,i,set\n0,0,0\n0,1,0\n" },
      /^FOLDER: has unused detections, divisions or exclusions, but no births and deaths; give birth/,
    ],
    [
      "a set of two frames",
      { "pairs.csv": pairs, "instance.json": '{"birth":1,"death":1}', "exclusions.csv": "frame,i,set\n0,0,3\n1,1,3\n" },
      /^exclusions\.csv:3: set 3 has a detection of frame 0 too; give each frame/,
    ],
    [
      "a detection twice in a set",
      { "pairs.csv": pairs, "instance.json": '{"birth":1,"death":1}', "exclusions.csv": "frame,i,set\n0,1,3\n0,1,3\n" },
      /^exclusions\.csv:3: detection 1 of frame 0 is in set 3 twice; keep/,
    ],
    [
      "half a set",
      { "pairs.csv": pairs, "instance.json": '{"birth":1,"death":1}', "exclusions.npy": npy([[0, 1, 0.5]]) },
      /^exclusions\.npy, row 0, column set: 0\.5 is not an integer; number the sets/,
    ],
    [
      "an unknown key",
      { "pairs.csv": pairs, "instance.json": '{"births":1}' },
      /^instance\.json:1, births: is not a known key; perhaps birth is meant/,
    ],
    [
      "a forbidden birth",
      { "pairs.csv": pairs, "instance.json": '{"birth":1e30,"death":1}' },
      /^instance\.json:1, birth: is 1e\+30; give a number below/,
    ],
    [
      "forbidden triplets without any",
      { "pairs.csv": pairs, "instance.json": '{"absentTriplets":"forbidden"}' },
      /absentTriplets: is "forbidden" but there are no triplets; add/,
    ],
    [
      "a triplet without its pair",
      { "pairs.csv": pairs.replace("1,1,0,7\n", ""), "triplets.csv": triplets },
      /^triplets\.csv:4: triplet \(0, 0, 1, 0\) needs the pair \(1, 1, 0\), which is not given; add/,
    ],
    [
      "a triplet twice",
      { "pairs.csv": pairs, "triplets.csv": `${triplets}\n0,1,0,1,3\n` },
      /^triplets\.csv:5: triplet \(0, 1, 0, 1\) stands at triplets\.csv:2 already; keep/,
    ],
    [
      "a triplet past the frames",
      { "pairs.csv": pairs, "triplets.csv": "frame,i,j,k,cost\n1,0,0,0,1\n" },
      /^triplets\.csv:2, column k: 0 in frame 3, which is past the last, 2; correct/,
    ],
    [
      "other detections",
      {
        "pairs.csv": pairs,
        "instance.json": '{"counts":[2,2,2]}',
        "detections.csv": "frame,x,y\n0,1,1\n1,1,1\n2,1,1\n",
      },
      /^detections\.csv: has 1 detections in frame 0 where the costs have 2; correct/,
    ],
    [
      "other frames",
      { "pairs.csv": pairs, "instance.json": '{"counts":[2,2,2]}', "detections.csv": "frame,x,y\n1,1,1\n2,1,1\n" },
      /^detections\.csv: begins with frame 1, the costs with 0; add frames=/,
    ],
  ])("refuses %s", (_, files, message) => {
    expect(refused(files)).toMatch(message);
  });

  const whole = npy(pairRows);
  it.each([
    [
      "another file",
      Buffer.from("frame,i,j,cost\n0,0,0,1\n"),
      /^pairs\.npy: is not a \.npy file; save it with numpy\.save/,
    ],
    ["an empty file", Buffer.alloc(0), /^pairs\.npy: ends after 0 bytes; the file is cut short/],
    ["a cut header", whole.subarray(0, 50), /^pairs\.npy: ends after 50 bytes; the file is cut short/],
    [
      "cut data",
      whole.subarray(0, -3),
      /^pairs\.npy: holds 381 bytes where its shape \(8, 4\) of <f8 makes 384; the file is cut short/,
    ],
    ["bytes too many", Buffer.concat([whole, whole]), /holds 768 bytes where .* makes 384; save the array alone/],
    [
      "Fortran order",
      npy(pairRows, "<f8", (header) => header.replace("False", "True")),
      /is in Fortran order; save numpy\.ascontiguousarray/,
    ],
    [
      "big endian",
      npy(pairRows, "<f8", (header) => header.replace("<f8", ">f8")),
      /has elements of type ">f8", not <f8, .*; save numpy/,
    ],
    ["objects", npy(pairRows, "<f8", (header) => header.replace("<f8", "|O")), /has elements of type "\|O"/],
    [
      "a structure",
      npy(pairRows, "<f8", (header) => header.replace("'<f8'", "[('i', '<i4')]")),
      /is a structured array; save/,
    ],
    [
      "three columns",
      npy(pairRows, "<f8", (header) => header.replace(", 4)", ", 3)")),
      /has the shape \(8, 3\); give an array of 4 columns/,
    ],
    [
      "one axis",
      npy(pairRows, "<f8", (header) => header.replace("(8, 4)", "(32,)")),
      /has the shape \(32\); give an array of 4 columns/,
    ],
    [
      "absurd rows",
      npy(pairRows, "<f8", (header) => header.replace("(8, 4)", "(1000000000000, 4)")),
      /holds 384 bytes where its shape \(1000000000000, 4\)/,
    ],
    ["no header", npy(pairRows, "<f8", () => "{}"), /has the header "\{\}"; save it with numpy\.save/],
    [
      "NaN",
      npy([[0, 0, 0, Number.NaN]]),
      /^pairs\.npy, row 0, column cost: NaN is no cost; leave forbidden entries out/,
    ],
    [
      "infinity",
      npy([
        [0, 0, 0, 1],
        [0, 0, 1, Number.POSITIVE_INFINITY],
      ]),
      /^pairs\.npy, row 1, column cost: Infinity is no cost; leave/,
    ],
    ["half an id", npy([[0, 0.5, 0, 1]]), /^pairs\.npy, row 0, column i: 0\.5 is not an integer; number/],
    ["a negative id", npy([[0, 0, -1, 1]]), /^pairs\.npy, row 0, column j: -1 is not between 0 and 999999; number/],
    ["NaN as frame", npy([[Number.NaN, 0, 0, 1]]), /^pairs\.npy, row 0, column frame: NaN is not an integer; number/],
    [
      "a pair twice",
      npy([
        [0, 0, 0, 1],
        [0, 0, 0, 1],
      ]),
      /^pairs\.npy, row 1: pair \(0, 0, 0\) stands at pairs\.npy, row 0 already/,
    ],
  ])("refuses .npy with %s", (_, bytes, message) => {
    expect(refused({ "pairs.npy": bytes })).toMatch(message);
  });

  it("parses or refuses any bytes", () => {
    const asCsv = fc.oneof(byteSoup, mutated(Buffer.from(pairs)));
    fc.assert(
      fc.property(asCsv, (bytes) => parsesOrRefuses(() => entriesFromCsv("pairs.csv", bytes, "pairs"))),
      { numRuns: 1000 },
    );
    const json = fc.oneof(
      byteSoup,
      fc.json().map((text) => Buffer.from(text)),
      mutated(Buffer.from('{"counts":[2,2,2],"birth":1,"death":2}')),
    );
    const files = fc.record(
      {
        "pairs.npy": fc.oneof({ weight: 1, arbitrary: byteSoup }, { weight: 9, arbitrary: mutated(whole) }),
        "triplets.csv": mutated(Buffer.from(triplets)),
        "instance.json": json,
      },
      { requiredKeys: ["pairs.npy"] },
    );
    fc.assert(
      fc.property(files, (given) => {
        const folder = folderWith(parent, given);
        parsesOrRefuses(() => readInstanceFolder(folder));
      }),
      { numRuns: 300 },
    );
  });
});

describe("what is not read", () => {
  const pairs = "frame,i,j,cost\n0,0,0,1\n";

  it.each(["triplets.csv", "triplets.npy", "instance.json", "detections.csv", "pairs.npy"])(
    "a link that leads nowhere as %s is no absent file",
    (name) => {
      const folder = folderWith(parent, { "pairs.csv": pairs });
      symlinkSync(join(folder, "gone"), join(folder, name));
      expect(refusal(() => readInstanceFolder(folder))).toMatch(/leads nowhere; mend|keep one of them/);
    },
  );

  it.each(["triplet.csv", "Triplets.csv", "pair.csv", "instance.JSON", "detection.csv"])(
    "a slip of the pen: %s",
    (name) => {
      expect(refused({ "pairs.csv": pairs, [name]: "" })).toMatch(`${name}: is not read; call it `);
    },
  );

  it("other tables are noted, other files are not", () => {
    const others = {
      "proof.json": "{}",
      "candidates.csv": "",
      "truth.csv": "",
      "weights.csv": "",
      "old.npy": "",
      "README.md": "",
      "tracks.csv": "",
      "tracks.svg": "",
    };
    expect(read({ "pairs.csv": pairs, ...others }).notes).toEqual(["Files not read: old.npy, weights.csv."]);
    expect(read({ "pairs.csv": pairs }).notes).toEqual([]);
  });
});
