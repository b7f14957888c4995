import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { BELT_DEFAULTS, type BeltParameters, simulateBelt } from "../../src/simulation/belt/belt.js";
import { contactTime, dampingRatioOf, restitutionOf } from "../../src/simulation/belt/contact.js";
import type { Physics } from "../../src/simulation/belt/physics.js";
import { bodyOf } from "../../src/simulation/belt/shapes.js";
import { World } from "../../src/simulation/belt/world.js";

const sphere = bodyOf({ shape: "sphere", diameter: 0.005, share: 1 }, 2500);
const physics: Physics = {
  ...BELT_DEFAULTS,
  dampingRatio: dampingRatioOf(0.5),
  rollingFriction: 0,
  gravity: 9.81,
  timeStep: 2e-5,
};
const nowhere = Number.POSITIVE_INFINITY;

function run(world: World, seconds: number): void {
  for (let step = 0; step * world.physics.timeStep < seconds; step++) world.step(nowhere);
}

describe("closed forms", () => {
  test.each([0.3, 0.5, 0.8, 0.95])("a bounce keeps %f of the speed", (restitution) => {
    const world = new World({ ...physics, gravity: 0, timeStep: 2e-6, dampingRatio: dampingRatioOf(restitution) });
    world.add(sphere, [0, 0.1, 0.003], [0, 0, -0.5], 0);
    run(world, 0.01);
    expect(world.position[2]).toBeGreaterThan(0.0025);
    expect(Math.abs(world.velocity[2] / 0.5 / restitution - 1)).toBeLessThan(0.01);
  });

  test("without the cut at zero force the same damper would keep less: the textbook's ratio is not what a bounce has", () => {
    const textbook = -Math.log(0.5) / Math.hypot(Math.PI, Math.log(0.5));
    expect(restitutionOf(textbook)).toBeCloseTo(0.55, 3);
    expect(restitutionOf(0)).toBe(1);
    expect(restitutionOf(1 - 1e-12)).toBeCloseTo(Math.exp(-2), 5);
  });

  test("a contact lasts half a period of its spring", () => {
    const world = new World({ ...physics, gravity: 0, timeStep: 1e-6, dampingRatio: 0 });
    world.add(sphere, [0, 0.1, 0.0025001], [0, 0, -0.3], 0);
    run(world, 1e-4 / 0.3 / 1000);
    const from = world.time;
    while (world.position[2] < 0.0025) world.step(nowhere);
    expect((world.time - from) / contactTime(sphere.mass, physics.stiffness)).toBeCloseTo(1, 2);
  });

  test("a sphere put on the belt slides, then rolls at 2/7 of its speed", () => {
    const world = new World(physics);
    world.add(sphere, [0, 0.1, 0.002501], [0, 0, 0], 0);
    run(world, 0.6);
    expect(world.velocity[0] / physics.beltSpeed / (2 / 7)).toBeCloseTo(1, 4);
  });

  test("rolling friction drags it on at 5/7 μ g", () => {
    const world = new World({ ...physics, rollingFriction: 0.05 });
    world.add(sphere, [0, 0.1, 0.002501], [0, 0, 0], 0);
    run(world, 0.3);
    const before = world.velocity[0];
    run(world, 0.1);
    expect((world.velocity[0] - before) / 0.1 / ((5 / 7) * 0.05 * 9.81)).toBeCloseTo(1, 2);
  });

  test.each(["sphere", "corn", "cylinder"] as const)("two free bodies (%s) keep their momentum", (shape) => {
    const body = bodyOf({ shape, diameter: 0.005, share: 1 }, 2500);
    const heavy = bodyOf({ shape, diameter: 0.007, share: 1 }, 2500);
    const world = new World({ ...physics, gravity: 0 });
    expect(world.add(body, [0, 0.1, 0.05], [1, 0.1, 0], 0.3)).toBe(true);
    expect(world.add(heavy, [0.02, 0.102, 0.051], [-0.5, 0, 0.02], 1.2)).toBe(true);
    const momentum = () => [0, 1, 2].map((k) => body.mass * world.velocity[k] + heavy.mass * world.velocity[3 + k]);
    const before = momentum();
    run(world, 0.04);
    expect(world.deepest).toBeGreaterThan(0);
    expect(Math.hypot(world.spin[0], world.spin[1], world.spin[2])).toBeGreaterThan(1);
    momentum().forEach((now, k) => {
      expect(Math.abs(now - before[k])).toBeLessThan(1e-10 * body.mass);
    });
  });
});

