import { describe, expect, test, vi } from "vitest";
import { splitByBinding } from "../../../src/gpu/buffers.js";
import { DeviceError } from "../../../src/gpu/device-error.js";
import { PLANES } from "../../../src/map/dual/proximal-step.js";
import { createGpuMemory } from "../../../src/map/gpu/gpu-memory.js";
import { createGpuSteps } from "../../../src/map/gpu/gpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { randomProblem, seconds } from "../problems.js";
import { inspected } from "./gpu-state.js";

/** Where triplets lie on the device: stored in one buffer or several, and what that needs. */

const session = useSoftwareSession();
const BYTES = 4;

const dense = (births: boolean): PricedProblem => randomProblem({ seed: 1, counts: new Array(8).fill(6), births });
const sparse = randomProblem({ seed: 2, counts: [8, 9, 8, 0, 9, 7, 8, 9], births: true, links: 0.8, triplets: 0.6 });

/** Everything that a few steps of each ascent leave on the device, with so many bytes of triplets a buffer. */
async function afterSteps(problem: PricedProblem, tripletBytes?: number) {
  const { graph } = buildGraph(problem);
  return await session().scoped("split", async () => {
    const options = { now: seconds, ...(tripletBytes && { tripletBytes }) };
    const steps = inspected(session(), await createGpuSteps(session(), graph, options));
    await steps.evaluate();
    for (const parity of [0, 1] as const) await steps.visit(parity);
    const bound = await steps.evaluate();
    await steps.beginBundle();
    await steps.refine(0.1);
    await steps.refineKept(0.1);
    const state = await steps.inspect();
    await steps.close();
    return { bound, state };
  });
}

async function partsOf(problem: PricedProblem, tripletBytes: number): Promise<number> {
  const { graph } = buildGraph(problem);
  const memory = await createGpuMemory(session(), graph, { tripletBytes });
  memory.destroy();
  return memory.stored?.parts.length ?? 0;
}

describe("stored triplets beyond one binding", () => {
  test.each([
    ["complete", dense(false), 2 * 6 ** 3],
    ["complete, with births", dense(true), 2 * 6 * 6 * 7],
    ["forbidden, with births and an empty frame", sparse, 450],
  ])("%s: the same to the last bit in three buffers or more", async (_, problem, most) => {
    expect(await partsOf(problem, BYTES * most)).toBeGreaterThanOrEqual(3);
    expect(await afterSteps(problem, BYTES * most)).toEqual(await afterSteps(problem));
  });

  test("a frame pair larger than a binding is refused with the remedy", async () => {
    await expect(afterSteps(dense(false), BYTES * 200)).rejects.toThrow(DeviceError);
    await expect(afterSteps(dense(false), BYTES * 200)).rejects.toThrow(/frame pair 0 needs 216 .*--triplets implicit/);
    expect(() => splitByBinding(session(), "piece", [3], 8)).toThrow(/piece 0 needs 3 .* binds 2/);
  });
});

describe.each(["block-hungarian", "sparse"] as const)("memory with %s X-LAPs, as lab/notes/gpu.md has it", (xLaps) => {
  test.each([
    ["implicit", randomProblem({ seed: 3, counts: new Array(6).fill(9), storage: "absolute" })],
    ["implicit, births", randomProblem({ seed: 3, counts: [9, 7, 8, 4], births: true, storage: "square" })],
    ["stored, complete", dense(false)],
    ["stored, complete, births", dense(true)],
    ["stored, forbidden, births", sparse],
  ])("%s", async (_, problem) => {
    const { graph } = buildGraph(problem);
    const made = vi.spyOn(session().device, "createBuffer");
    const memory = await createGpuMemory(session(), graph, { xLaps });
    const sizes = made.mock.calls.map(([{ size, usage }]) => (usage & GPUBufferUsage.STORAGE ? size : 0));
    made.mockRestore();
    memory.destroy();

    const { frames, frameStart, deathStart, inEdge, links, edges, triplets } = graph;
    // Each is small enough for one chunk and one block.
    const pairs = frames - 1;
    const detections = frameStart[frames];
    const rows = frameStart[frames - 1];
    const columns = detections - frameStart[1];
    const inner = rows - frameStart[1];
    let matrices = 0;
    for (let p = 0; p < pairs; p++) {
      const next = frameStart[p + 2] - frameStart[p + 1];
      matrices += (frameStart[p + 1] - frameStart[p]) * 4 * Math.ceil(next / 4);
    }
    // A number of the costs up to the last link has a place.
    const places = deathStart[pairs - 1];
    const batch =
      xLaps === "sparse"
        ? places + (edges > links ? links : 0) + 11 * rows + 10 * columns + 12 * pairs
        : matrices + places + 3 * rows + 2 * columns + 11 * pairs + 1;
    const lists = columns + inner + rows;
    const words = 11 * edges + inEdge.length + (2 * PLANES + 7) * detections + lists + (46 + PLANES) * pairs + 2;
    const keptDuals = rows + columns;
    const state = words + keptDuals;
    let held: number;
    if (triplets.kind === "implicit") held = triplets.perEdge.length + edges + 2 * detections + 3 * rows + 2 * columns;
    else {
      const { count } = triplets;
      held = 1 + (edges + 1) + edges + count + (memory.stored?.completeWidth === 0 ? count : 1);
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(BYTES * (state + batch + held));
  });
});
