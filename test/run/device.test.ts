import { expect, test } from "vitest";
import { createStorage, readStorage } from "../../src/gpu/buffers.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { backendOn, openDevice } from "../../src/run/device.js";
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

test("the CPU is a device without a session", async () => {
  const device = await openDevice("cpu");
  expect(device).toMatchObject({ requested: "cpu", actual: "cpu", session: null });
  await device.close();
});
