import { afterEach, describe, expect, test, vi } from "vitest";
import type { MovingDetections } from "../../src/costs/cost.js";
import { createLinkPricer } from "../../src/costs/gpu-pricing.js";
import { COST_MODELS, type ModelName } from "../../src/costs/models/cost-models.js";
import { priceDetections } from "../../src/costs/price-detections.js";
import { createStorage, readStorage, uploadStorage } from "../../src/gpu/buffers.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { useSoftwareSession } from "../gpu/software-session.js";
import { scene, transformed } from "./scenes.js";

const session = useSoftwareSession();
const names = Object.keys(COST_MODELS) as ModelName[];

afterEach(() => {
  vi.restoreAllMocks();
});

/** The links of a scene with every number as the host (f64) and as the device (f32) prices it. */
async function priceTwice(detections: MovingDetections, cost: ModelName) {
  const noise = { position: 0.1, velocity: 0 };
  const parameters = { cost, gate: "none", birthDeath: "none", noise } as const;
  const { links, triplets, pricing } = await priceDetections(detections, parameters, { threads: 1 });
  if (triplets.kind !== "implicit") throw new Error("implicit triplets are the default");
  const count = links.tail.length;
  const [tail, head] = [links.tail, links.head].map((ends) => uploadStorage(session(), "ends", Uint32Array.from(ends)));
  const out = [count, triplets.perLink.length].map((length) => createStorage(session(), "prices", length));
  await (await createLinkPricer(session(), pricing))?.({ edges: count, tail, head, cost: out[0], perEdge: out[1] });
  const [c, m] = (await readStorage(session(), out)).map((bytes) => new Float32Array(bytes));
  for (const buffer of [tail, head, ...out]) buffer.destroy();
  return { links, constants: pricing.constants, host: { c: links.cost, m: triplets.perLink }, device: { c, m } };
}

/** f32 digits, some lost on the way. */
const DIGITS = 2 ** -20;

/** Allows each number f32 digits of what goes into it: the displacement and the ways travelled at either end. */
async function expectTwin(detections: MovingDetections, cost: ModelName) {
  const { links, constants, host, device } = await priceTwice(detections, cost);
  const { x, y, vx, vy, timeStep } = detections;
  const width = host.m.length / host.c.length;
  links.tail.forEach((i, e) => {
    const j = links.head[e];
    const velocities = [vx[i], vy[i], vx[j], vy[j]].map((v) => v * timeStep);
    const length = Math.hypot(x[j] - x[i], y[j] - y[i], ...velocities);
    let [errorOfC, errorOfM] = [DIGITS * length, DIGITS * length];
    if (cost === "likelihood") {
      // C is the square of r/√(2 s²), m is d/(2 w).
      const error = errorOfC / Math.sqrt(2 * constants[0]);
      errorOfC = 2 * error * Math.sqrt(host.c[e]) + error * error;
      errorOfM /= 2 * Math.sqrt(constants[1]);
    }
    expect(Math.abs(device.c[e] - host.c[e])).toBeLessThanOrEqual(errorOfC);
    for (let w = width * e; w < width * (e + 1); w++) {
      expect(Math.abs(device.m[w] - host.m[w])).toBeLessThanOrEqual(errorOfM);
    }
  });
}

const moving = (targets: number, frames: number, seed: number): MovingDetections => {
  const detections = simulate({ targets, frames, noise: { position: 0.1, velocity: 0.2 } }, seed);
  const { vx, vy } = detections;
  if (vx === null || vy === null) throw new Error("simulations measure velocities");
  return { ...detections, vx, vy };
};

const awkward = scene(
  [
    [
      [0, 0, 0, 0],
      [3, 4, 1, -2],
      [3, 4, 0, 0],
    ],
    [
      [0, 0, 0, 0],
      [3, 4, 1, -2],
      [3, 4.0000001, -1, 2],
    ],
    [
      [3, 4, 5, 5],
      [-7, 1e-3, 0, 0],
      [0, 0, 1e-6, 0],
    ],
  ],
  0.5,
);

describe.each(names)("%s on the device", (cost) => {
  test("is the host's but for f32, on random scenes", async () => {
    for (const seed of [1, 2, 3]) await expectTwin(moving(9, 5, seed), cost);
  });

  test("coincident detections and ones that stand", () => expectTwin(awkward, cost));

  test("a scene far from the origin, and one of tiny or huge units", async () => {
    await expectTwin(transformed(moving(8, 4, 4), 1, 1, 1e6, -3e6), cost);
    await expectTwin(transformed(moving(8, 4, 5), 1, 1e-12, 0, 0), cost);
    await expectTwin(transformed(moving(8, 4, 5), 1, 1e12, 1e13, 0), cost);
  });

  test("two crowds a million units apart keep the digits of their short steps", async () => {
    const near = moving(5, 3, 6);
    const far = transformed(near, 0, 1, 1e6, 1e6);
    const both = scene(
      [0, 1, 2].map((p) =>
        [near, far].flatMap(({ x, y, vx, vy, frameStart }) =>
          Array.from({ length: 5 }, (_, k) => frameStart[p] + k).map((d) => [x[d], y[d], vx[d], vy[d]]),
        ),
      ),
    );
    await expectTwin(both, cost);
  });
});

test("it says nothing and leaves the session's errors to the session", async () => {
  const said = (["log", "warn", "error"] as const).map((level) => vi.spyOn(console, level).mockReturnValue());
  const { onuncapturederror } = session().device;
  await priceTwice(moving(4, 3, 7), "spline");
  expect(session().device.onuncapturederror).toBe(onuncapturederror);
  for (const one of said) expect(one).not.toHaveBeenCalled();
  session().check();
});
