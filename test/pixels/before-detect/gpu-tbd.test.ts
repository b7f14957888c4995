import { describe, expect, test } from "vitest";
import { createCpuTbd } from "../../../src/pixels/before-detect/cpu.js";
import { detectBeforeTracking, type OutputFrame } from "../../../src/pixels/before-detect/detect.js";
import { createGpuTbd, type GpuTbdOptions } from "../../../src/pixels/before-detect/gpu/gpu-tbd.js";
import { PAPER_VARIANTS, parseVariant, variantName } from "../../../src/pixels/before-detect/gpu/variant.js";
import { BEFORE_DETECT_DEFAULTS, type BeforeDetectOptions } from "../../../src/pixels/before-detect/options.js";
import { type Samples, type TbdFrame, valuesOf } from "../../../src/pixels/before-detect/samples.js";
import type { TbdSteps } from "../../../src/pixels/before-detect/steps.js";
import { motionVectors } from "../../../src/pixels/before-detect/vectors.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { noiseFrames } from "./frames.js";

const session = useSoftwareSession();
const now = () => 0;
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

async function expectTwin(own: Partial<GpuTbdOptions>, changed: Partial<BeforeDetectOptions> = {}, tolerance = 1e-6) {
  const options = { ...defaults, ...changed };
  const twin = await outcome(createCpuTbd(now), options);
  const gpu = await outcome(createGpuTbd(session(), { now, ...own }), options);
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
  test("all the paper's sixteen variants", async () => {
    expect(new Set(PAPER_VARIANTS.map(variantName)).size).toBe(16);
    // Few vectors: a kernel is compiled for each.
    const vectors = [
      { x: 0, y: 0 },
      { x: -2, y: 1 },
    ];
    for (const variant of PAPER_VARIANTS) await expectTwin({ variant, workgroup: [16, 4] }, { vectors, decimation: 6 });
  });

  test.each(["all", "all,texture", "in-place", "in-place,texture"])("%s", async (name) => {
    await expectTwin({ variant: parseVariant(name) });
    await expectTwin(
      { variant: parseVariant(name), workgroup: [8, 8] },
      { vectors: motionVectors(1, 0.5), decimation: 6 },
    );
    await expectTwin({ variant: parseVariant(name), workgroup: [16, 4] }, { decimation: 1, falseAlarms: 400 });
  });

  test("a state in f16", async () => {
    await expectTwin({}, { state: "f16" }, 2e-3);
    const options = { ...defaults, state: "f16", decimation: 1 } as const;
    const [twin, gpu] = [
      await outcome(createCpuTbd(now), options),
      await outcome(createGpuTbd(session(), { now }), options),
    ];
    const most = twin.state.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    expect(twin.state.every((value, i) => Math.abs(value - gpu.state[i]) < 2e-3 * most)).toBe(true);
  });

  test.each([
    ["u8", (values: Float32Array) => Uint8Array.from(values, (value) => 128 + 20 * value), 127.5],
    ["u16", (values: Float32Array) => Uint16Array.from(values, (value) => 30000 + 9000 * value), 0],
    ["f32", (values: Float32Array) => values, 0.25],
  ] as const)("samples in %s less a number have the bits of those values in f32", async (_, typed, minus) => {
    const raw = frames.map(({ width, height, pixels }) => ({ width, height, pixels: typed(pixels) as Samples, minus }));
    const values = raw.map((frame) => ({ ...frame, pixels: valuesOf(frame), minus: 0 }));
    const options = { ...defaults, threshold: -10 };
    const device = () => createGpuTbd(session(), { now });
    const [own, plain] = [await outcome(device(), options, raw), await outcome(device(), options, values)];
    expect(Buffer.from(own.state.buffer).equals(Buffer.from(plain.state.buffer))).toBe(true);
    expect(own.state.some((value) => value !== 0)).toBe(true);
    expect(own.outputs).toEqual(plain.outputs);
    expect((await outcome(device(), options, raw.slice(0, 1))).outputs).toEqual([]);
    const texture = createGpuTbd(session(), { now, variant: parseVariant("all,texture") });
    expect((await outcome(texture, options, raw)).state).toEqual(own.state);
  });

  test("a state that is split by vectors", async () => {
    for (const variant of ["all", "in-place", "argument"].map(parseVariant)) {
      await expectTwin({ variant, pieceBytes: 4 * 4 * 41 * 23 });
    }
  });

  test.each([
    ["switching", { switching: 0.2 }],
    ["the maximum", { combine: "max" }],
  ] as const)("%s", async (_, coupling) => {
    await expectTwin({}, { ...coupling, falseAlarms: 200 }, 3e-6);
  });

  test("positions between pixels", async () => {
    const options = { ...defaults, subpixel: true };
    const [twin, gpu] = [
      await outcome(createCpuTbd(now), options),
      await outcome(createGpuTbd(session(), { now }), options),
    ];
    twin.outputs.forEach(({ detections }, n) => {
      detections.forEach(({ x, y }, i) => {
        expect(gpu.outputs[n].detections[i].x).toBeCloseTo(x, 3);
        expect(gpu.outputs[n].detections[i].y).toBeCloseTo(y, 3);
      });
    });
  });

  test("the same run twice gives the same bytes", async () => {
    const [once, again] = [
      await outcome(createGpuTbd(session(), { now }), defaults),
      await outcome(createGpuTbd(session(), { now }), defaults),
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
  const expected = await count(createCpuTbd(now));
  expect(expected).toBeGreaterThan(4096);
  expect(await count(createGpuTbd(session(), { now }))).toBe(expected);
});

describe("what has no kernel is refused", () => {
  test.each([
    ["in-place", { state: "f16" }, /f32/],
    ["constant", { vectors: motionVectors(1, 0.5) }, /not whole/],
    ["argument", { switching: 0.1 }, /--switch/],
  ] as const)("%s", async (name, changed, message) => {
    const steps = createGpuTbd(session(), { now, variant: parseVariant(name) });
    await expect(outcome(steps, { ...defaults, ...changed })).rejects.toThrow(message);
  });

  test.each(["fast", "all,all", "all,shared", "constant,loop,unrolled"])("variant %s", (name) => {
    expect(() => parseVariant(name)).toThrow(/variant/);
  });
});
