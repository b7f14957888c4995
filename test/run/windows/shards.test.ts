import { createHash } from "node:crypto";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { beforeAll, describe, expect, test } from "vitest";
import { decidedByShard, windowsOfShard } from "../../../src/run/windows/shard-range.js";
import { onlyObject, refuses, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { wandering } from "./wandering.js";

const parent = temporaryFolder();
const SHARDS = 3;

const solve = ["solve", "d.csv", "--window", "12", "--learn", "60", "--threads", "1", "-q"];

const results = (folder: string) => {
  const { lowerBound, upperBound, iterations, motion, choices, estimates, notes } = JSON.parse(
    readFileSync(join(folder, "result.json"), "utf8"),
  );
  const [tracks, windows] = ["tracks.csv", "windows.jsonl"].map((name) => readFileSync(join(folder, name), "utf8"));
  return { same: { tracks, windows, lowerBound, upperBound, iterations, motion, choices, estimates }, notes };
};

/** The recording solved as a whole, and what its shards have kept. */
const made = { cwd: "", whole: {} as ReturnType<typeof results> };
beforeAll(async () => {
  made.cwd = folderWith(parent, { "d.csv": wandering(120) });
  await succeeds([...solve, "-o", "whole"], { cwd: made.cwd });
  made.whole = results(join(made.cwd, "whole"));
  const first = [...solve, "--shard", `0/${SHARDS}`, "-o", "out", "--json"];
  expect(onlyObject(await succeeds(first, { cwd: made.cwd }))).toMatchObject({ frames: 120, windows: 10 });
  const kinds = () =>
    readdirSync(join(made.cwd, "out/unfinished"))
      .map((name) => name.split("-")[0])
      .sort();
  expect(kinds()).toEqual(["costs", "survey"]);
  for (let k = 1; k <= SHARDS; k++) {
    const shard = [...solve, "--shard", `${k}/${SHARDS}`, "-o", "out", "--json"];
    const windows = [4, 3, 3][k - 1];
    const end = onlyObject(await succeeds(shard, { cwd: made.cwd }));
    // To decide its last windows, a shard finds the first two of the next one, where these are not there yet.
    const already = k === 1 ? 0 : 1;
    expect(end).toMatchObject({ windows, already, solved: windows - already });
  }
  expect(readdirSync(join(made.cwd, "out"))).toEqual(["unfinished"]);
});

/** A folder with the recording and what the shards have kept, and the kept files. */
function folderWithShards(): { cwd: string; files: string[] } {
  const cwd = folderWith(parent, {});
  for (const name of ["d.csv", "out"]) cpSync(join(made.cwd, name), join(cwd, name), { recursive: true });
  return { cwd, files: readdirSync(join(cwd, "out/unfinished")).map((name) => join(cwd, "out/unfinished", name)) };
}

test("shards have each window once, as many as one another but for one", () => {
  const plan = { size: 10, overlap: 10, half: 5, context: 3, spans: 2 };
  for (const frames of [2, 11, 12, 95, 401]) {
    for (const of of [1, 2, 3, 7, 50]) {
      const dealt = Array.from({ length: of }, (_, k) => windowsOfShard(plan, frames, { number: k + 1, of }));
      const windows = dealt.flatMap(([first, end]) => Array.from({ length: end - first }, (_, n) => first + n));
      expect(windows).toEqual(Array.from({ length: Math.ceil((frames - 1) / 10) }, (_, k) => k));
      expect(dealt.every(([first, end]) => Math.abs(end - first - windows.length / of) < 1)).toBe(true);
      const decided = dealt.flatMap((_, k) => {
        const [first, end] = decidedByShard(plan, frames, { number: k + 1, of });
        return Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n);
      });
      expect(decided).toEqual(windows);
    }
  }
});

