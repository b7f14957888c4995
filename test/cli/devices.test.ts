import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { bruteForce, exactly } from "../../lab/truth/tracks.js";
import { priceDetections } from "../../src/costs/price-detections.js";
import { findAdapter } from "../../src/gpu/adapter.js";
import { resultRow } from "../../src/rows/results.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { temporaryFolder } from "../formats/support.js";
import { type Call, onlyObject, refuses, rmap, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const tiny = join(scenarios, "tiny.json");
const hasGpu = (await findAdapter("auto")) !== null;

describe("rmap devices", () => {
  test.concurrent("--json lists the adapters and what auto takes", async () => {
    const { auto, devices } = onlyObject(await succeeds(["devices", "--json"])) as {
      auto: string;
      devices: Record<string, unknown>[];
    };
    expect(devices.find((device) => device.kind === "software")).toMatchObject({
      name: expect.any(String),
      backend: "vulkan",
      driver: expect.stringMatching(/SwiftShader/),
      features: expect.arrayContaining(["subgroups"]),
      maxBindingBytes: expect.any(Number),
      maxWorkgroupBytes: expect.any(Number),
      maxWorkgroupThreads: expect.any(Number),
      subgroup: [expect.any(Number), expect.any(Number)],
    });
    expect(auto).toBe(devices.find((device) => device.kind === "gpu")?.name ?? "cpu");
  });

  test.concurrent("says the same for people", async () => {
    const text = await succeeds(["devices"]);
    expect(text).toMatch(/^software {2}\S.*\(vulkan, /m);
    expect(text).toMatch(/^cpu .*f64/m);
    expect(text).toMatch(/^--device auto takes: \S/m);
  });
});

describe("rmap devices --for", () => {
  test.concurrent("says what a solve takes on each device", async () => {
    const args = ["devices", "--for", join(scenarios, "demo.json"), "--threads", "2"];
    const { auto, expected } = onlyObject(await succeeds([...args, "--json"])) as Record<string, never>;
    const seconds = expect.any(Number);
    expect(expected).toMatchObject({
      ...{ detections: 1200, edges: 6013, triplets: 66540 },
      cpu: { seconds, threads: 2, storage: "implicit" },
      gpu: { seconds, storage: "implicit" },
    });
    expect(auto).toBe("cpu");
    const text = await succeeds(args);
    expect(text).toMatch(
      /1200 detections, 6013 edges, 66540 triplets\n {2}on the CPU +about \d.* s with 2 threads and \d+ MiB of memory, triplets computed\n/,
    );
    expect(text).toMatch(
      /^ {2}on a GPU +about \d.* s, 1 MiB of its memory and \d+ MiB of the host's, triplets computed$/m,
    );
  });

  test.concurrent("refuses what solve refuses", async () => {
    const line = await refuses(["devices", "--for", join(scenarios, "demo.json"), "--max-gap", "1"]);
    expect(line).toMatch(/^rmap: --max-gap: cost likelihood links consecutive frames alone/);
  });
});

describe("rmap solve --device", () => {
  test.concurrent("software: the CPU's tracks, a certificate, an end with code 0", async () => {
    const [software, cpu] = ["software", "cpu"].map((device) => ({ device, folder: join(parent, device) }));
    const rows = await Promise.all(
      [software, cpu].map(async ({ device, folder }) => {
        // Only a device can keep a program from its end.
        const call: Call = device === "software" ? { alone: true } : {};
        const args = ["solve", tiny, "--device", device, "--json", "-o", folder];
        return resultRow.parse(onlyObject(await succeeds(args, call)));
      }),
    );
    expect(rows[0]).toMatchObject({ device: { requested: "software" }, precision: "f32" });
    // Five detections a frame have no more than five links each.
    expect([rows[0].xLaps, rows[1].xLaps]).toEqual([{ sparse: 5, blockHungarian: 0 }, undefined]);
    expect(rows[0].device.actual).toMatch(/swiftshader/i);
    expect(rows[1]).toMatchObject({ device: { requested: "cpu", actual: "cpu" }, precision: "f64" });
    expect(rows[0].upperBound).toBe(rows[1].upperBound);
    expect(rows[0].lowerBound).toBeLessThanOrEqual(rows[1].upperBound as number);
    expect(rows[0].gapPercent).toBeLessThanOrEqual(0.01);
    const [ofSoftware, ofCpu] = [software, cpu].map(({ folder }) =>
      readFileSync(join(folder, "tracks.csv"), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => line.split(",")),
    );
    const without = (rows: string[][]) => rows.map((row) => row.slice(0, -1));
    expect(without(ofSoftware)).toEqual(without(ofCpu));
    // Margins are bounds that follow from the multipliers, of which many are optimal: each device proves what is true, and here of all
    // links that they are in the only optimal set of tracks.
    const problem = await priceDetections(
      simulate({ targets: 5, frames: 6 }, 1),
      { cost: "spline", gate: { epsilon: 5 }, birthDeath: "none" },
      { threads: 1 },
    );
    const optimum = bruteForce(problem)?.exact ?? 0n;
    let finite = 0;
    for (const row of ofCpu.slice(1)) {
      const [frame, detection, track] = row.slice(0, 3).map(Number);
      if (frame === 5) continue;
      const next = Number(ofCpu.find((other) => other[0] === `${frame + 1}` && Number(other[2]) === track)?.[1]);
      const others = bruteForce(problem, (pair, matching) => pair !== frame || matching[detection] !== next);
      for (const rows of [ofSoftware, ofCpu]) {
        const margin = Number(rows.find(([p, d]) => Number(p) === frame && Number(d) === detection)?.at(-1));
        expect(margin).toBeGreaterThan(0);
        if (others === null) expect(margin).toBe(Infinity);
        else expect(exactly(margin) <= others.exact - optimum, `${frame}, ${detection}: ${margin}`).toBe(true);
        if (margin < Infinity) finite++;
      }
    }
    expect(finite).toBeGreaterThan(20);
  });

  test.concurrent("software, stored triplets, births, profiling: code 0, a bound below the tracks' cost", async () => {
    const limits = ["--iterations", "3", "--gap", "0", "--profile"];
    const options = ["--triplets", "csr", "--births", "2,3", "--x-laps", "block-hungarian", ...limits];
    const row = resultRow.parse(
      onlyObject(await succeeds(["solve", tiny, "--device", "software", "--json", ...options], { alone: true })),
    );
    expect(row.lowerBound).toBeLessThanOrEqual(row.upperBound as number);
    expect(row).toMatchObject({ storage: "csr", precision: "f32", xLaps: { sparse: 0, blockHungarian: 5 } });
  });

  test.concurrent("auto takes a GPU or the CPU, never a software adapter", async () => {
    const row = resultRow.parse(onlyObject(await succeeds(["solve", tiny, "--json"])));
    expect(row.device.requested).toBe("auto");
    if (!hasGpu) expect(row.device.actual).toBe("cpu");
    expect(row.device.actual).not.toMatch(/swiftshader/i);
  });

  test.concurrent("gpu: used where there is one, else code 2 and one line with what to do", async () => {
    const args = ["solve", tiny, "--device", "gpu", "--json"];
    if (hasGpu) expect(await rmap(args)).toMatchObject({ code: 0, stderr: "" });
    else expect(await refuses(args)).toMatch(/no GPU found: .*"rmap devices".*--device cpu/);
  });
});

test("a device lost on the way ends with one line, what to do, and code 1", async () => {
  // The program with its device destroyed behind its back after the third readback.
  const script = `
    const { GpuSession } = await import("./dist/gpu/session.js");
    const { takeStaging } = GpuSession.prototype;
    let readbacks = 0;
    GpuSession.prototype.takeStaging = function (size) {
      if (++readbacks === 3) this.device.destroy();
      return takeStaging.call(this, size);
    };
    const { runProgram } = await import("./dist/cli/program.js");
    await runProgram(["solve", ${JSON.stringify(tiny)}, "--device", "software", "--ascent", "polyak", "--gap", "0"]);
  `;
  const node = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 30_000,
  });
  const { code, stderr, stdout } = await node.then(
    () => ({ code: 0, stderr: "", stdout: "" }),
    (error: { code: number; stderr: string; stdout: string }) => error,
  );
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^rmap: \S+ was lost \(.*\): run again, .* or on the CPU\n$/);
});