test("inertia of a clump is that of its spheres", () => {
  const { mass, inertia } = bodyOf({ shape: "cylinder", diameter: 0.0025, share: 1 }, 2500);
  const one = (2500 * Math.PI * 0.0025 ** 3) / 6;
  expect(mass).toBeCloseTo(4 * one, 12);
  expect(inertia[0] / (4 * 0.1 * one * 0.0025 ** 2)).toBeCloseTo(1, 9);
  expect(inertia[1] / (4 * 0.1 * one * 0.0025 ** 2 + one * 0.002 ** 2 * (2 * 1.5 ** 2 + 2 * 0.5 ** 2))).toBeCloseTo(
    1,
    9,
  );
});

describe("a belt", () => {
  const parameters: BeltParameters = {
    materials: [{ shape: "sphere", diameter: 0.005, share: 1 }],
    rate: 2200,
    frames: 30,
  };
  const { detections, deepestOverlap, fed, notFed } = simulateBelt(parameters, 3);
  const { frameStart, x, y, target } = detections;

  test("has as many in view, moving as fast and as unevenly, as a reference simulation found", () => {
    const step: number[] = [];
    const last = new Map<number, number>();
    for (let d = 0; d < x.length; d++) {
      const identity = (target as Int32Array)[d];
      const before = last.get(identity);
      if (before !== undefined) step.push(x[d] - before);
      last.set(identity, x[d]);
    }
    const mean = step.reduce((sum, value) => sum + value) / step.length;
    const spread = Math.sqrt(step.reduce((sum, value) => sum + (value - mean) ** 2, 0) / step.length) / mean;
    expect(x.length / 30).toBeGreaterThan(290);
    expect(x.length / 30).toBeLessThan(350);
    expect(mean * 200).toBeGreaterThan(1.33);
    expect(mean * 200).toBeLessThan(1.41);
    expect(spread).toBeGreaterThan(0.02);
    expect(spread).toBeLessThan(0.05);
    expect(deepestOverlap).toBeLessThan(0.05);
    expect(notFed).toBeLessThan(fed / 100);
  });

  test("shows what is in view and nothing else, each body once, in no order", () => {
    for (let p = 0; p < 30; p++) {
      const seen = (target as Int32Array).subarray(frameStart[p], frameStart[p + 1]);
      expect(new Set(seen).size).toBe(seen.length);
      // Targets are numbered as they come into view, which puts those of the first frame in order.
      if (p > 0) expect([...seen].sort((a, b) => a - b)).not.toEqual([...seen]);
    }
    expect(Math.min(...x)).toBeGreaterThanOrEqual(0.2);
    expect(Math.max(...x)).toBeLessThan(0.4);
    expect(Math.min(...y)).toBeGreaterThan(0.002);
    expect(Math.max(...y)).toBeLessThan(0.198);
  });

  test("has the same bytes from the same seed; noise and misses move no body", () => {
    const short = { ...parameters, frames: 3, filling: 0.25 };
    const one = simulateBelt(short, 5).detections;
    expect(simulateBelt(short, 5).detections).toEqual(one);
    expect(simulateBelt(short, 6).detections).not.toEqual(one);
    const noisy = simulateBelt({ ...short, noise: 1e-4, missed: 0.1 }, 5).detections;
    expect(noisy.x.length).toBeLessThan(one.x.length);
    let worst = 0;
    for (let d = 0; d < noisy.x.length; d++) {
      let nearest = Infinity;
      for (let e = 0; e < one.x.length; e++)
        nearest = Math.min(nearest, Math.hypot(noisy.x[d] - one.x[e], noisy.y[d] - one.y[e]));
      worst = Math.max(worst, nearest);
    }
    expect(worst).toBeGreaterThan(1e-4);
    expect(worst).toBeLessThan(6e-4);
  });

  test.each([
    [{ rate: -1 }, "rate is -1"],
    [{ materials: [] }, "materials is []"],
    [{ view: [0.4, 0.2] as const }, "view is [0.4,0.2]"],
    [{ restitution: 0.1 }, "restitution is 0.1"],
    [{ frames: 1 }, "frames is 1"],
  ])("refuses %o", (wrong, message) => {
    expect(() => simulateBelt({ ...parameters, ...wrong }, 1)).toThrow(InputError);
    expect(() => simulateBelt({ ...parameters, ...wrong }, 1)).toThrow(message);
  });
});
