import { expect, test } from "vitest";
import { createStorage, readStorage } from "../../src/gpu/buffers.js";
import { deviceBytes } from "../../src/map/gpu/gpu-bytes.js";
import { createGpuMemory } from "../../src/map/gpu/gpu-memory.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { backendOn, openBackend, openDevice } from "../../src/run/device.js";
import { expectedSeconds } from "../../src/run/speed.js";
import { randomProblem, seconds } from "../map/problems.js";

test("ascents and other work share one device, which outlives the backends on it", async () => {
  const device = await openDevice("software");
  const { session } = device;
  if (session === null) throw new Error("no software adapter");
  const { graph } = buildGraph(randomProblem({ seed: 1, counts: [4, 5, 4], births: true, storage: "absolute" }));
  const bounds: number[] = [];
  for (let k = 0; k < 2; k++) {
    const backend = backendOn(device, { threads: 1, now: seconds });
    expect(backend).toMatchObject({ requested: "software", actual: session.description.name });
    const steps = await backend.createSteps(graph);
    bounds.push(await steps.evaluate());
    await steps.close();
    await backend.close();
    const [bytes] = await readStorage(session, [createStorage(session, "other work", 3)]);
    expect(new Uint32Array(bytes)).toEqual(new Uint32Array(3));
  }
  expect(bounds[1]).toBe(bounds[0]);
  await device.close();
  expect(() => session.check()).toThrow(/was lost/);
});

test("kernels that are compiled while prices are made are those that steps need, and none is compiled twice", async () => {
  const device = await openDevice("software");
  if (device.session === null) throw new Error("no software adapter");
  const compiled: string[] = [];
  const gpu = device.session.device;
  const create = gpu.createComputePipeline.bind(gpu);
  gpu.createComputePipeline = (descriptor) => {
    compiled.push(descriptor.label ?? "");
    return create(descriptor);
  };
  const backend = backendOn(device, { threads: 1, now: seconds });
  const { graph } = buildGraph(randomProblem({ seed: 1, counts: [4, 5, 4], births: true, storage: "absolute" }));
  backend.prepare?.("absolute", 5);
  const steps = await backend.createSteps(graph);
  expect(compiled).toHaveLength(new Set(compiled).size);
  const all = compiled.length;
  await steps.close();
  const again = await backend.createSteps(graph);
  expect(compiled).toHaveLength(all);
  await again.close();
  for (const name of ["price", "augment"]) expect(compiled.some((label) => label.includes(`/${name}.wgsl`))).toBe(true);
  await device.close();
});

test("the CPU is a device without a session", async () => {
  const device = await openDevice("cpu");
  expect(device).toMatchObject({ requested: "cpu", actual: "cpu", session: null });
  await device.close();
});

test("auto takes the CPU where that is expected to be faster, and looks for a GPU elsewhere", async () => {
  const { graph } = buildGraph(randomProblem({ seed: 1, counts: [4, 5, 4], births: true, storage: "absolute" }));
  const sizes = { edges: graph.edges, triplets: graph.triplets.count, stored: 0 };
  const { cpu, gpu } = expectedSeconds(sizes, 1);
  expect(cpu).toBeLessThan(gpu);
  const backend = await openBackend("auto", { threads: 1, now: seconds });
  const steps = await backend.createSteps(graph);
  expect(backend).toMatchObject({ requested: "auto", actual: "cpu", why: undefined });
  expect(steps.precision).toBe("f64");
  await steps.close();
  await backend.close();
  const large = expectedSeconds({ edges: 1e7, triplets: 1e8, stored: 0 }, 16);
  expect(large.gpu).toBeLessThan(large.cpu);
});

test("auto computes a user's triplets where a GPU is expected to be done sooner so than the CPU with stored ones, and there is one", async () => {
  // n300-t300 and a scene of a few targets, as lab/notes/own-costs.md has them.
  const [large, small] = [
    { detections: 90_000, links: 616_778, triplets: 58_900_000 },
    { detections: 60, links: 300, triplets: 1_500 },
  ];
  const [backend, device] = [await openBackend("auto", { threads: 16, now: seconds }), await openDevice("auto")];
  expect(await backend.computesTriplets(large)).toBe(device.session !== null);
  expect(await backend.computesTriplets(small)).toBe(false);
  await device.close();
  await backend.close();
});

test("the bytes of an instance on a device are about those of its buffers", async () => {
  const { session, close } = await openDevice("software");
  if (session === null) throw new Error("no software adapter");
  let bytes = 0;
  const create = session.device.createBuffer.bind(session.device);
  session.device.createBuffer = (descriptor) => {
    bytes += descriptor.size;
    return create(descriptor);
  };
  const cases = [
    [{ seed: 2, counts: [60, 70, 65, 60], births: true, storage: "absolute" }, "sparse"],
    [{ seed: 3, counts: [30, 30, 30], births: false, storage: "csr" }, "sparse"],
    [{ seed: 4, counts: [60, 60, 60], births: false, storage: "absolute" }, "auto"],
  ] as const;
  for (const [problem, xLaps] of cases) {
    const { graph } = buildGraph(randomProblem({ ...problem, counts: [...problem.counts] }));
    bytes = 0;
    const memory = await createGpuMemory(session, graph, { xLaps });
    memory.destroy();
    const share = deviceBytes(graph, xLaps) / bytes;
    expect(share).toBeGreaterThan(0.9);
    // Complete rows need no successors, and stored triplets no X-LAPs of their own for tracks.
    expect(share).toBeLessThan(problem.storage === "csr" ? 1.8 : 1.3);
  }
  await close();
});
