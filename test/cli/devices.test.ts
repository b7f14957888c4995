import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findAdapter } from "../../src/gpu/adapter.js";
import { resultRow } from "../../src/rows/results.js";
import { temporaryFolder } from "../formats/support.js";
import { onlyObject, refuses, rmap, scenarios, succeeds } from "./rmap.js";

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

describe("rmap solve --device", () => {
  test.concurrent("software: the CPU's tracks, a certificate, an end with code 0 within seconds", async () => {
    const began = performance.now();
    const [software, cpu] = ["software", "cpu"].map((device) => ({ device, folder: join(parent, device) }));
    const rows = await Promise.all(
      [software, cpu].map(async ({ device, folder }) =>
        resultRow.parse(onlyObject(await succeeds(["solve", tiny, "--device", device, "--json", "-o", folder]))),
      ),
    );
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(rows[0]).toMatchObject({ device: { requested: "software" }, precision: "f32" });
    expect(rows[0].device.actual).toMatch(/swiftshader/i);
    expect(rows[1]).toMatchObject({ device: { requested: "cpu", actual: "cpu" }, precision: "f64" });
    expect(rows[0].upperBound).toBe(rows[1].upperBound);
    expect(rows[0].lowerBound).toBeLessThanOrEqual(rows[1].upperBound as number);
    expect(rows[0].gapPercent).toBeLessThanOrEqual(0.01);
    // Margins follow from the multipliers, which a device has in f32.
    const tracks = ({ folder }: { folder: string }) =>
      readFileSync(join(folder, "tracks.csv"), "utf8").replace(/^((?:[^,\n]*,){4}[^,\n]*).*$/gm, "$1");
    expect(tracks(software)).toBe(tracks(cpu));
  });

  test.concurrent("software, stored triplets, births, profiling: code 0, a bound below the tracks' cost", async () => {
    const options = ["--triplets", "csr", "--births", "2,3", "--iterations", "3", "--gap", "0", "--profile"];
    const row = resultRow.parse(
      onlyObject(await succeeds(["solve", tiny, "--device", "software", "--json", ...options])),
    );
    expect(row.lowerBound).toBeLessThanOrEqual(row.upperBound as number);
    expect(row).toMatchObject({ storage: "csr", precision: "f32" });
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
    process.argv.push("solve", ${JSON.stringify(tiny)}, "--device", "software", "--ascent", "polyak", "--gap", "0");
    await import("./dist/cli/main.js");
  `;
  const node = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 30_000,
  });
  const { code, stderr, stdout } = await node.then(
    () => ({ code: 0, stderr: "", stdout: "" }),
    (error: { code: number; stderr: string; stdout: string }) => error,
  );
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^rmap: \S+ was lost \(.*\): run again,.* or choose --device cpu\n$/);
});
