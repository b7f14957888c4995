import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type PlannedRun, planSweep } from "../../../src/experiments/sweep/plan.js";
import { refuses, succeeds } from "../../cli/rmap.js";
import { folderWith, refusal, temporaryFolder } from "../../formats/support.js";
import { small } from "./support.js";

const parent = temporaryFolder();

const write = (sweep: object, files: Record<string, string> = {}): string =>
  join(folderWith(parent, { "s.json": JSON.stringify(sweep, null, 2), ...files }), "s.json");
const plan = (sweep: object, files?: Record<string, string>) => planSweep(write(sweep, files)).runs;
const refused = (sweep: object, files?: Record<string, string>) => refusal(() => plan(sweep, files));
const values = (runs: readonly PlannedRun[]) => runs.map((run) => run.values);

const base = { name: "b", simulation: { targets: 5, frames: 6 } };
const csv = "# dt=1\nframe,x,y,target\n0,0,0,1\n0,5,0,2\n1,1,0,1\n1,6,0,2\n2,2,0,1\n2,7,0,2\n";

describe("a grid", () => {
  test("holds every combination with every seed, the last field fastest", () => {
    const runs = plan({ name: "g", base, grid: { "simulation.targets": [3, 4], cost: ["spline"] }, seeds: [7, 9] });
    expect(values(runs)).toEqual(
      [3, 4].flatMap((targets) => [7, 9].map((seed) => ({ "simulation.targets": targets, cost: "spline", seed }))),
    );
    expect(runs[2].task.scenario).toMatchObject({ simulation: { targets: 4, frames: 6 }, cost: "spline", seed: 7 });
  });

  test("sets what the base lacks, and what stands in the way of a field makes room", () => {
    const [run] = plan({ name: "g", base: { ...base, gate: "none" }, grid: { "gate.epsilon": [2], "solve.gap": [0] } });
    expect(run.task.scenario).toMatchObject({ gate: { epsilon: 2 }, solve: { gap: 0 } });
  });

  test("varies a scenario in a file beside it, and recordings, whose text is in the task", () => {
    const scenario = JSON.stringify({ name: "r", detections: { file: "r.csv" } });
    const runs = plan(
      { name: "g", base: "r.json", grid: { "gate.radius": [2, 3] } },
      { "r.json": scenario, "r.csv": csv },
    );
    expect(runs.map(({ task }) => task.recording)).toEqual([csv, csv]);
    expect(JSON.stringify(runs)).not.toContain(parent);
  });
});

test.each([
  ["grid", '{"name":"g","base":{"name":"b","simulation":{"targets":3,"frames":4}},"grid":{"__proto__":[1,2]}}'],
  ["base", '{"name":"g","base":{"name":"b","simulation":{"targets":3,"frames":4},"__proto__":{}},"seeds":[1]}'],
  ["random.over", '{"name":"g","base":{"name":"b"},"random":{"samples":2,"over":{"__proto__":{"choice":[1]}}}}'],
])("__proto__ in %s does not vanish", (where, text) => {
  const file = join(folderWith(parent, { "s.json": text }), "s.json");
  expect(refusal(() => planSweep(file))).toMatch(`s.json:1, ${where}.__proto__: is not a known key; remove it`);
});

describe("a random design", () => {
  const random = {
    samples: 50,
    seed: 3,
    over: {
      "simulation.noise.position": { uniform: [0.1, 0.2] },
      "simulation.noise.velocity": { logUniform: [0.001, 1] },
      "simulation.frames": { integer: [4, 6] },
      cost: { choice: ["spline", "likelihood"] },
    },
  };

  test("is the same for the same seed, another for another; more samples keep the first ones", () => {
    const runs = plan({ name: "r", base, random });
    expect(plan({ name: "r", base, random })).toEqual(runs);
    expect(values(plan({ name: "r", base, random: { ...random, samples: 60 } })).slice(0, 50)).toEqual(values(runs));
    expect(values(plan({ name: "r", base, random: { ...random, seed: 4 } }))).not.toEqual(values(runs));
    expect(values(runs)[0]).toEqual(values(plan({ name: "r", base, random: { ...random, samples: 1 } }))[0]);
  });

  test("draws within the bounds, and all of a choice", () => {
    const runs = values(plan({ name: "r", base, random }));
    const drawn = (field: string) => runs.map((each) => each[field]);
    for (const noise of drawn("simulation.noise.position"))
      expect(0.1 <= Number(noise) && Number(noise) < 0.2).toBe(true);
    const logs = drawn("simulation.noise.velocity").map((noise) => Math.log10(Number(noise)));
    expect(Math.min(...logs)).toBeGreaterThanOrEqual(-3);
    expect(logs.filter((log) => log < -1.5).length).toBeGreaterThan(10);
    expect([...new Set(drawn("simulation.frames"))].sort()).toEqual([4, 5, 6]);
    expect(new Set(drawn("cost")).size).toBe(2);
  });

  test("holds coinciding samples once", () => {
    const over = { cost: { choice: ["spline", "likelihood"] } };
    expect(plan({ name: "r", base, random: { samples: 40, over } })).toHaveLength(2);
  });
});

