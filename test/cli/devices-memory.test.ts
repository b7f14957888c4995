import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readInput } from "../../src/formats/input.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { chooseCostFile } from "../../src/run/cost-source.js";
import { backendOn, openDevice } from "../../src/run/device.js";
import { makeProblem } from "../../src/run/problem.js";
import { temporaryFolder } from "../formats/support.js";
import { onlyObject, program, succeeds } from "./rmap.js";

const folder = temporaryFolder();
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
// More triplets than elimination examines.
const scenario = file("own.json", '{ "name": "own", "simulation": { "targets": 60, "frames": 25 }, "gate": "none" }');
const turns = "Math.log(1 + (jk.dx - ij.dx) ** 2 + (jk.dy - ij.dy) ** 2)";
const narrow = file("narrow.mjs", `export const triplet = (ij, jk) => ${turns};`);
const products = ["x_i", "y_i", "vx_i", "vy_i", "vx_j", "vy_j"].map((name) => `ij.${name} * jk.${name}`).join(" + ");
const wide = file("wide.mjs", `export const triplet = (ij, jk) => ${turns} + 1e-6 * Math.abs(${products});`);

/** What `rmap devices --for` expects on each device. */
async function expected(...args: readonly string[]) {
  const printed = onlyObject(await succeeds(["devices", "--for", scenario, "--threads", "1", "--json", ...args]));
  return printed.expected as Record<"cpu" | "gpu", { storage: string; bytes: number; deviceBytes: number }>;
}

/** Bytes of a process that solves on one thread, at its peak. */
function solved(...args: readonly string[]): number {
  // Of the process's own memory: what a process has used at most by its resources counts its parent's, from which it was forked.
  const own = "/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]";
  const peak = `data:text/javascript,import {readFileSync} from 'node:fs';process.on('exit',()=>console.error(${own}))`;
  const limits = ["--device", "cpu", "--threads", "1", "--iterations", "2", "--quiet"];
  const command = ["--import", peak, program, "solve", scenario, ...limits, ...args];
  const { stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  return 1024 * Number(/(\d+)\n$/.exec(stderr)?.[1]);
}

test.each([
  { cost: narrow, births: "none", others: [] },
  { cost: narrow, births: "2,3", others: [] },
  { cost: wide, births: "none", others: ["--triplets", "implicit"] },
])("the CPU's memory for a user's own cost is about that of a solve: births $births, $others", async (the) => {
  const args = ["--cost", the.cost, "--births", the.births, ...the.others];
  const { cpu } = await expected(...args);
  expect(cpu.storage).toBe(the.others.length === 0 ? "csr" : "implicit");
  const bytes = solved(...args);
  expect(cpu.bytes / bytes).toBeGreaterThan(0.75);
  expect(cpu.bytes / bytes).toBeLessThan(1.33);
});

test.each([narrow, wide])(
  "a GPU's memory for a user's own cost is that of its buffers, without triplets",
  async (cost) => {
    const { gpu } = await expected("--cost", cost);
    expect(gpu.storage).toBe("implicit");
    const device = await openDevice("software");
    if (device.session === null) throw new Error("no software adapter");
    const backend = backendOn(device, { threads: 1, now: () => 0 });
    const overrides = { cost: chooseCostFile(cost) };
    const { priced, linkPricing } = await makeProblem(await readInput(scenario, {}), overrides, {
      ...{ threads: 1, now: () => 0, solver: backend },
    });
    let bytes = 0;
    const create = device.session.device.createBuffer.bind(device.session.device);
    device.session.device.createBuffer = (descriptor) => {
      bytes += descriptor.size;
      return create(descriptor);
    };
    const steps = await backend.createSteps(buildGraph(priced).graph, linkPricing);
    expect(gpu.deviceBytes / bytes).toBeGreaterThan(0.8);
    expect(gpu.deviceBytes / bytes).toBeLessThan(1.25);
    await steps.close();
    await device.close();
  },
);
