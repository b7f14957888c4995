import { beforeAll, expect, test } from "vitest";
import { faultOfRow } from "../../../src/experiments/sweep/check-row.js";
import { planSweep } from "../../../src/experiments/sweep/plan.js";
import { openTaskRunner } from "../../../src/experiments/sweep/run-task.js";
import type { Task } from "../../../src/experiments/sweep/task.js";
import type { ResultRow } from "../../../src/rows/results.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";

const parent = temporaryFolder();
const base = { solve: { gap: 1, iterations: 40 } };
const sources = {
  simulation: { simulation: { targets: 6, frames: 5 }, births: "auto", seed: 4 },
  generator: { generator: { kind: "authors", targets: 4, frames: 4 }, seed: 9 },
  detections: { detections: { file: "r.csv" } },
  messy: { detections: { file: "m.csv", columns: { x: "rechts", y: "hoch" }, dt: 0.5, decimal: "comma" } },
  probabilities: { detections: { file: "r.csv" }, solve: { iterations: 40 } },
  belt: { belt: { materials: [{ shape: "sphere", diameter: 0.005 }], rate: 300, frames: 12 }, births: "auto" },
  failing: { simulation: { targets: 8, frames: 8 }, gate: { epsilon: 0.5 } },
};
const recording = "# dt=1\nframe,x,y\n3,0,0\n3,5,0\n4,1,0\n4,6,0\n6,3,0\n";
/** The same in UTF-16, as another program has it. */
const messy = Buffer.from("\ufefft;rechts;hoch\n3;0;0\n3;5;0\n4;1;0\n4;6;0\n6;3,125;0\n", "utf16le");

const made = new Map<string, { task: Task; row: ResultRow }>();

beforeAll(async () => {
  const runner = await openTaskRunner({ device: "cpu", threads: 1 });
  for (const [name, source] of Object.entries(sources)) {
    const sweep = { name, base: { name, ...base, ...source }, grid: { "solve.ascent": ["bundle"] } };
    const folder = folderWith(parent, { "s.json": JSON.stringify(sweep), "r.csv": recording, "m.csv": messy });
    const [{ task }] = planSweep(`${folder}/s.json`).runs;
    // As it comes back from a server.
    made.set(name, { task, row: JSON.parse(JSON.stringify(await runner.run(task))) as ResultRow });
  }
  await runner.close();
});

test.each(Object.keys(sources))("finds no fault in the row of a %s", (name) => {
  const { task, row } = made.get(name) as { task: Task; row: ResultRow };
  expect(row.status === "failed").toBe(name === "failing");
  expect(faultOfRow(row, task)).toBeNull();
});

test("a run reads a recording in UTF-16 as its scenario says", () => {
  const { task, row } = made.get("messy") as { task: Task; row: ResultRow };
  expect(task).toMatchObject({ encoded: "base64", recording: messy.toString("base64") });
  expect(row).toMatchObject({
    status: "optimal",
    detections: 5,
    reading: { encoding: "UTF-16", timeStep: 0.5, timeStepFrom: "the scenario" },
  });
  const { columns, dt, decimal } = sources.messy.detections;
  expect(row.reading?.options).toEqual({ columns, dt, decimal });
});

const lies: [name: string, change: (row: ResultRow) => object, fault: RegExp][] = [
  ["simulation", () => ({ version: "9" }), /made by rmap 9/],
  ["simulation", () => ({ revision: null }), /no revision known/],
  ["simulation", () => ({ name: "x" }), /name/],
  ["simulation", () => ({ status: "perfect" }), /status "perfect" is none/],
  ["simulation", () => ({ status: "unsolved" }), /unsolved, its tracks cost/],
  ["simulation", ({ lowerBound }) => ({ upperBound: (lowerBound ?? 0) - 1 }), /above its tracks' cost/],
  ["simulation", ({ upperBound }) => ({ lowerBound: (upperBound ?? 0) - 1 }), /its gap is/],
  ["simulation", () => ({ gapPercent: 5, status: "stalled" }), /its gap is 5 %/],
  [
    "generator",
    ({ upperBound: u }) => ({ lowerBound: (u ?? 0) - 0.1 * Math.abs(u ?? 0), gapPercent: 10, status: "gap" }),
    /status is gap at a gap of/,
  ],
  ["simulation", () => ({ frames: 6 }), /detections are 30 in 6 frames, where the input has 30 in 5/],
  ["detections", () => ({ detections: 4 }), /detections are/],
  ["messy", () => ({ detections: 4 }), /detections are/],
  ["detections", () => ({ edges: 1000 }), /1000 edges are more/],
  ["simulation", () => ({ triplets: 10_000 }), /triplets are more/],
  ["simulation", () => ({ stop: { gapPercent: 2, iterations: 40, seconds: null } }), /stop rules/],
  ["probabilities", ({ stop }) => ({ stop: { ...stop, nats: 1 } }), /stop is at 1 nats, not at 0.0025/],
  ["detections", ({ stop }) => ({ stop: { ...stop, nats: 1 } }), /stop is at 1 nats/],
  ["simulation", () => ({ ascent: "polyak" }), /ascent/],
  ["simulation", () => ({ iterations: 41 }), /41 iterations of 40/],
  ["simulation", () => ({ seed: 5 }), /seed is 5, not 4/],
  ["detections", () => ({ seed: 1 }), /seed is 1, not null/],
  ["simulation", () => ({ device: { requested: "cpu", actual: "GPU" } }), /ran on "GPU" where cpu/],
  ["simulation", () => ({ device: { requested: "gpu", actual: "cpu" } }), /ran on "cpu" where gpu/],
  ["simulation", () => ({ device: { requested: "abacus", actual: "abacus" } }), /is none/],
  ["simulation", () => ({ precision: "f32" }), /f32 on "cpu"/],
  ["simulation", () => ({ scores: { mmep: 101, itcp: 0 } }), /scores/],
  ["generator", ({ scenario }) => ({ scenario: { ...(scenario as object), source: { kind: "generator" } } }), /source/],
  ["simulation", ({ scenario }) => ({ scenario: { ...(scenario as object), pricing: null } }), /costs/],
  ["failing", () => ({ error: undefined }), /does not say why/],
  ["failing", () => ({ upperBound: 1 }), /has bounds/],
  ["failing", () => ({ scenario: {} }), /another scenario/],
];

test("a gap in nats is taken where the costs are probabilities and no gap is stated, up to its limit", () => {
  const { task, row } = made.get("probabilities") as { task: Task; row: ResultRow };
  expect(row.stop?.nats).toBe(5 * 5e-4);
  const ending = (lowerBound: number): ResultRow => ({
    ...row,
    status: "gap",
    upperBound: 1,
    lowerBound,
    gapPercent: 100 * (1 - lowerBound),
  });
  expect(faultOfRow(ending(0.998), task)).toBeNull();
  expect(faultOfRow(ending(0.997), task)).toMatch(/status is gap at a gap of/);
});

test.each(lies)("finds what is wrong with the row of a %s: $2", (name, change, fault) => {
  const { task, row } = made.get(name) as { task: Task; row: ResultRow };
  expect(faultOfRow({ ...row, ...change(row) } as ResultRow, task)).toMatch(fault);
});
