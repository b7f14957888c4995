/**
 * Files that look like input and are none: bombs, cut and empty files, text without an end. Each has the name that makes a command read it, and what the one line
 * about it must say. To add one, a line here; hostile proofs are in proofs.ts.
 */
import { constants, deflateSync } from "node:zlib";
import { chunk, pngFile, pngOf } from "../files/images/png-writer.js";

export interface HostileFile {
  readonly name: string;
  readonly file: string;
  readonly bytes: () => string | Uint8Array;
  /** Of a command that reads the file; `FILE` stands for it. */
  readonly args: readonly string[];
  readonly says: RegExp;
}

const MEGABYTES = 2 ** 20;

/** Zeros, packed to a thousandth. Runs alone make the same bytes as a search for matches, in a seventh of the time. */
export const packed = (bytes: number) => deflateSync(Buffer.alloc(bytes), { strategy: constants.Z_RLE });

const detect = (method: string) => ["detect", "FILE", "--method", method, "--device", "cpu"];
const solve = ["solve", "FILE"];

const npy = (header: string, after = "") => {
  const start = Buffer.from("\x93NUMPY\x01\x00\x00\x00", "latin1");
  start.writeUInt16LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header + after, "latin1")]);
};

const images: HostileFile[] = [
  {
    name: "a PNG of 64 × 64 whose pixels unpack to 600 MB",
    file: "bomb.png",
    bytes: () => pngOf([64, 64], 8, "grey", packed(600 * MEGABYTES)),
    args: detect("sobel"),
    says: /bomb\.png: holds more than the 4160 bytes of its pixels/,
  },
  {
    name: "a PNG with too few bytes",
    file: "short.png",
    bytes: () => pngOf([64, 64], 8, "grey", packed(100)),
    args: detect("sobel"),
    says: /short\.png: holds 100 of the 4160 bytes of its pixels/,
  },
  {
    name: "a PNG with a second header",
    file: "twice.png",
    bytes: () => {
      const one = pngOf([1, 1], 8, "grey", packed(2));
      const other = pngOf([64, 64], 8, "grey", packed(2));
      return Buffer.concat([one.subarray(0, 33), other.subarray(8)]);
    },
    args: detect("sobel"),
    says: /twice\.png: does not have one header at its start/,
  },
  {
    name: "a PNG without pixels",
    file: "none.png",
    bytes: () => {
      const whole = pngFile([1, 1], 8, "grey", [[0]]);
      return Buffer.concat([whole.subarray(0, 33), chunk("IEND", Buffer.alloc(0))]);
    },
    args: detect("sobel"),
    says: /none\.png: cannot be decoded/,
  },
  ...["", "\x93NUMPY", "\x93NUMPY\x01\x00", "\x93NUMPY\x02\x00\x10"].map((start) => ({
    name: `an array of ${start.length} bytes`,
    file: "cut.npy",
    bytes: () => Buffer.from(start, "latin1"),
    args: detect("before-detect"),
    says: start.length < 6 ? /cut\.npy: is not a \.npy file/ : /cut\.npy: ends after \d+ bytes; the input is cut short/,
  })),
  {
    name: "an array of a size that no machine has",
    file: "vast.npy",
    bytes: () => npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9, 99999999, 99999999), }\n"),
    args: detect("before-detect"),
    says: /vast\.npy: has a size of 99999999 × 99999999 pixels/,
  },
];

const entity = (declarations: string, use: string) =>
  `<!DOCTYPE a [${declarations}]><TrackMate><Model spatialunits="${use}"><AllSpots/></Model></TrackMate>`;

const xml: HostileFile[] = (
  [
    ["a tag that is never closed", "<TrackMate><Model><AllSpots>", /ends before its tags are closed/],
    [
      "an attribute that is never closed",
      '<TrackMate version="7><Model/></TrackMate>',
      /is malformed XML|cannot be read/,
    ],
    ["a comment that is never closed", "<TrackMate><!-- ", /is malformed XML|cannot be read as XML/],
    ["CDATA that is never closed", "<TrackMate><![CDATA[ ", /is malformed XML|cannot be read as XML/],
    ["a DOCTYPE that is never closed", "<!DOCTYPE a [", /is malformed XML|cannot be read as XML/],
    ["an external entity", entity('<!ENTITY e SYSTEM "file:///etc/passwd">', "&e;"), /External entities/],
    ["an entity of 200 kB", entity(`<!ENTITY e "${"x".repeat(2e5)}">`, "&e;"), /Entity .* size/],
    ["100,000 tags in one another", "<a>".repeat(1e5) + "</a>".repeat(1e5), /nested/],
    ["text in the place of spots", "<TrackMate><Model>spots</Model></TrackMate>", /has no visible spots/],
    [
      "a spot of text",
      "<TrackMate><Model><AllSpots><SpotsInFrame><Spot>x</Spot></SpotsInFrame></AllSpots></Model></TrackMate>",
      /spot without ID has no FRAME/,
    ],
  ] as const
).map(([name, text, says]) => ({ name, file: "t.xml", bytes: () => text, args: solve, says }));

const simulation = { targets: 3, frames: 4 };
const scenario = (cost: object) => JSON.stringify({ name: "a", simulation, cost });
const doubled = Object.fromEntries(
  Array.from({ length: 31 }, (_, k) => [`n${k}`, k === 0 ? "dx" : `n${k - 1} + n${k - 1}`]),
);

const json: HostileFile[] = (
  [
    [
      "numbers that double thirty times",
      scenario({ numbers: doubled, pair: "n30", triplet: "0" }),
      /n13, column 1: has \d+ parts/,
    ],
    [
      "a tower of powers",
      scenario({ pair: `2${"^2".repeat(1990)}`, triplet: "0" }),
      /pair, column 1: is nested more than 200 deep/,
    ],
    [
      "thousands of signs",
      scenario({ pair: `${"-".repeat(3990)}1`, triplet: "0" }),
      /pair, column 1: is nested more than 200/,
    ],
    ["100,000 brackets", "[".repeat(1e5), /is nested more than 64 deep/],
    ["a key of 100,000 letters", JSON.stringify({ name: "a", [`k${"y".repeat(1e5)}`]: 1 }), /ky+…: is not a known key/],
    [
      "a name of 100,000 letters",
      JSON.stringify({ name: "n".repeat(1e5), simulation }),
      /name: is "n+…; give at most 200/,
    ],
  ] as const
).map(([name, text, says]) => ({ name, file: "s.json", bytes: () => text, args: solve, says }));

const sweeps: HostileFile[] = (
  [
    [
      "a field that is none",
      { grid: { nothing: [1] } },
      /grid\.nothing: is no field of a scenario; known are simulation, .* and \d+ more/,
    ],
    ["a value that is none", { grid: { cost: ["x".repeat(1e4)] } }, /grid\.cost\[0\]: is "x+…/],
    ["a field of 100,000 letters", { grid: { ["f".repeat(1e5)]: [1] } }, /grid\.f+…: is no field/],
  ] as const
).map(([name, design, says]) => ({
  name: `a sweep over ${name}`,
  file: "sweep.json",
  bytes: () => JSON.stringify({ name: "a", base: { simulation }, ...design }),
  args: ["sweep", "FILE", "--dry-run"],
  says,
}));

export const HOSTILE_FILES: readonly HostileFile[] = [...images, ...xml, ...json, ...sweeps];
