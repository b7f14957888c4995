import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../../src/cli/program.js";
import { readInstanceFolder } from "../../../src/formats/instance-folder.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { isAtLeast, isAtMost } from "../check.js";
import { Garbler } from "../garble.js";
import { type Outcome, runInside } from "../inside.js";
import { type BruteForce, bruteForce } from "../tracks.js";
import type { Attack } from "./attack.js";

/** Damaged copies of one set of healthy files. */
const COPIES = 4;

type Files = Record<string, Buffer>;

/** A command, the files it is given, and which of them are damaged. */
interface Case {
  readonly name: string;
  readonly files: Files;
  readonly damaged: readonly string[];
  readonly args: readonly string[];
  /** Exit code with healthy files [0]. */
  readonly healthy?: number;
  /** What is false in what it says where it ends well. */
  readonly judge: (folder: string, outcome: Outcome) => readonly string[];
}

const csv = (header: string, rows: readonly (readonly (number | string)[])[]): Buffer =>
  Buffer.from(`${[header, ...rows.map((row) => row.join(","))].join("\n")}\n`);

/** An array of f64 as NumPy stores it. */
function npy(rows: readonly (readonly number[])[]): Buffer {
  const shape = `(${rows.length}, ${rows[0].length})`;
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(128 - 11);
  const start = Buffer.from("\x93NUMPY\x01\x00\x00\x00", "latin1");
  start.writeUInt16LE(header.length + 1, 8);
  return Buffer.concat([start, Buffer.from(`${header}\n`), Buffer.from(Float64Array.from(rows.flat()).buffer)]);
}

/** Targets that walk through four frames. */
function recording(garbler: Garbler): Buffer {
  const rows: (number | string)[][] = [];
  const targets = garbler.pick(2, 3, 5);
  const start = Array.from({ length: targets }, () => [0, 0, 0, 0].map(() => garbler.uniform(-3, 3)));
  for (let p = 0; p < 4; p++) {
    start.forEach(([x, y, vx, vy], t) => {
      if (garbler.chance(0.1)) return;
      rows.push([p, x + vx * p, y + vy * p, vx, vy, t].map((value) => Number(value.toFixed(3))));
    });
  }
  return csv("frame,x,y,vx,vy,target", rows);
}

/** An instance folder's files. */
function instance(garbler: Garbler): Files {
  const counts = Array.from({ length: 3 }, () => garbler.pick(2, 3));
  const cost = () => Number(garbler.uniform(-1, 1).toFixed(garbler.pick(1, 3)));
  const [pairs, triplets]: number[][][] = [[], []];
  for (let p = 0; p < 2; p++)
    for (let i = 0; i < counts[p]; i++)
      for (let j = 0; j < counts[p + 1]; j++) {
        pairs.push([p, i, j, cost()]);
        for (let k = 0; p === 0 && k < counts[2]; k++) if (garbler.chance(0.8)) triplets.push([0, i, j, k, cost()]);
      }
  triplets.push([0, 0, 0, 0, cost()]);
  const seen = new Set<string>();
  const once = triplets.filter((row) => {
    const key = row.slice(0, 4).join();
    return seen.size < seen.add(key).size;
  });
  const stated = Buffer.from(JSON.stringify({ counts, birth: cost(), death: cost() }));
  return garbler.chance(0.5)
    ? {
        "pairs.csv": csv("frame,i,j,cost", pairs),
        "triplets.csv": csv("frame,i,j,k,cost", once),
        "instance.json": stated,
      }
    : { "pairs.npy": npy(pairs), "triplets.npy": npy(once), "instance.json": stated };
}

