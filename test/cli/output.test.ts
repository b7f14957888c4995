import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type ResultRow, readRows, resultRow } from "../../src/rows/results.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { onlyObject, rmap, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const tiny = join(scenarios, "tiny.json");

/** The fields that scripts may count on (issue 2, point 7). */
const promised = [
  ..."status lowerBound upperBound gapPercent iterations ascent device frames detections edges triplets scores".split(
    " ",
  ),
  ..."times seed version".split(" "),
];

async function solve(args: readonly string[], cwd?: string): Promise<ResultRow> {
  const printed = onlyObject(
    await succeeds(["solve", "--device", "cpu", ...args, "--json"], cwd === undefined ? {} : { cwd }),
  );
  expect(Object.keys(printed)).toEqual(expect.arrayContaining(promised));
  const row = resultRow.parse(printed);
  expect(row.lowerBound).toBeLessThanOrEqual(row.upperBound as number);
  expect(row.device).toEqual({ requested: "cpu", actual: "cpu" });
  const phases = ["generate", "price", "xLap", "yLsap", "distribution", "update", "feasibleTracks", "certificate"];
  expect(Object.keys(row.times)).toEqual(expect.arrayContaining([...phases, "total"]));
  return row;
}

/** A .npy file of f8 rows, as numpy.save writes it. */
function npy(rows: readonly (readonly number[])[]): Buffer {
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows.length}, ${rows[0].length}), }`;
  const text = `${header.padEnd(117)}\n`;
  const head = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, text.length, 0]);
  return Buffer.concat([head, Buffer.from(text), Buffer.from(Float64Array.from(rows.flat()).buffer)]);
}

const pairs = [0, 1].flatMap((p) => [0, 1].flatMap((i) => [0, 1].map((j) => [p, i, j, i === j ? 2 : 1])));
const triplets = [0, 1].flatMap((i) => [0, 1].flatMap((j) => [0, 1].map((k) => [0, i, j, k, i === k ? 0.25 : 3])));
const table = (header: string, rows: readonly (readonly number[])[]) => [header, ...rows, ""].join("\n");

describe("rmap solve --json prints one object with every promised field", () => {
  test("of a scenario", async () => {
    const row = await solve([tiny, "--seed", "7"]);
    expect(row).toMatchObject({ name: "tiny", frames: 6, detections: 30, seed: 7, ascent: "bundle" });
    expect(row.scores).not.toBeNull();
    expect(row.scenario).toMatchObject({ source: { kind: "simulation", targets: 5 }, pricing: { cost: "spline" } });
  });

  test("of a recording, with what was chosen and estimated", async () => {
    const detections = "frame,x,y\n0,0,0\n0,9,9\n1,1,0\n1,9,8\n";
    const row = await solve(["a.csv", "--births", "9,9.5"], folderWith(parent, { "a.csv": detections }));
    expect(row).toMatchObject({ name: "a", frames: 2, detections: 4, scores: null, seed: null });
    expect(row.choices?.motion).toMatch(/^positions alone, pass 4: links about the drift/);
    expect(row.choices?.ends).toMatch(/^starts cost 9, ends 9.5 as stated; /);
    expect(row.estimates?.join("\n")).toMatch(/Too few links/s);
    expect(row.scenario).toMatchObject({ pricing: { births: { birth: 9, death: 9.5 } } });
  });

  test("of an instance, from CSV and from NumPy arrays alike", async () => {
    const csv = folderWith(parent, {
      "pairs.csv": table("frame,i,j,cost", pairs),
      "triplets.csv": table("frame,i,j,k,cost", triplets),
    });
    const arrays = folderWith(parent, { "pairs.npy": npy(pairs), "triplets.npy": npy(triplets) });
    const [one, other] = [await solve([csv]), await solve([arrays])];
    // Crossing twice: 4 links of cost 1, 2 triplets of cost 0.25.
    expect(one).toMatchObject({ status: "optimal", frames: 3, edges: 8, triplets: 8, scores: null });
    expect(one.upperBound).toBeCloseTo(4.5, 12);
    expect([other.lowerBound, other.upperBound]).toEqual([one.lowerBound, one.upperBound]);
    const written = folderWith(parent, {});
    await solve([csv, "-o", written]);
    expect(readFileSync(join(written, "tracks.csv"), "utf8").split("\n")[1]).toMatch(
      /^0,0,\d+,,,(-?[\d.e+-]+|Infinity)$/,
    );
    expect(elementsOf(readFileSync(join(written, "tracks.svg"), "utf8"))).toContain("svg");
  });

  test.each(["authors", "uniform"])("of the %s generator", async (kind) => {
    const scenario = { name: "g", generator: { kind, targets: 6, frames: 5 }, seed: 3 };
    const row = await solve(["g.json"], folderWith(parent, { "g.json": JSON.stringify(scenario) }));
    expect(row).toMatchObject({ frames: 5, detections: 30, edges: 4 * 36, triplets: 3 * 216, seed: 3 });
    expect(row.scores === null).toBe(kind === "uniform");
  });
});

/** Names of an XML document's elements; fails where it is not well-formed. */
function elementsOf(xml: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  const tag = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g;
  for (const [, closes, name, , empty] of xml.matchAll(tag)) {
    if (closes) expect(open.pop()).toBe(name);
    else {
      names.push(name);
      if (!empty) open.push(name);
    }
  }
  expect(open).toEqual([]);
  const text = xml.replace(/^<\?xml[^>]*\?>/, "").replace(tag, "");
  expect(text).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|apos|#\d+);)/);
  return names;
}

describe("rmap solve -o", () => {
  let folder = "";
  let row: ResultRow;
  const file = (name: string) => readFileSync(join(folder, "out", name), "utf8");
  const rowsOf = (name: string) => file(name).trimEnd().split("\n");

  beforeAll(async () => {
    folder = folderWith(parent, {
      "s.json": JSON.stringify({ name: "a <b> & 'c'", simulation: { targets: 20, frames: 15, spread: 0.5 }, seed: 2 }),
    });
    row = await solve(["s.json", "-o", "out", "--gap", "0", "--append", "rows/all.jsonl"], folder);
    await solve(["s.json", "--append", "rows/all.jsonl"], folder);
    await succeeds(["simulate", "s.json", "-o", "d.csv"], { cwd: folder });
  });

  test("result.json and the appended rows are what --json prints", () => {
    expect(JSON.parse(file("result.json"))).toEqual(row);
    const rows = readRows(join(folder, "rows/all.jsonl"));
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual(row);
  });

  test("tracks.csv names each detection once, in order", () => {
    const [header, ...rows] = rowsOf("tracks.csv");
    expect(header).toBe("frame,detection,track,x,y,margin");
    const cells = rows.map((line) => line.split(",").map(Number));
    expect(cells.map(([frame, detection]) => 20 * frame + detection)).toEqual(rows.map((_, d) => d));
    for (let p = 0; p < 15; p++)
      expect(new Set(cells.slice(20 * p, 20 * p + 20).map(([, , track]) => track)).size).toBe(20);
  });

  test("history.csv ends where the result does, bounds closing in", () => {
    const [header, ...rows] = rowsOf("history.csv");
    expect(header).toBe("iteration,lowerBound,upperBound,seconds");
    const cells = rows.map((line) => line.split(",").map((cell) => (cell === "" ? null : Number(cell))));
    const last = cells.at(-1) as number[];
    expect(last.slice(0, 3)).toEqual([row.iterations, row.lowerBound, row.upperBound]);
    // The certificate may lie below the ascent's own bound by rounding.
    const known = cells.slice(0, -1);
    const least = (column: number) =>
      known.map((r) => r[column] ?? (column === 2 ? Number.POSITIVE_INFINITY : Number.NaN));
    expect(least(1)).toEqual(least(1).toSorted((a, b) => a - b));
    expect(least(2)).toEqual(least(2).toSorted((a, b) => b - a));
    expect(least(0)).toEqual(least(0).toSorted((a, b) => a - b));
    expect(least(3)).toEqual(least(3).toSorted((a, b) => a - b));
  });

  test("tracks.svg is well-formed and carries the name", () => {
    const svg = file("tracks.svg");
    expect(elementsOf(svg)).toContain("path");
    expect(svg).toContain("<title>a &lt;b&gt; &amp; ");
  });

  test("rmap evaluate finds the same scores in tracks.csv", async () => {
    const { links, ...scores } = onlyObject(
      await succeeds(["evaluate", "d.csv", "out/tracks.csv", "--json"], { cwd: folder }),
    );
    expect(scores).toEqual(row.scores);
    expect(links).toMatchObject({ truth: expect.any(Number), wrong: expect.any(Number) });
  });

  test("the same bytes again, and on worker threads", async () => {
    const again = await solve(["s.json", "-o", "again", "--gap", "0", "--threads", "1"], folder);
    expect(again).toMatchObject({ lowerBound: row.lowerBound, upperBound: row.upperBound, iterations: row.iterations });
    for (const name of ["tracks.csv", "tracks.svg"]) {
      expect(readFileSync(join(folder, "again", name), "utf8")).toBe(file(name));
    }
    // Large enough for the pricing and the ascent to use their threads.
    const large = {
      name: "l",
      simulation: { targets: 60, frames: 24 },
      gate: "none",
      solve: { iterations: 6, gap: 0 },
    };
    writeFileSync(join(folder, "l.json"), JSON.stringify(large));
    const rows = await Promise.all(
      ["1", "2", "3"].map((n) => solve(["l.json", "-o", `l${n}`, "--threads", n], folder)),
    );
    for (const [n, one] of rows.entries()) {
      const { lowerBound, upperBound, iterations, scores } = rows[0];
      expect(one).toMatchObject({ lowerBound, upperBound, iterations, scores, threads: n + 1 });
      const tracks = (which: number) => readFileSync(join(folder, `l${which}`, "tracks.csv"), "utf8");
      expect(tracks(n + 1)).toBe(tracks(1));
    }
  });
});

describe("a scenario solved directly and by way of its detections CSV", () => {
  test.each([
    { cost: "spline", seed: "1", velocity: "0" },
    { cost: "spline", seed: "2", velocity: "0.2" },
    { cost: "euclidean", seed: "3", velocity: "1.5" },
  ])("$cost, velocity noise $velocity: the same tracks and bounds", async ({ cost, seed, velocity }) => {
    const cwd = folderWith(parent, {});
    mkdirSync(join(cwd, "x"));
    const noise = { position: 0.2, velocity: Number(velocity) };
    const scenario = {
      name: "s",
      simulation: { targets: 12, frames: 12, noise },
      cost,
      births: { birth: 2, death: 3 },
    };
    writeFileSync(join(cwd, "s.json"), JSON.stringify(scenario));
    await succeeds(["simulate", "s.json", "--seed", seed, "-o", "d.csv"], { cwd });
    const direct = await solve(["s.json", "--seed", seed, "-o", "x/direct"], cwd);
    const byFile = await solve(["d.csv", "--cost", cost, "--births", "2,3", "-o", "x/file"], cwd);
    for (const field of ["edges", "triplets", "lowerBound", "upperBound", "scores"] as const) {
      expect(byFile[field], field).toEqual(direct[field]);
    }
    const tracks = (way: string) => readFileSync(join(cwd, "x", way, "tracks.csv"), "utf8");
    expect(tracks("file")).toBe(tracks("direct"));
  });
});

test("another seed is another scene, the same seed the same bytes", async () => {
  const [one, again, other] = await Promise.all(
    ["5", "5", "6"].map((seed) => succeeds(["simulate", tiny, "--seed", seed])),
  );
  expect(again).toBe(one);
  expect(other).not.toBe(one);
  const { stdout } = await rmap(["simulate", "--targets", "5", "--frames", "6", "--seed", "5"]);
  expect(stdout).toBe(one);
});
