import { describe, expect, test } from "vitest";
import { splitByBinding } from "../../src/gpu/buffers.js";
import { DeviceError } from "../../src/gpu/device-error.js";
import { buildInstance } from "../../src/map/build.js";
import { createGpuMemory, GPU_PLANES } from "../../src/map/gpu-memory.js";
import { createGpuSteps } from "../../src/map/gpu-steps.js";
import type { PricedProblem } from "../../src/map/priced.js";
import { createAscentState } from "../../src/map/state.js";
import { useSoftwareSession } from "../gpu/software-session.js";
import { randomProblem, seconds } from "./problems.js";

/** Where triplets lie on the device: stored in one buffer or several, and what that needs. */

const session = useSoftwareSession();
const BYTES = 4;

const dense = (open: boolean): PricedProblem => randomProblem({ seed: 1, counts: new Array(8).fill(6), open });
const sparse = randomProblem({ seed: 2, counts: [8, 9, 8, 0, 9, 7, 8, 9], open: true, links: 0.8, triplets: 0.6 });

/** Everything that a few steps of each ascent leave on the device, with so many bytes of triplets a buffer. */
async function afterSteps(problem: PricedProblem, tripletBytes?: number) {
  const { instance } = buildInstance(problem);
  return await session().scoped("split", async () => {
    const options = { now: seconds, ...(tripletBytes && { tripletBytes }) };
    const steps = await createGpuSteps(session(), instance, options);
    await steps.evaluate();
    for (const parity of [0, 1] as const) await steps.visit(parity);
    const bound = await steps.evaluate();
    await steps.openBundle();
    await steps.refine(0.1);
    await steps.refineKept(0.1);
    const state = await steps.inspect();
    await steps.close();
    return { bound, state };
  });
}

async function partsOf(problem: PricedProblem, tripletBytes: number): Promise<number> {
  const { instance } = buildInstance(problem);
  const memory = await createGpuMemory(session(), instance, createAscentState(instance), tripletBytes);
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

describe("memory, as docs/gpu.md has it", () => {
  test.each([
    ["implicit", randomProblem({ seed: 3, counts: new Array(6).fill(9), storage: "absolute" })],
    ["implicit, births", randomProblem({ seed: 3, counts: [9, 7, 8, 4], open: true, storage: "square" })],
    ["stored, complete", dense(false)],
    ["stored, forbidden, births", sparse],
  ])("%s", async (_, problem) => {
    const { instance } = buildInstance(problem);
    const memory = await createGpuMemory(session(), instance, createAscentState(instance));
    const { frames, frameStart, links, edges, triplets } = instance;
    const pairs = frames - 1;
    const detections = frameStart[frames];
    const lastStart = frameStart[frames - 1];
    const listed = 2 * (detections - frameStart[1]) - (detections - lastStart) + lastStart;
    const width = triplets.kind === "implicit" ? triplets.perLink.length : 1;
    const own = 8 * edges + 4 * links + width + (2 * GPU_PLANES + 4) * detections + 2;
    const perPair = 8 + (2 + 2 * GPU_PLANES) + 1 + 2;
    expect(bytesOf(memory)).toBe(BYTES * (own + listed + perPair * pairs + 1));
    memory.destroy();
    if (triplets.kind === "implicit") {
      expect(bytesOf(memory.tracks)).toBe(BYTES * (links + 2 * detections));
      return;
    }
    const kept = triplets.start[links];
    const successors = memory.stored?.completeWidth === 0 ? kept : 1;
    expect(bytesOf(memory.stored)).toBe(BYTES * (links + 1 + edges));
    const parts = (memory.stored?.parts ?? []).map(bytesOf);
    expect(parts.reduce((sum, bytes) => sum + bytes, 0)).toBe(BYTES * (kept + successors));
  });
});

/** Of the storage buffers that an object holds itself. */
function bytesOf(holder: object | null): number {
  const buffers = Object.values(holder ?? {}).filter((value) => value instanceof GPUBuffer && value.label !== "shape");
  return buffers.reduce((sum, buffer) => sum + (buffer as GPUBuffer).size, 0);
}