describe("the run of the whole after its shards", () => {
  const notes = (windows: number) => expect.arrayContaining([`Windows found before: ${windows}.`]);

  test("writes the tracks, windows and bound of one process, to the byte, and clears up", async () => {
    const { cwd } = folderWithShards();
    const again = [...solve, "--shard", "2/3", "-o", "out", "--json"];
    expect(onlyObject(await succeeds(again, { cwd }))).toMatchObject({ windows: 3, already: 3, solved: 0 });
    await succeeds([...solve, "-o", "out"], { cwd });
    expect(results(join(cwd, "out"))).toEqual({ ...made.whole, notes: notes(10) });
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["result.json", "tracks.csv", "tracks.svg", "windows.jsonl"]);
  });

  test("makes what is missing, cut short or spoilt: windows, costs and links", async () => {
    const { cwd, files } = folderWithShards();
    const ofKind = (kind: RegExp) => files.filter((file) => kind.test(file));
    const [found, decided] = [ofKind(/\/found-/), ofKind(/\/decided-/)];
    expect([found.length, decided.length]).toEqual([10, 10]);
    for (const file of [found[0], ...decided.slice(0, 3)]) rmSync(file);
    for (const file of [found[1], decided[3]]) truncateSync(file, 100);
    for (const file of [...ofKind(/\/costs-/), ...ofKind(/\/links-/).slice(0, 5), found[2], decided[4]]) {
      const bytes = readFileSync(file);
      bytes[Math.floor(0.8 * bytes.length)] ^= 1;
      writeFileSync(file, bytes);
    }
    await succeeds([...solve, "-o", "out"], { cwd });
    expect(results(join(cwd, "out"))).toEqual({ ...made.whole, notes: expect.any(Array) });
  });

  const other = ["--gate", "radius=4"];
  const joined = (folder: string) => results(join(folder, "out"));

  test.each<[string, string[], (cwd: string) => void, RegExp]>([
    ["costs", other, () => {}, /of other options: --gate, made without it, and this is with .*4/],
    ["windows", ["--overlap", "3"], () => {}, /of other options: --overlap, made without it, and this is with 3; /],
    ["bytes", [], (cwd) => appendFileSync(join(cwd, "d.csv"), "120,0,0\n"), /of other bytes than d\.csv has now; /],
    ["version", [], (cwd) => alterSurvey(cwd, "rmap 0.0.1"), /made by rmap 0\.0\.1, and this is rmap \d/],
    [
      "an old version",
      [],
      (cwd) => alterSurvey(cwd, null),
      /of another version of rmap; join them by the command that/,
    ],
  ])(
    "refuses shards of other %s before it reads anything, and leaves them and earlier results",
    async (_, options, change, reason) => {
      const { cwd } = folderWithShards();
      writeFileSync(join(cwd, "out/tracks.csv"), "earlier");
      change(cwd);
      const kept = readdirSync(join(cwd, "out/unfinished"));
      const line = await refuses([...solve, ...options, "-o", "out"], { cwd });
      expect(line).toMatch(/^rmap: out\/unfinished: has shards /);
      expect(line).toMatch(reason);
      expect(readdirSync(join(cwd, "out/unfinished"))).toEqual(kept);
      expect(readFileSync(join(cwd, "out/tracks.csv"), "utf8")).toBe("earlier");
    },
  );

  /** As another version kept it: under another name. */
  function alterSurvey(cwd: string, software: string | null): void {
    const folder = join(cwd, "out/unfinished");
    const file = join(folder, readdirSync(folder).find((name) => name.startsWith("survey-")) as string);
    const { made, ...survey } = deserialize(readFileSync(file).subarray(32));
    const content = serialize(software === null ? survey : { ...survey, made: { ...made, software } });
    rmSync(file);
    const sum = createHash("sha256").update(content).digest();
    writeFileSync(join(folder, `survey-${"0".repeat(32)}`), Buffer.concat([sum, content]));
  }

  test("takes the shards of its own command where those of another lie beside them, and says and leaves the others", async () => {
    const { cwd } = folderWithShards();
    for (const shard of ["0/1", "1/1"]) await succeeds([...solve, ...other, "--shard", shard, "-o", "out"], { cwd });
    // Options that no window depends on, and their order, make no other command.
    const options = ["--learn", "60", "--threads", "2", "--require-gap", "50", "--window", "12", "-o", "out", "-v"];
    await succeeds(["solve", "d.csv", ...options], { cwd });
    const { same, notes: said } = joined(cwd);
    expect(same).toEqual(made.whole.same);
    expect(said).toEqual(notes(10));
    expect(said.join()).toContain(
      "Not used, and left there: 10 decided windows in out/unfinished, of other options, costs,",
    );
    await succeeds([...solve, ...other, "-o", "out"], { cwd });
    expect(joined(cwd).notes).toEqual(notes(10));
    expect(joined(cwd).same.lowerBound).not.toBe(same.lowerBound);
    expect(readdirSync(join(cwd, "out"))).not.toContain("unfinished");
  });
});

test("a shard takes the first window of the next one with its costs where that has kept it, and finds no window of another's then", async () => {
  const cwd = folderWith(parent, {});
  cpSync(join(made.cwd, "d.csv"), join(cwd, "d.csv"));
  const kept = (kind: string) =>
    readdirSync(join(cwd, "out/unfinished")).filter((name) => name.startsWith(kind)).length;
  const counts: number[][] = [];
  for (const shard of ["0/3", "2/3", "1/3", "3/3"]) {
    await succeeds([...solve, "--shard", shard, "-o", "out"], { cwd });
    counts.push(["found", "border", "decided"].map(kept));
  }
  // Windows 3 … 5 are the second's, which decides 4 … 6 and finds 6 and 7 for that.
  expect(counts).toEqual([
    [0, 0, 0],
    [5, 2, 3],
    [8, 2, 7],
    [10, 2, 10],
  ]);
  await succeeds([...solve, "-o", "out"], { cwd });
  expect(results(join(cwd, "out")).same).toEqual(made.whole.same);
});

test("a shard wants a file, a folder and windows", async () => {
  const { cwd } = made;
  const refused = (...args: string[]) => refuses(["solve", ...args, "--shard", "1/2"], { cwd });
  expect(await refused("d.csv", "-o", "x")).toMatch("--shard: is for windows; give --window too");
  expect(await refused("d.csv", "--window", "12")).toMatch(/--shard: what is found is kept .*; name their folder with/);
  expect(await refused("-", "--window", "12", "-o", "x")).toMatch("--shard: a pipe can be read only once; name a file");
});