describe("the key of a run", () => {
  const key = (scenario: object, files?: Record<string, string>) =>
    plan({ name: "k", base: scenario, seeds: [1] }, files)[0].task.key;

  test("is that of what is run: defaults stated or not, names, order and formatting aside", () => {
    const stated = { seed: 5, gate: { epsilon: 5 }, name: "other", simulation: { frames: 6, degree: 3, targets: 5 } };
    expect(key(stated)).toBe(key(base));
    expect(key({ ...base, solve: { gap: 0.01, iterations: 2000, ascent: "bundle" } })).toBe(key(base));
    for (const change of [
      { cost: "euclidean" },
      { solve: { gap: 0 } },
      { solve: { time: 9 } },
      { solve: { ascent: "polyak" } },
    ]) {
      expect(key({ ...base, ...change })).not.toBe(key(base));
    }
  });

  test("is that of a recording's content, not of its path", () => {
    const keyOf = (file: string, text: string) => {
      const grid = { "gate.radius": [2] };
      return plan({ name: "k", base: { name: "r", detections: { file } }, grid }, { [file]: text })[0].task.key;
    };
    expect(keyOf("a.csv", csv)).toBe(keyOf("b.csv", csv));
    expect(keyOf("a.csv", csv.replace("7,0,2", "8,0,2"))).not.toBe(keyOf("a.csv", csv));
  });

  test("is that of how a recording is read, and as it was where nothing is said of that", () => {
    const keyOf = (reading: object) => {
      const base = { name: "r", detections: { file: "a.csv", ...reading }, gate: { radius: 1 } };
      return plan({ name: "k", base, grid: { "gate.radius": [2] } }, { "a.csv": csv })[0].task.key;
    };
    const readings = [{}, { dt: 1 }, { dt: 2 }, { decimal: "point" }, { columns: { x: "y", y: "x" } }];
    expect(new Set(readings.map(keyOf)).size).toBe(readings.length);
    // As rmap made it before a scenario could say how its recording is read.
    expect(keyOf({})).toBe("8b9bba9fee4c4b70062a3951e46eb7df");
  });
});

