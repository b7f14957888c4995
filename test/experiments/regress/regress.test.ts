import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { compare } from "../../../src/experiments/regress/baseline.js";
import { refuses, rmap, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";

const parent = temporaryFolder();

/** A gap that stays open and tracks with errors, so that each of the numbers can be worse. */
const baseline = {
  tolerance: { bound: 1e-6, gap: 1e-4, mmep: 0.01, itcp: 0.01 },
  cases: [
    {
      name: "noisy",
      scenario: { simulation: { targets: 20, frames: 10, noise: { position: 0.4 } } },
      set: { "solve.gap": 0, "solve.iterations": 8, "solve.ascent": "rmap", seed: 3 },
    },
    { name: "easy", scenario: "s.json", set: { cost: "likelihood" } },
  ],
};
const scenario = { name: "s", simulation: { targets: 6, frames: 6 }, solve: { iterations: 50 } };

const folder = (content: object): string =>
  folderWith(parent, { "b.json": JSON.stringify(content), "s.json": JSON.stringify(scenario) });

type Expected = Record<"lowerBound" | "upperBound" | "gapPercent" | "mmep" | "itcp", number>;

/** The baseline as --update writes it. */
let updated = "";

beforeAll(async () => {
  const cwd = folder(baseline);
  await succeeds(["regress", "b.json", "--update", "--jobs", "1"], { cwd });
  updated = readFileSync(join(cwd, "b.json"), "utf8");
});

/** The recorded baseline in a folder of its own, with the numbers of its first case changed. */
function recorded(change: (expected: Expected) => void): string {
  const cwd = folder(baseline);
  const written = JSON.parse(updated);
  change(written.cases[0].expected);
  writeFileSync(join(cwd, "b.json"), JSON.stringify(written));
  return cwd;
}

test("--update records what the next run meets", async () => {
  const cwd = recorded(({ gapPercent, mmep, itcp }) => {
    expect(Math.min(gapPercent, mmep, itcp)).toBeGreaterThan(0.02);
  });
  expect(await succeeds(["regress", "b.json", "--jobs", "1"], { cwd })).toBe(
    "2 cases: 0 numbers worse, 0 better by more than the tolerance\n",
  );
  const written = JSON.parse(readFileSync(join(cwd, "b.json"), "utf8"));
  expect(written.cases.map(({ expected, ...rest }: Record<string, unknown>) => rest)).toEqual(baseline.cases);
});

/** Changes that make one number of the recorded case better than it is, each by little more than its tolerance. */
const WORSENINGS: readonly (readonly [string, (recorded: Expected) => void])[] = [
  [
    "lower bound",
    (e) => {
      e.lowerBound *= 1 + 3e-6;
    },
  ],
  [
    "tracks",
    (e) => {
      e.upperBound *= 1 - 3e-6;
    },
  ],
  [
    "gap",
    (e) => {
      e.gapPercent -= 2e-4;
    },
  ],
  [
    "MMEP",
    (e) => {
      e.mmep -= 0.02;
    },
  ],
  [
    "ITCP",
    (e) => {
      e.itcp -= 0.02;
    },
  ],
];

test.each(WORSENINGS)("a worsening of %s alone is found", (quantity, change) => {
  const now = JSON.parse(updated).cases[0].expected;
  const before = structuredClone(now);
  change(before);
  expect(compare(before, now, baseline.tolerance)).toMatchObject([{ quantity, worse: true }]);
  expect(compare(now, now, baseline.tolerance)).toEqual([]);
});

test("worsenings are code 3, and the case, the numbers, and both values of each are said", async () => {
  const cwd = recorded((expected) => {
    for (const [, change] of WORSENINGS) change(expected);
  });
  const { code, stdout, stderr } = await rmap(["regress", "b.json", "--jobs", "1"], { cwd });
  expect({ code, stderr }).toEqual({ code: 3, stderr: "rmap: 1 of 2 cases are worse than b.json records\n" });
  for (const [quantity] of WORSENINGS) {
    expect(stdout).toMatch(new RegExp(`noisy +${quantity} +[\\d.]+ +[\\d.]+ +[\\d.]+ +WORSE`));
  }
  expect(stdout).toMatch(/2 cases: 5 numbers worse, 0 better/);
});

test("what became better, or moved by less than the tolerance, passes", async () => {
  const cwd = recorded((expected) => {
    expected.mmep += 1;
    expected.lowerBound *= 1 + 1e-7;
  });
  expect(await succeeds(["regress", "b.json", "--jobs", "1"], { cwd })).toMatch(
    /MMEP.*better\n.*0 numbers worse, 1 better by more than the tolerance; --update/s,
  );
});

test("who is whose daughter is scored as evaluate scores it, and a worsening is found", async () => {
  const rows = readFileSync(join(import.meta.dirname, "../../../scenarios/cells.csv"), "utf8").split("\n");
  const cells = "cells.csv";
  const dividing = {
    tolerance: { bound: 1e-6, gap: 1e-4, divisionF1: 0.01, tra: 0.01 },
    cases: [{ name: "cells", scenario: { detections: { file: cells, velocities: "estimate" } } }],
  };
  const cwd = folder(dividing);
  writeFileSync(join(cwd, cells), rows.filter((row) => !(Number.parseInt(row, 10) >= 16)).join("\n"));
  await succeeds(["regress", "b.json", "--update", "--jobs", "1"], { cwd });
  const written = JSON.parse(readFileSync(join(cwd, "b.json"), "utf8"));
  const { expected } = written.cases[0];
  await succeeds(["solve", cells, "--device", "cpu", "--threads", "1", "-o", "out"], { cwd });
  const evaluated = JSON.parse(await succeeds(["evaluate", cells, join("out", "tracks.csv"), "--json"], { cwd }));
  expect(expected).toMatchObject({ divisionF1: evaluated.lineages.divisionF1, tra: evaluated.lineages.tra });
  expect(expected.divisionF1).toBeGreaterThan(0);
  for (const [key, quantity] of [
    ["divisionF1", "div. F1"],
    ["tra", "TRA"],
  ] as const) {
    const before = { ...expected, [key]: expected[key] + 0.02 };
    expect(compare(before, expected, written.tolerance)).toMatchObject([{ quantity, worse: true }]);
  }
});

test("a case that fails now is worse, and is not recorded", async () => {
  const cwd = recorded(() => {});
  writeFileSync(join(cwd, "s.json"), JSON.stringify({ ...scenario, gate: { epsilon: 0.1 } }));
  const { code, stdout } = await rmap(["regress", "b.json", "--jobs", "1"], { cwd });
  expect(code).toBe(3);
  expect(stdout).toMatch(/easy +status +\S+ +failed +– +WORSE/);
  expect(stdout).toMatch(/easy: frame pair/);
  const before = readFileSync(join(cwd, "b.json"), "utf8");
  expect(await refuses(["regress", "b.json", "--update", "--jobs", "1"], { cwd })).toMatch(
    /case easy failed and is not recorded: frame pair/,
  );
  expect(readFileSync(join(cwd, "b.json"), "utf8")).toBe(before);
});

test("a bad baseline is refused", async () => {
  const bad = (change: object) => refuses(["regress", "b.json"], { cwd: folder({ ...baseline, ...change }) });
  const [noisy] = baseline.cases;
  expect(await bad({})).toMatch(/nothing is recorded of case noisy; record it with --update/);
  expect(await bad({ cases: [noisy, noisy] })).toMatch(/cases\[1\]\.name: .*is the name of case 0 already/);
  expect(await bad({ cases: [{ ...noisy, set: { cots: "spline" } }] })).toMatch(/cases\[0\]\.set\.cots: is no field/);
  expect(await bad({ cases: [{ ...noisy, set: { cost: "splin" } }] })).toMatch(
    /cases\[0\]\.set\.cost: is "splin"; .*"spline"/,
  );
  expect(await bad({ cases: [{ ...noisy, set: { "solve.time": 3 } }] })).toMatch(
    /cases\[0\]: stops by time; state solve.iterations/,
  );
  expect(await bad({ tolerance: {} })).toMatch(/tolerance\.bound: is missing; give a number/);
});