/** One way to damage the bytes of a file. */
function damage(bytes: Buffer, garbler: Garbler): Buffer {
  const text = bytes.toString("latin1");
  const instead = (match: RegExpMatchArray, by: string): Buffer =>
    Buffer.from(text.slice(0, match.index) + by + text.slice((match.index as number) + match[0].length), "latin1");
  const numbers = [...text.matchAll(/-?\d+(\.\d+)?(e[+-]?\d+)?/g)];
  const lines = text.split("\n");
  const at = garbler.below(lines.length);
  return garbler.pick<() => Buffer>(
    () => {
      const flipped = Buffer.from(bytes);
      for (let times = garbler.pick(1, 1, 3); times > 0; times--)
        flipped[garbler.below(bytes.length)] ^= 1 << garbler.below(8);
      return flipped;
    },
    () => bytes.subarray(0, garbler.below(bytes.length)),
    () => Buffer.concat([bytes, bytes.subarray(garbler.below(bytes.length))]),
    () =>
      instead(
        garbler.pick(...numbers),
        garbler.pick("NaN", "Infinity", "-Infinity", "1e308", "-1e308", "1e999", "5e-324"),
      ),
    () =>
      instead(
        garbler.pick(...numbers),
        garbler.pick("nan", "inf", "", "-0", "1e30", "9007199254740993", "4294967296", "0x10", "1_0", '""'),
      ),
    () => instead(garbler.pick(...numbers), String(garbler.number(Number(garbler.pick(...numbers)[0])))),
    () => {
      // A number of eight bytes somewhere in what follows a header.
      const other = Buffer.from(bytes);
      if (other.length >= 8)
        other.writeDoubleLE(garbler.number(1), other.length - 8 * (1 + garbler.below(Math.floor(other.length / 8))));
      return other;
    },
    () => Buffer.from(lines.toSpliced(at, 1).join("\n"), "latin1"),
    () => Buffer.from(lines.toSpliced(at, 0, lines[garbler.below(lines.length)]).join("\n"), "latin1"),
    () =>
      Buffer.from(
        text.replaceAll(garbler.pick(",", "\n", ".", "0"), garbler.pick(";", "\r\n", "\t", "", '"')),
        "latin1",
      ),
  )();
}

/** A proof of which one number or option is another: its text and its lengths are right. */
function forged(bytes: Buffer, garbler: Garbler): Buffer {
  const proof = JSON.parse(bytes.toString("utf8"));
  const stage = garbler.pick(...proof.stages, ...proof.leaves);
  const number = (value: number) => {
    const other = garbler.number(value);
    return Number.isFinite(other) ? other : 1e308;
  };
  garbler.pick(
    ...["v", "columnDual", "columnDual", "cutMultipliers"].map((key) => () => {
      const own = Buffer.from(stage[key], "base64");
      const values = Float64Array.from({ length: own.length / 8 }, (_, n) => own.readDoubleLE(8 * n));
      garbler.entries(values);
      stage[key] = Buffer.from(values.buffer).toString("base64");
    }),
    () => {
      const key = garbler.pick("lowerBound", "upperBound");
      proof[key] = number(proof[key]);
    },
    () => {
      proof.stages[0].below = number(proof.upperBound);
    },
    () => {
      proof.overrides = garbler.pick<object>(
        { cost: "nosuch" },
        { cost: { file: "in/evil.mjs" } },
        { cost: { file: "evil.mjs", sha256: "0" } },
        { births: 1e308 },
        { threads: 7 },
      );
    },
    () => {
      const own = Buffer.from(proof.tracks, "base64");
      if (own.length >= 4) own.writeInt32LE(garbler.pick(-1, -2, 0, 1, 2 ** 31 - 1), 4 * garbler.below(own.length / 4));
      proof.tracks = own.toString("base64");
    },
  )();
  return Buffer.from(`${JSON.stringify(proof)}\n`);
}

/** A module that leaves a mark where it is run, as nothing that a proof names may be. */
const EVIL = 'import { writeFileSync } from "node:fs"; writeFileSync(new URL("../ran", import.meta.url), "");';

/** Rows of a CSV without blank lines and comments, its header not counted; null where quotes make that hard to say. */
function rowsOf(bytes: Buffer): number | null {
  const text = bytes.toString("latin1");
  if (text.includes('"')) return null;
  return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "" && !line.startsWith("#")).length - 1;
}

