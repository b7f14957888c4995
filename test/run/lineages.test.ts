import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../src/core/random.js";
import { solve } from "../../src/index.js";
import { rmap } from "../cli/rmap.js";
import { folderWith, temporaryFolder } from "../formats/support.js";

const parent = temporaryFolder();

/** Twenty-four cells that hardly move, in a plane or in space, of which every second one divides after its sixth frame, and the first after its first; a table with mothers. */
function colony(inSpace: boolean): string {
  const random = randomStreams(5).next().value;
  const rows = [`frame,x,y,${inSpace ? "z," : ""}target,parent`];
  const cells = Array.from({ length: 24 }, (_, n) => ({
    at: [30 * (n % 8), 30 * Math.floor(n / 8), 10].map((x) => x + random.normal()),
    way: [random.normal(), random.normal(), inSpace ? random.normal() : 0],
    divides: n === 0 ? 1 : n % 2 === 0 ? 6 : 99,
  }));
  const far = (way: readonly number[]) => 4 / Math.hypot(...way);
  for (let p = 0; p < 12; p++) {
    for (const [n, { at, way, divides }] of cells.entries()) {
      for (const side of p < divides ? [0] : [1, -1]) {
        const place = at.map((x, axis) => x + side * far(way) * way[axis] + 0.3 * random.normal());
        const names = side === 0 ? [n, ""] : [100 * (1.5 + side / 2) + n, n];
        rows.push([p, ...place.slice(0, inSpace ? 3 : 2), ...names].join());
      }
    }
  }
  return `${rows.join("\n")}\n`;
}

async function succeeds(args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await rmap(args, { cwd });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

test("where a mother ends is as sure as the less sure of her daughters, of which triplets may fix one", async () => {
  const one = { frame: [1], i: [0] };
  const { margins, lowerBound } = await solve({
    counts: [1, 1, 2],
    pairs: { frame: [0, 1, 1], i: [0, 0, 0], j: [0, 0, 1], cost: [-5, -5, -5] },
    triplets: { frame: [0], i: [0], j: [0], k: [0], cost: [-10] },
    divisions: { ...one, cost: [7.9] },
    ...{ birth: 3, death: 3, absentTriplets: "free" },
  });
  // Without the division the second daughter begins for 0.1 more.
  expect(lowerBound).toBeCloseTo(-17.1, 9);
  expect(margins?.death?.[1]).toBeCloseTo(0.1, 9);
  expect(margins?.birth?.[3]).toBeCloseTo(0.1, 9);
});

describe.each([
  ["in a plane", false],
  ["in space", true],
])("cells that divide %s", (_, inSpace) => {
  const cwd = folderWith(parent, { "cells.csv": colony(inSpace) });
  const solve = ["solve", "cells.csv", "--threads", "1", "--device", "cpu", "--gap", "0"];

  test("have their mothers in the optimum, which a proof shows, and margins", async () => {
    const row = JSON.parse(await succeeds([...solve, "-o", "out", "--json"], cwd));
    expect(row.status).toBe("optimal");
    expect(row.tracks.divisions).toBe(12);
    const scores = JSON.parse(await succeeds(["evaluate", "cells.csv", "out/tracks.csv", "--json"], cwd));
    expect(scores.lineages).toMatchObject({ divisionPrecision: 100, divisionRecall: 100, tra: 100 });
    const required = ["evaluate", "cells.csv", "out/tracks.csv", "--require"];
    await succeeds([...required, "tra=100", "--require", "divisionF1=100"], cwd);
    expect(await rmap([...required, "LNK=100.5"], { cwd })).toMatchObject({
      code: 3,
      stderr: "rmap: LNK is 100.00 %, required ≥ 100.5\n",
    });
    // The first cell's mother is a track of one detection.
    expect(scores.idf1).toBeGreaterThan(99.8);
    expect(await succeeds(["check", "out/proof.json", "cells.csv"], cwd)).toContain("the tracks are optimal");
    const [names, ...lines] = readFileSync(join(cwd, "out/tracks.csv"), "utf8").trim().split("\n");
    const cells = lines.map((line) =>
      Object.fromEntries(line.split(",").map((cell, n) => [names.split(",")[n], cell])),
    );
    const margins = cells
      .filter((row) => row.parent !== "" && row.start_margin !== "")
      .map((row) => Number(row.start_margin));
    expect(margins).toHaveLength(24);
    expect(Math.min(...margins)).toBeGreaterThan(0);
  });

  test("have the same mothers in windows, which a shard decides and the join reads", async () => {
    const windows = ["solve", "cells.csv", "--threads", "1", "--gap", "0.01", "--window", "4", "-o", "windows"];
    await succeeds([...windows, "--shard", "1/1"], cwd);
    const row = JSON.parse(await succeeds([...windows, "--json"], cwd));
    expect(row.tracks.divisions).toBe(12);
    const tracks = ["out", "windows"].map((folder) => {
      const [names, ...lines] = readFileSync(join(cwd, folder, "tracks.csv"), "utf8")
        .trim()
        .split("\n");
      const columns = ["frame", "detection", "track", "parent"].map((name) => names.split(",").indexOf(name));
      return lines.map((line) => columns.map((column) => line.split(",")[column]).join());
    });
    expect(tracks[1]).toEqual(tracks[0]);
  });

  test("have none by --divisions none", async () => {
    const { tracks } = JSON.parse(await succeeds([...solve, "--divisions", "none", "--json"], cwd));
    expect(tracks.divisions).toBeUndefined();
  });

  test("are an integer program with a row for each that may", async () => {
    await succeeds(["model", "cells.csv", "-o", "cells.lp"], cwd);
    expect(readFileSync(join(cwd, "cells.lp"), "utf8").match(/^ division\d+:/gm)?.length).toBeGreaterThanOrEqual(12);
  });
});

test("links that are required stay on a track, and forbidden ones are no daughters'", async () => {
  const cwd = folderWith(parent, {
    "cells.csv": colony(false),
    "links.csv": "frame,i,j,link\n5,3,3,required\n5,5,6,forbidden\n",
  });
  const run = ["solve", "cells.csv", "--device", "cpu", "--links", "links.csv", "-o", "out"];
  await succeeds(run, cwd);
  await succeeds(["check", "out/proof.json", "cells.csv", "--links", "links.csv"], cwd);
});

test("shards find the divisions of one process, at the same cost", async () => {
  const cwd = folderWith(parent, { "cells.csv": colony(false) });
  const on = ["solve", "cells.csv", "--device", "cpu", "--threads", "2", "--divisions", "auto", "--json"];
  const alone = JSON.parse(await succeeds(on, cwd));
  const shared = JSON.parse(await succeeds([...on, "--shards", "2", "-o", "out"], cwd));
  expect(shared.tracks).toEqual(alone.tracks);
  expect(shared.tracks.divisions).toBe(12);
  expect(shared.upperBound).toBeCloseTo(alone.upperBound, 9);
  await succeeds(["check", "out/proof.json", "cells.csv"], cwd);
});

test.each(["3", "7"])("targets that come back beside others after misses do not divide: seed %s", async (seed) => {
  const { code, stdout } = await rmap(["solve", "scenarios/faults.json", "--seed", seed, "-q"], { cwd: process.cwd() });
  expect({ code, divides: /\d+ divide/.test(stdout) }).toEqual({ code: 0, divides: false });
  expect(stdout).toMatch(/^ {2}tracks /m);
});