describe("a bad sweep file names line, path, value and remedy", () => {
  const grid = (fields: object, of: object = base) => ({ name: "g", base: of, grid: fields });
  test.each([
    [{ ...grid({ cost: ["spline"] }), sede: 1 }, /s\.json:\d+, sede: is not a known key; perhaps seeds is meant/],
    [
      grid({ "simulation.target": [3] }),
      /s\.json:11, grid\.simulation\.target: is no field of a scenario; perhaps simulation\.targets/,
    ],
    [
      grid({ "simulation.targets": [3, 0] }),
      /s\.json:13, grid\.simulation\.targets\[1\]: is 0; give a number of at least 1/,
    ],
    [
      grid({ cost: ["spline", "likelyhood"] }),
      /grid\.cost\[1\]: is "likelyhood"; give "spline", "euclidean", "likelihood", "motion", .*\(perhaps "likelihood"\)/,
    ],
    [
      grid({ cost: ["spline", "spline"] }),
      /grid\.cost\[1\]: is "spline", which makes the same run as "spline"; leave one/,
    ],
    [grid({ "gate.epsilon": [5], gate: ["none"] }), /grid\.gate\.epsilon: lies within gate, which is varied too/],
    [grid({ seed: [1] }), /grid\.seed: is not varied here; give the seeds as "seeds"/],
    [grid({ cost: [] }), /grid\.cost: is \[\]; give at least 1 entries/],
    [
      grid({ cost: ["spline"] }, { name: "b", simulation: { targets: 5, frames: 1 } }),
      /s\.json:\d+, base\.simulation\.frames: is 1; give/,
    ],
    [grid({ cost: ["spline"] }, { name: "b", simulation: { targets: 5 } }), /base\.simulation\.frames: is missing/],
    [
      grid({ "simulation.frames": [1e5, 1e6] }, { name: "b", simulation: { targets: 1e4 } }),
      /targets.*; keep targets · frames at 1e8 or less/,
    ],
    [
      grid({ "simulation.degree": [3] }, { name: "b", simulation: { targets: 5, frames: 5, path: "spline" } }),
      /grid\.simulation\.degree\[0\]: is 3; leave it out/,
    ],
    [
      { ...grid({ cost: ["spline"] }), seeds: { from: 4294967295, count: 2 } },
      /seeds: .*; keep the seeds at 4294967295/,
    ],
    [{ ...grid({ cost: ["spline"] }), random: { samples: 2, over: {} } }, /random: .*; keep one of grid and random/],
    [{ name: "g", base }, /grid: is missing; give grid, random or seeds/],
    [
      { name: "g", base, random: { samples: 2, over: { cost: { choise: [1] } } } },
      /random\.over\.cost: .*; give \{"uniform"/,
    ],
    [
      { name: "g", base, random: { samples: 2, over: { "simulation.noise.position": { uniform: [0, -1] } } } },
      /position\.uniform: is \[0,-1\]; give \[least, greatest\]/,
    ],
    [
      { name: "g", base, random: { samples: 2, over: { "simulation.noise.position": { uniform: [-2, -1] } } } },
      /random\.over\.simulation\.noise\.position: is -1\.\d+; give a number of at least 0/,
    ],
    [
      {
        ...grid({ "simulation.targets": Array.from({ length: 400 }, (_, n) => n + 1) }),
        seeds: { from: 1, count: 300 },
      },
      /makes 120000 runs, more than 100000; split it/,
    ],
    [grid({ cost: ["spline"] }, { name: "b", detections: { file: "none.csv" } }), /none\.csv: there is no such file/],
  ])("%#", (sweep, words) => {
    expect(refused(sweep)).toMatch(words);
  });

  test("also where the fault is in the base's own file, or seeds have nothing to draw", () => {
    const files = { "b.json": JSON.stringify({ name: "b", simulation: { targets: 5, frames: "6" } }, null, 1) };
    expect(refused({ name: "g", base: "b.json", seeds: [1] }, files)).toMatch(
      /b\.json:5, simulation\.frames: is "6"; give a/,
    );
    const recording = { name: "g", base: { name: "r", detections: { file: "r.csv" } }, seeds: [4] };
    expect(refused(recording, { "r.csv": csv })).toMatch(
      /seeds\[0\]: is 4, and detections draw nothing; leave the seeds out/,
    );
  });
});

describe("rmap sweep", () => {
  test("--dry-run prints the runs and writes nothing", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify(small) });
    const lines = (await succeeds(["sweep", "s.json", "--dry-run", "--append", "rows.jsonl"], { cwd }))
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(12);
    expect(lines[0]).toMatch(/^[0-9a-f]{32} cost=spline gate\.epsilon=1 seed=1$/);
    const json = (await succeeds(["sweep", "s.json", "--dry-run", "--json"], { cwd })).split("\n", 1)[0];
    expect(JSON.parse(json)).toEqual({
      key: lines[0].slice(0, 32),
      values: { cost: "spline", "gate.epsilon": 1, seed: 1 },
    });
  });

  test("refuses bad usage before anything runs", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify(small) });
    expect(await refuses(["sweep", "s.json"], { cwd })).toMatch(/name one with --append/);
    writeFileSync(join(cwd, "bad.json"), JSON.stringify({ ...small, grid: { "gate.epsilon": [5, -1] } }));
    expect(await refuses(["sweep", "bad.json", "--append", "rows.jsonl"], { cwd })).toMatch(
      /grid\.gate\.epsilon\[1\]|grid\.gate/,
    );
    const queued = ["sweep", "s.json", "--append", "rows.jsonl", "--queue", "redis://127.0.0.1:1"];
    expect(await refuses(queued, { cwd })).toMatch(
      /--queue redis:\/\/127\.0\.0\.1:1: cannot be reached \(ECONNREFUSED\)/,
    );
    expect(await refuses([...queued, "--jobs", "2"], { cwd })).toMatch(/--jobs: is chosen by each worker/);
    expect(await refuses(["worker", "--queue", "http://a"], { cwd })).toMatch(/redis:\/\/HOST/);
  });
});