/** The optimum of an instance folder as it is read; null where it is too large to enumerate or too extreme to sum exactly. */
function truthOf(folder: string): { readonly problem: PricedProblem; readonly truth: BruteForce | null } | null {
  const { problem } = readInstanceFolder(folder);
  const { frameStart } = problem.links;
  if (frameStart.length > 5 || frameStart.some((start, p) => p > 0 && start - frameStart[p - 1] > 4)) return null;
  try {
    return { problem, truth: bruteForce(problem) };
  } catch (error) {
    if (error instanceof Error && error.message.includes("multiple of 2^-300")) return null;
    throw error;
  }
}

/** How a note says that lines are no row: rows without a position, the header once more, and lines around it. */
const LEFT_OUT = [
  /(\d+) of \d+ rows dropped, which have no position/g,
  /the header stands (once|\d+) more (?:times )?between rows/g,
  /(\d+) further lines? around its header skipped/g,
];

/** Whether as many rows are counted as a recording has, but for those that a note leaves out. */
function countedAll(bytes: Buffer, counted: number, notes: readonly string[]): readonly string[] {
  const rows = rowsOf(bytes);
  const found = LEFT_OUT.flatMap((pattern) => notes.flatMap((note) => [...note.matchAll(pattern)]));
  const stated = found.reduce((sum, [, count]) => sum + (count === "once" ? 1 : Number(count)), 0);
  if (rows === null || rows === counted + stated) return [];
  return [`${rows} rows, of which ${counted} are counted and ${stated} said to be left out`];
}

const SOLVE = ["--device", "cpu", "--threads", "1", "--iterations", "30", "--gap", "0", "--quiet", "--json"];

/** A bound and tracks of an instance folder as `rmap solve --json` states them. */
function judgeInstance(folder: string, { code, stdout }: Outcome): readonly string[] {
  const known = truthOf(folder);
  if (known === null) return [];
  const { problem, truth } = known;
  const { lowerBound, upperBound, status } = JSON.parse(stdout) as Record<string, number | string | null>;
  const violations: string[] = [];
  const optimum = truth?.exact ?? null;
  if (typeof lowerBound === "number" && !isAtMost(lowerBound, optimum))
    violations.push(`${lowerBound} is no lower bound`);
  if (typeof upperBound === "number" && !isAtLeast(upperBound, optimum))
    violations.push(`tracks of ${upperBound} cost more`);
  if (code === 0 && truth === null) violations.push(`${status}, where there are no tracks`);
  const pairs = ["pairs.csv"].filter((name) => readdirSync(folder).includes(name));
  for (const name of pairs) {
    const rows = rowsOf(readFileSync(join(folder, name)));
    const links = problem.links.tail.length;
    if (rows !== null && rows !== links) violations.push(`${rows} pairs, of which ${links} are read`);
  }
  return violations;
}

/** The verdict of `rmap check --json` on a proof about an instance folder. */
function judgeVerdict(folder: string, { code, stdout }: Outcome): readonly string[] {
  const known = truthOf(folder);
  if (known?.truth == null) return [];
  const { truth } = known;
  const { holds, lowerBound, upperBound, gap, claimed } = JSON.parse(stdout) as Record<string, number | boolean>;
  const violations: string[] = [];
  if (holds !== (code === 0)) violations.push(`exit code ${code}, and it ${holds ? "holds" : "does not hold"}`);
  if (typeof lowerBound === "number" && !isAtMost(lowerBound, truth.exact)) violations.push(`proved ${lowerBound}`);
  if (typeof upperBound === "number" && !isAtLeast(upperBound, truth.exact)) violations.push(`tracks of ${upperBound}`);
  const above = typeof claimed === "number" && claimed - truth.cost > 1e-9 * Math.abs(claimed);
  if (holds === true && above) violations.push(`a claim of ${claimed} holds`);
  if (gap === 0 && typeof upperBound === "number" && upperBound - truth.cost > 1e-9 * Math.abs(upperBound))
    violations.push(`tracks of ${upperBound} without a gap`);
  return violations;
}

