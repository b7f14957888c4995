import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { solve } from "../../src/map/solve.js";
import type { ResultRow } from "../../src/rows/results.js";
import { ShardedBackend } from "../../src/run/shards/backend.js";
import { whyNoCards } from "../../src/run/shards/start.js";
import { onlyObject, refuses, succeeds } from "../cli/rmap.js";
import { temporaryFolder } from "../formats/support.js";
import { randomProblem, seconds } from "../map/problems.js";
import { shardProcesses } from "./shard-processes.js";

const folder = temporaryFolder();

test("processes on the CPU and on the software driver come to the bound of one process", async () => {
  const scenario = join(folder, "shards.json");
  writeFileSync(
    scenario,
    JSON.stringify({ name: "shards", simulation: { targets: 8, frames: 12 }, cost: "spline", births: "none", seed: 4 }),
  );
  const solved = async (...args: string[]) =>
    onlyObject(
      await succeeds(["solve", scenario, "--gap", "0", "--cuts", "none", "--iterations", "6", "--json", ...args], {
        alone: true,
      }),
    ) as unknown as ResultRow;
  const one = await solved("--device", "cpu");
  const two = await solved("--device", "cpu", "--shards", "2");
  const software = await solved("--device", "software", "--shards", "2");
  expect(two.device).toEqual({ requested: "cpu", actual: "2 × cpu" });
  expect(software.device.actual).toMatch(/^2 × .*swiftshader/i);
  expect([two.iterations, software.precision]).toEqual([one.iterations, "f32"]);
  expect(two.lowerBound).toBeCloseTo(one.lowerBound as number, 9);
  expect(software.lowerBound).toBeCloseTo(one.lowerBound as number, 3);
  expect(two.upperBound).toBe(one.upperBound);
});

test("a process that is killed ends the ascent with the certified answer so far, and the next solve has others", async () => {
  const counts = Array.from({ length: 30 }, (_, p) => 7 + (p % 3));
  const { graph } = buildGraph(randomProblem({ seed: 4, counts, births: true, storage: "absolute" }));
  const limits = { ascent: "bundle", gap: 0, time: Number.POSITIVE_INFINITY, now: seconds } as const;
  const backend = new ShardedBackend("cpu", 3, { threads: 1, now: seconds });
  try {
    const steps = await backend.createSteps(graph);
    const pids = shardProcesses();
    expect(pids).toHaveLength(3);
    const cut = await solve(graph, steps, {
      ...limits,
      iterations: 100_000,
      progress: ({ iteration }) => {
        // As Ctrl-C in a terminal does to all processes there.
        if (iteration === 6) for (const pid of pids) process.kill(pid, "SIGINT");
        if (iteration === 12) process.kill(pids[2], "SIGKILL");
      },
    });
    expect(cut).toMatchObject({ status: "stopped", loss: "shard 3 of 3 was lost (its process was ended by SIGKILL)" });
    // Of an ascent without the ties that a warm start leaves, where the order of a sum would decide how it goes on.
    const other = { ...limits, ascent: "polyak", iterations: 24 } as const;
    const whole = await solve(graph, createCpuSteps(graph, { threads: 1, now: seconds }), other);
    expect(cut.lowerBound).toBeLessThanOrEqual(whole.upperBound);
    expect(cut.tracks).not.toBeNull();
    const again = await solve(graph, await backend.createSteps(graph), other);
    expect(again.loss).toBeNull();
    expect(again.lowerBound).toBeCloseTo(whole.lowerBound, 9);
  } finally {
    await backend.close();
  }
  expect(shardProcesses()).toEqual([]);
});

test("where shards cannot have a GPU each, and with windows, one line says so", async () => {
  const solving = ["solve", join(folder, "shards.json"), "--shards", "9"];
  if (whyNoCards(9) !== null) {
    expect(await refuses([...solving, "--device", "gpu"])).toMatch(
      /^rmap: --shards 9 --device gpu: .*(device nodes|only root).*; use --device cpu or software/,
    );
  }
  expect(await refuses([...solving, "--profile"])).toMatch(/^rmap: --profile times the kernels of one process/);
  const recording = join(folder, "recording.csv");
  writeFileSync(recording, "frame,x,y\n0,1,1\n1,1,1\n");
  expect(await refuses(["solve", recording, "--window", "5", "--shards", "2"])).toMatch(/^rmap: --shards/);
});
