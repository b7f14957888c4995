import { BEFORE_DETECT_DEFAULTS, createCpuTbd, detectBeforeTracking, motionVectors } from "rmap/pixels";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../dist/core/random.js";
import { HalfCpuTbd } from "../tbd/half-twin.mjs";
import { LabTbd } from "../tbd/lab-tbd.mjs";
import { PAPER_VARIANTS, parseVariant, variantName } from "../tbd/variant.mjs";
import { useSoftwareSession } from "./session.mjs";

const session = useSoftwareSession();

function noiseFrames(width, height, count, seed) {
  const normals = randomStreams(seed).next().value;
  return Array.from({ length: count }, () => {
    const pixels = Float32Array.from({ length: width * height }, () => normals.normal());
    return { width, height, pixels };
  });
}

// Two passes of 5 or 6, and frames that are left over.
const frames = noiseFrames(41, 23, 13, 2);
const defaults = {
  ...BEFORE_DETECT_DEFAULTS,
  vectors: motionVectors(2),
  decimation: 5,
  alpha: 0.9,
  falseAlarms: 40,
  sigma: 1,
};

async function outcome(steps, options, /** @type {any[]} */ input = frames) {
  const outputs = [];
  for await (const output of detectBeforeTracking(input, options, steps)) outputs.push(output);
  const state = await steps.state();
  steps.destroy();
  return { outputs, state };
}

async function expectTwin(how, changed = {}, tolerance = 1e-6) {
  /** @type {any} */
  const options = { ...defaults, ...changed };
  const twin = await outcome(options.state === "f16" ? new HalfCpuTbd() : createCpuTbd(), options);
  const gpu = await outcome(new LabTbd(session(), how), options);
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

  test("a kernel for each vector, of fractions of a pixel", async () => {
    const vectors = [
      { x: 0.5, y: 0.25 },
      { x: -1.5, y: 0 },
    ];
    for (const body of ["loop", "unrolled"])
      await expectTwin({ variant: parseVariant(`constant,${body}`), workgroup: [16, 4] }, { vectors, decimation: 6 });
  });

  test("frames in workgroup memory", async () => {
    const variant = parseVariant("all,tiles");
    await expectTwin({ variant, workgroup: [16, 4] });
    await expectTwin({ variant, workgroup: [8, 8] }, { decimation: 1, falseAlarms: 400 });
  });

  test.each(["all", "all,texture", "in-place", "in-place,texture"])("%s", async (name) => {
    const variant = parseVariant(name);
    await expectTwin({ variant });
    await expectTwin({ variant, workgroup: [8, 8] }, { vectors: motionVectors(1, 0.5), decimation: 6 });
    await expectTwin({ variant, workgroup: [16, 4] }, { decimation: 1, falseAlarms: 400 });
  });

  test.each(["all", "all,texture"])("a state in f16: %s", async (name) => {
    const variant = parseVariant(name);
    await expectTwin({ variant }, { state: "f16" }, 2e-3);
    const options = { ...defaults, state: "f16", decimation: 1 };
    const twin = await outcome(new HalfCpuTbd(), options);
    const gpu = await outcome(new LabTbd(session(), { variant }), options);
    const most = twin.state.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    expect(twin.state.every((value, i) => Math.abs(value - gpu.state[i]) < 2e-3 * most)).toBe(true);
  });

  test("frames in a texture have the bits of frames in an array", async () => {
    const typed = (values) => Uint8Array.from(values, (value) => 128 + 20 * value);
    const raw = frames.map(({ width, height, pixels }) => ({ width, height, pixels: typed(pixels), minus: 127.5 }));
    const options = { ...defaults, threshold: -10 };
    const texture = await outcome(new LabTbd(session(), { variant: parseVariant("all,texture") }), options, raw);
    expect(texture.state).toEqual((await outcome(new LabTbd(session()), options, raw)).state);
  });
});

test("a state in f16 stays within 0.0095 σ_P of f32's at decimation 1", async () => {
  const images = noiseFrames(40, 40, 30, 5);
  const options = { ...defaults, decimation: 1 };
  const [full, half] = [
    (await outcome(createCpuTbd(), options, images)).state,
    (await outcome(new HalfCpuTbd(), options, images)).state,
  ];
  const sigma = 0.1 * Math.sqrt(1 / (1 - 0.81));
  const worst = full.reduce((most, value, i) => Math.max(most, Math.abs(value - half[i])), 0);
  expect(worst).toBeLessThan(0.0095 * sigma);
  expect(worst).toBeGreaterThan(0);
});

describe("what has no kernel is refused", () => {
  test("a state in f16 in one buffer", async () => {
    const steps = new LabTbd(session(), { variant: parseVariant("in-place") });
    await expect(outcome(steps, { ...defaults, state: "f16" })).rejects.toThrow(/f32/);
  });

  test.each(["fast", "all,all", "all,shared", "constant,loop,unrolled", "in-place,tiles"])("variant %s", (name) => {
    expect(() => parseVariant(name)).toThrow(/variant/);
  });
});