/** What rmap wrote beside its results, for the commands that read it. */
async function written(files: Files, args: (folder: string) => readonly string[], name: string): Promise<Buffer> {
  const folder = folderOf(files);
  const { code, stderr } = await runInside(runProgram, args(folder));
  if (code !== 0) throw new Error(`healthy files are refused: ${stderr}`);
  const bytes = readFileSync(join(folder, "out", name));
  rmSync(folder, { recursive: true });
  return bytes;
}

function folderOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), "rmap-attack-"));
  mkdirSync(join(folder, "in"));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, "in", name), bytes);
  return folder;
}

async function anyCase(garbler: Garbler): Promise<Case> {
  const kind = garbler.pick(
    "instance",
    "instance",
    "proof",
    "proof",
    "recorded proof",
    "output over input",
    "recording",
    "scenario",
    "track",
    "evaluate",
    "windows",
  );
  if (kind === "instance" || kind === "proof") {
    const files = instance(garbler);
    if (kind === "instance") {
      const args = ["solve", "in", ...SOLVE, "-o", "out"];
      return {
        name: kind,
        files,
        damaged: Object.keys(files),
        args,
        judge: (folder, outcome) => judgeInstance(join(folder, "in"), outcome),
      };
    }
    const solve = (folder: string) => ["solve", join(folder, "in"), ...SOLVE, "-o", join(folder, "out")];
    const proof = await written(files, solve, "proof.json");
    const exact = garbler.pick([], ["--no-exact-arithmetic"]);
    return {
      name: kind,
      files: { ...files, "proof.json": proof, "evil.mjs": Buffer.from(EVIL) },
      damaged: ["proof.json"],
      args: ["check", "in/proof.json", "in", "--threads", "1", "--json", ...exact],
      judge: (folder, outcome) => judgeVerdict(join(folder, "in"), outcome),
    };
  }
  const files: Files = { "a.csv": recording(garbler) };
  const input = (folder: string) => readFileSync(join(folder, "in", "a.csv"));
  const priced = ["--cost", "euclidean", "--births", "3", "--gate", "none"];
  if (kind === "track") {
    const judge = (folder: string, { stdout }: Outcome) => {
      const { counts, notes } = JSON.parse(stdout) as { counts: Record<string, number>; notes: string[] };
      return countedAll(input(folder), counts.rows, notes);
    };
    return { name: kind, files, damaged: ["a.csv"], args: ["track", "in/a.csv", "--json", "-o", "out.csv"], judge };
  }
  const solve = (folder: string) => [
    "solve",
    join(folder, "in", "a.csv"),
    ...SOLVE,
    ...priced,
    "-o",
    join(folder, "out"),
  ];
  if (kind === "output over input") {
    // Where the output is an input nothing may be written.
    const args = garbler.pick(
      ["track", "in/a.csv", "--json", "-o", "in/a.csv"],
      ["track", "in/a.csv", "--json", "-o", "in/../in/a.csv"],
      ["track", "in/a.csv", "--json", "-o", "out.csv", "--line", "x=1", "--decisions", "in/a.csv"],
      ["solve", "in/a.csv", ...SOLVE, ...priced, "--append", "in/a.csv"],
      ["solve", "in/tracks.csv", ...SOLVE, "--window", "3", "--overlap", "2", "--learn", "4", "-o", "in"],
      ["export", "in/tracks.csv", "--as", "mot", "-o", "in/tracks.csv"],
    );
    files["tracks.csv"] = await written(files, solve, "tracks.csv");
    return { name: kind, files, damaged: ["a.csv", "tracks.csv"], args, healthy: 2, judge: () => ["is not refused"] };
  }
  if (kind === "recorded proof") {
    const proof = await written(files, solve, "proof.json");
    const { upperBound } = JSON.parse(proof.toString("utf8")) as { upperBound: number };
    return {
      name: kind,
      files: { ...files, "proof.json": proof, "evil.mjs": Buffer.from(EVIL) },
      damaged: ["proof.json"],
      args: ["check", "in/proof.json", "in/a.csv", "--threads", "1", "--json"],
      judge: (_, { stdout }) => {
        const { lowerBound, claimed, holds } = JSON.parse(stdout) as Record<string, number | boolean>;
        // The tracks that were found before cost no less than the cheapest ones.
        const most = upperBound + 1e-9 * Math.abs(upperBound);
        if (Number(lowerBound ?? 0) > most) return [`proved ${lowerBound}, and tracks cost ${upperBound}`];
        return holds === true && Number(claimed) > most ? [`a claim of ${claimed} holds`] : [];
      },
    };
  }
  if (kind === "evaluate") {
    files["tracks.csv"] = await written(files, solve, "tracks.csv");
    const args = ["evaluate", "in/a.csv", "in/tracks.csv", "--json"];
    return { name: kind, files, damaged: ["a.csv", "tracks.csv"], args, judge: () => [] };
  }
  const judge = (folder: string, { stdout }: Outcome) => {
    const { detections, notes } = JSON.parse(stdout) as { detections: number; notes: string[] };
    return countedAll(input(folder), detections, notes);
  };
  if (kind === "scenario") {
    files["s.json"] = Buffer.from(
      JSON.stringify({
        name: "s",
        detections: { file: "a.csv", velocities: "estimate" },
        cost: garbler.pick<unknown>("euclidean", { pair: "hypot(dx, dy)", triplet: "abs(dx_ij - dx_jk)" }),
        gate: garbler.pick<unknown>("none", { radius: 9 }),
        births: { birth: 3.5, death: 2.5 },
        solve: { iterations: 20, gap: 0.01 },
        seed: 1,
      }),
    );
    const args = [
      "solve",
      "in/s.json",
      "--device",
      "cpu",
      "--threads",
      "1",
      "--time",
      "5",
      "-q",
      "--json",
      "-o",
      "out",
    ];
    return { name: kind, files, damaged: ["s.json"], args, judge };
  }
  const windows = kind === "windows" ? ["--window", "3", "--overlap", "2", "--learn", "4", "--births", "auto"] : priced;
  return {
    name: kind,
    files,
    damaged: ["a.csv"],
    args: ["solve", "in/a.csv", ...SOLVE, ...windows, "-o", "out"],
    judge,
  };
}

