import { describe, expect, test } from "vitest";
import { createCpuTbd, valuesOf } from "../../../src/pixels/before-detect/cpu.js";
import {
  detectBeforeTracking,
  type OutputFrame,
  type TbdFrame,
  type TbdSteps,
} from "../../../src/pixels/before-detect/detect.js";
import { createGpuTbd } from "../../../src/pixels/before-detect/gpu/gpu-tbd.js";
import { BEFORE_DETECT_DEFAULTS, type BeforeDetectOptions } from "../../../src/pixels/before-detect/options.js";
import { motionVectors } from "../../../src/pixels/before-detect/vectors.js";
import type { Samples } from "../../../src/pixels/image.js";
import { binding } from "../../gpu/small-device.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { noiseFrames } from "./frames.js";

const session = useSoftwareSession();
// Two passes of 5 or 6, and frames that are left over.
const frames = noiseFrames(41, 23, 13, 2);
const defaults: BeforeDetectOptions = {
  ...BEFORE_DETECT_DEFAULTS,
  vectors: motionVectors(2),
  decimation: 5,
  alpha: 0.9,
  falseAlarms: 40,
  sigma: 1,
};

async function outcome(steps: TbdSteps, options: BeforeDetectOptions, input: readonly TbdFrame[] = frames) {
  const outputs: OutputFrame[] = [];
  for await (const output of detectBeforeTracking(input, options, steps)) outputs.push(output);
  const state = await steps.state();
  steps.destroy();
  return { outputs, state };
}

async function expectTwin(
  changed: Partial<BeforeDetectOptions>,
  tolerance = 1e-6,
  { on = session(), input = frames } = {},
) {
  const options = { ...defaults, ...changed };
  const twin = await outcome(createCpuTbd(), options, input);
  const gpu = await outcome(createGpuTbd(on), options, input);
  const most = twin.state.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
  const worst = twin.state.reduce((top, value, i) => Math.max(top, Math.abs(value - gpu.state[i])), 0);
  expect(most).toBeGreaterThan(0.5);
  expect(worst / most).toBeLessThan(tolerance);
  expect(gpu.outputs).toHaveLength(Math.floor(frames.length / options.decimation));
  gpu.outputs.forEach(({ detections }, n) => {
    const expected = twin.outputs[n].detections;
    expect(expected.length).toBeGreaterThan(5);
    expect(detections.map(({ x, y, vx, vy }) => [x, y, vx, vy])).toEqual(
      expected.map(({ x, y, vx, vy }) => [x, y, vx, vy]),
    );
    for (const [i, { score }] of detections.entries())
      expect(Math.abs(score - expected[i].score)).toBeLessThan(10 * tolerance);
  });
}

describe("kernels against the twin: the state, and every detection", () => {
  test.each([
    ["whole vectors", {}],
    ["vectors between pixels", { vectors: motionVectors(1, 0.5), decimation: 6 }],
    ["no decimation", { decimation: 1, falseAlarms: 400 }],
  ])("%s", async (_, changed) => {
    await expectTwin(changed);
  });

  test.each([
    ["u8", (values: Float32Array) => Uint8Array.from(values, (value) => 128 + 20 * value), 127.5],
    ["u16", (values: Float32Array) => Uint16Array.from(values, (value) => 30000 + 9000 * value), 0],
    ["f32", (values: Float32Array) => values, 0.25],
  ] as const)("samples in %s less a number have the bits of those values in f32", async (_, typed, minus) => {
    const raw = frames.map(({ width, height, pixels }) => ({ width, height, pixels: typed(pixels) as Samples, minus }));
    const values = raw.map((frame) => ({ ...frame, pixels: valuesOf(frame), minus: 0 }));
    const options = { ...defaults, threshold: -10 };
    const device = () => createGpuTbd(session());
    const [own, plain] = [await outcome(device(), options, raw), await outcome(device(), options, values)];
    expect(Buffer.from(own.state.buffer).equals(Buffer.from(plain.state.buffer))).toBe(true);
    expect(own.state.some((value) => value !== 0)).toBe(true);
    expect(own.outputs).toEqual(plain.outputs);
    expect((await outcome(device(), options, raw.slice(0, 1))).outputs).toEqual([]);
  });

  test("a state that is split by vectors", async () => {
    // Room for the frames of a pass, and for as many vectors.
    const { decimation } = defaults;
    await expectTwin({}, 1e-6, { on: binding(session(), 4 * decimation * 41 * 23) });
  });

  test.each([
    ["switching", { switching: 0.2 }],
    ["the maximum", { combine: "max" }],
  ] as const)("%s", async (_, coupling) => {
    await expectTwin({ ...coupling, falseAlarms: 200 }, 3e-6);
    // Of an even number of pixels a median is between two; more of them than the threads of a workgroup.
    await expectTwin({ ...coupling, falseAlarms: 200 }, 3e-6, { input: noiseFrames(86, 61, 13, 3) });
    const level = frames.map((frame) => ({ ...frame, pixels: new Float32Array(frame.pixels.length) }));
    for (const steps of [createCpuTbd(), createGpuTbd(session())]) {
      const refused = outcome(steps, { ...defaults, ...coupling }, level);
      await expect(refused).rejects.toThrow("vector 0,-2: its noise cannot be measured");
    }
  });

  test("positions between pixels", async () => {
    const options = { ...defaults, subpixel: true };
    const [twin, gpu] = [await outcome(createCpuTbd(), options), await outcome(createGpuTbd(session()), options)];
    twin.outputs.forEach(({ detections }, n) => {
      detections.forEach(({ x, y }, i) => {
        expect(gpu.outputs[n].detections[i].x).toBeCloseTo(x, 3);
        expect(gpu.outputs[n].detections[i].y).toBeCloseTo(y, 3);
      });
    });
  });

  test("the same run twice gives the same bytes", async () => {
    const [once, again] = [
      await outcome(createGpuTbd(session()), defaults),
      await outcome(createGpuTbd(session()), defaults),
    ];
    expect(Buffer.from(once.state.buffer).equals(Buffer.from(again.state.buffer))).toBe(true);
    expect(once.outputs).toEqual(again.outputs);
  });
});

test("more peaks than are usually read are read all the same", async () => {
  const many = noiseFrames(320, 320, 2, 4);
  const count = async (steps: TbdSteps) => {
    const options = { ...defaults, vectors: motionVectors(0), decimation: 2, threshold: -1, radius: 1 };
    for await (const { detections } of detectBeforeTracking(many, options, steps)) return detections.length;
  };
  const expected = await count(createCpuTbd());
  expect(expected).toBeGreaterThan(4096);
  expect(await count(createGpuTbd(session()))).toBe(expected);
});