export const files: Attack = {
  what: "files on the command line, damaged: recordings, scenarios, instance folders in CSV and NumPy's format, proofs and tracks with bits, numbers, lines or their ends exchanged, doubled or missing, given to solve, check, track and evaluate",
  share: 4,
  perSeed: COPIES,
  async run(seed, { ended, violated }) {
    const garbler = new Garbler(seed);
    const { name, files: given, damaged, args, judge, healthy = 0 } = await anyCase(garbler);
    for (let n = 0; n < COPIES; n++) {
      const copy = { ...given };
      const spoilt = garbler.pick(...damaged);
      const change = name.endsWith("proof") && garbler.chance(0.8) ? forged : damage;
      if (n > 0) copy[spoilt] = change(copy[spoilt], garbler);
      const folder = folderOf(copy);
      const what = n === 0 ? `${name}, healthy` : `${name}, ${spoilt} damaged (${n})`;
      try {
        const outcome = await runInside(runProgram, args, folder);
        const { code, stderr } = outcome;
        if (n === 0 && code !== healthy) violated(`${what}: exit code ${code}, ${stderr.trim()}`);
        if (code === null || ![0, 1, 2, 3].includes(code)) violated(`${what}: exit code ${code}`);
        if (/defect|undefined|\[object/.test(stderr)) violated(`${what}: ${stderr.trim()}`);
        if (code === 2 && !/^rmap: \S[^\n]{0,800}\n$/.test(stderr)) violated(`${what}: not one line: ${stderr}`);
        if (existsSync(join(folder, "ran"))) violated(`${what}: ran what a file names`);
        for (const [file, bytes] of Object.entries(copy))
          if (!readFileSync(join(folder, "in", file)).equals(bytes)) violated(`${what}: ${file} is not what it was`);
        if (code === 0 || code === 3) for (const wrong of judge(folder, outcome)) violated(`${what}: ${wrong}`);
        ended(`${name}: ${code}`);
      } catch (error) {
        violated(`${what}: ended with ${error}`);
        ended(`${name}: failed`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  },
};
