import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { createCpuTbd, matchedFilter, valuesOf, withoutMedian } from "../../../src/pixels/before-detect/cpu.js";
import {
  bestOf,
  detectBeforeTracking,
  findPeaks,
  type OutputFrame,
  type TbdFrame,
} from "../../../src/pixels/before-detect/detect.js";
import {
  median,
  noiseOfState,
  probabilityOfDetection,
  robustSigma,
  thresholdFor,
} from "../../../src/pixels/before-detect/noise.js";
import { inverseNormalTail, normalTail } from "../../../src/pixels/before-detect/normal.js";
import { BEFORE_DETECT_DEFAULTS, type BeforeDetectOptions } from "../../../src/pixels/before-detect/options.js";
import { motionVectors } from "../../../src/pixels/before-detect/vectors.js";
import type { GreyImage } from "../../../src/pixels/image.js";
import { parabolaTop } from "../../../src/pixels/maxima.js";
import { scoreDetections } from "../../../src/scores/found-targets.js";
import { drawImageScene, type ImageScene } from "../../../src/simulation/image-scene.js";
import { noiseFrames } from "./frames.js";

const options: BeforeDetectOptions = { ...BEFORE_DETECT_DEFAULTS, vectors: motionVectors(2) };

async function detect(frames: Iterable<TbdFrame>, own: Partial<BeforeDetectOptions> = {}): Promise<OutputFrame[]> {
  const outputs: OutputFrame[] = [];
  const steps = createCpuTbd();
  for await (const output of detectBeforeTracking(frames, { ...options, ...own }, steps)) outputs.push(output);
  return outputs;
}

describe("the normal distribution's tail", () => {
  // scipy.stats.norm.sf and .isf
  test.each([
    [-1.5, 0.9331927987311419],
    [0.2, 0.420740290560897],
    [2.999, 0.0013543365337271057],
    [3.001, 0.0013454728250849653],
    [4.72, 1.179223216516395e-6],
    [12, 1.776482112077653e-33],
  ])("Q(%f)", (x, tail) => {
    expect(normalTail(x) / tail).toBeCloseTo(1, 11);
  });

  test("its inverse gives the threshold of the published case", () => {
    expect(thresholdFor(0.5, 13 * 96 * 64)).toBeCloseTo(4.36833, 5);
    for (const p of [1e-12, 0.3, 0.999]) expect(normalTail(inverseNormalTail(p)) / p).toBeCloseTo(1, 12);
  });
});

test("integers less their median are detected as the differences are", async () => {
  const integers = noiseFrames(40, 31, 20, 3).map(({ width, height, pixels }) =>
    withoutMedian({ width, height, pixels: Uint8Array.from(pixels, (value) => 90 + 20 * value) }),
  );
  const differences = integers.map((frame) => ({ ...frame, pixels: valuesOf(frame), minus: 0 }));
  const found = await detect(integers, { falseAlarms: 30 });
  expect(integers.every(({ minus }) => Math.abs((minus ?? 0) - 90) < 3)).toBe(true);
  expect(found.flatMap(({ detections }) => detections).length).toBeGreaterThan(20);
  expect(found).toEqual(await detect(differences, { falseAlarms: 30 }));
});

test("medians, of even and odd numbers, are those of sorting", () => {
  for (const count of [1, 2, 3, 10, 101, 500]) {
    const [{ pixels }] = noiseFrames(count, 1, 1, count);
    const rounded = pixels.map((value) => Math.round(3 * value));
    for (const values of [pixels, rounded]) {
      const sorted = values.slice().sort();
      const half = count >> 1;
      expect(median(values)).toBe(count % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2);
    }
  }
  const [{ pixels }] = noiseFrames(200, 200, 1);
  expect(robustSigma(pixels)).toBeCloseTo(1, 1);
  for (const integersOf of [(values: Float32Array) => Uint8Array.from(values), Uint16Array.from.bind(Uint16Array)]) {
    for (const count of [1, 2, 39999, 40000]) {
      const integers = integersOf(pixels.subarray(0, count).map((value) => 100 + 9 * value));
      const floats = Float32Array.from(integers);
      expect(median(integers)).toBe(median(floats));
      expect(robustSigma(integers)).toBe(robustSigma(floats));
    }
  }
});

test("σ_P follows from the recursion of the variances", () => {
  let variance = 0;
  for (let k = 1; k <= 40; k++) {
    variance = 0.81 * variance + 0.01 * 4;
    expect(noiseOfState(2, 0.9, k)).toBeCloseTo(Math.sqrt(variance), 12);
  }
});

describe("maxima", () => {
  const field = { width: 9, height: 7 };

  test("are those a search of every window finds, ties to the first", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const value = noiseFrames(9, 7, 1, seed)[0].pixels.map(Math.round);
      const peaks = findPeaks({ value, vector: new Uint16Array(63) }, field, 0, 2);
      const expected: number[] = [];
      for (let i = 0; i < 63; i++) {
        const rivals = [...value.keys()].filter(
          (j) => j !== i && Math.abs((j % 9) - (i % 9)) <= 2 && Math.abs(Math.floor(j / 9) - Math.floor(i / 9)) <= 2,
        );
        if (value[i] > 0 && rivals.every((j) => value[j] < value[i] || (value[j] === value[i] && j > i)))
          expected.push(i);
      }
      expect([...peaks.pixel]).toEqual(expected);
    }
  });

  test("name the first vector of the largest value", () => {
    const best = bestOf([Float32Array.of(1, 5, 2), Float32Array.of(3, 5, 1), Float32Array.of(3, 4, 2)]);
    expect([...best.value]).toEqual([3, 5, 2]);
    expect([...best.vector]).toEqual([1, 0, 0]);
  });

  test("between pixels are where the parabola is", () => {
    const parabola = (x: number) => 7 - 3 * (x - 0.3) ** 2;
    expect(parabolaTop(parabola(-1), parabola(0), parabola(1))).toBeCloseTo(0.3, 12);
    expect(parabolaTop(Number.NaN, 1, 0)).toBe(0);
  });
});

const scene: ImageScene = {
  width: 96,
  height: 96,
  frames: 40,
  targets: 4,
  snr: 1.5,
  spot: 0,
  velocities: motionVectors(1),
  turn: 0,
  margin: 8,
  enter: 0,
  leave: 39,
  noise: "gaussian",
};

function draw(own: Partial<ImageScene>, seed: number) {
  const { truth, frames } = drawImageScene({ ...scene, ...own }, seed);
  const { width, height } = { ...scene, ...own };
  return { truth, frames: Array.from(frames(), (pixels) => ({ width, height, pixels })) };
}

describe("detection", () => {
  test("finds targets below the noise as often as theory says, at their pixel and velocity", async () => {
    let [expected, targets, hits, falseAlarms, outputs] = [0, 0, 0, 0, 0];
    for (let seed = 1; seed <= 6; seed++) {
      const { truth, frames } = draw({ snr: 1.25 }, seed);
      const found = (await detect(frames, { sigma: 1 })).filter(({ frame }) => frame >= 10);
      const score = scoreDetections(found, truth, 2);
      for (const { frame, threshold } of found)
        expected += 4 * probabilityOfDetection(1.25, 0.95, frame + 1, threshold);
      [targets, hits] = [targets + score.targets, hits + score.hits];
      [falseAlarms, outputs] = [falseAlarms + score.falseAlarms, outputs + score.frames];
      if (score.hits > 0) expect(score.rightVelocity).toBeGreaterThan(0.9);
    }
    expect(targets).toBe(72);
    // Three standard deviations of 72 draws are 0.17.
    expect(Math.abs(hits - expected) / targets).toBeLessThan(0.17);
    expect(falseAlarms / outputs).toBeLessThan(2);
  });

  test("on noise alone makes as many false alarms as asked for", async () => {
    const found = await detect(noiseFrames(96, 96, 200, 9), { falseAlarms: 5, alpha: 0.8, decimation: 10 });
    const mean = found.reduce((sum, { detections }) => sum + detections.length, 0) / found.length;
    // 20 outputs of 5: the standard deviation of the mean is 0.5; suppression within the radius takes a few.
    expect(mean).toBeGreaterThan(3.3);
    expect(mean).toBeLessThan(6.5);
  });

  test("measures no velocity where all vectors have the same sum, after one image, and one of the vectors afterwards", async () => {
    const frames = noiseFrames(40, 30, 6);
    const { width, height } = frames[0];
    const steps = createCpuTbd();
    await steps.begin({ width, height }, { ...options, decimation: 1 });
    await steps.advance(frames.slice(0, 1), 0);
    const state = await steps.state();
    expect(state.every((value, i) => value === state[i % (width * height)])).toBe(true);
    for (const decimation of [1, 2, 3]) {
      const outputs = await detect(frames, { decimation, threshold: 1.5 });
      expect(outputs.map(({ frame }) => frame)).toEqual(
        Array.from({ length: 6 / decimation }, (_, n) => (n + 1) * decimation - 1),
      );
      for (const { frame, detections } of outputs) {
        expect(detections.length).toBeGreaterThan(0);
        for (const { vx, vy } of detections) {
          if (frame === 0) expect([vx, vy]).toEqual([Number.NaN, Number.NaN]);
          else expect(options.vectors).toContainEqual({ x: vx, y: vy });
        }
      }
      const truth = outputs[0].detections.map((one, target) => ({
        ...one,
        vx: 0,
        vy: 0,
        frame: outputs[0].frame,
        target,
        snr: 1,
      }));
      const { hits, rightVelocity, velocityError } = scoreDetections(outputs.slice(0, 1), truth, 0);
      expect(hits).toBe(truth.length);
      expect([rightVelocity, velocityError].every((value) => (value === null) === (decimation === 1))).toBe(true);
    }
  });

  test("does not depend on the unit of the images", async () => {
    const { frames } = draw({}, 2);
    const scaled = frames.map((frame) => ({ ...frame, pixels: frame.pixels.map((value) => 1024 * value) }));
    expect((await detect(scaled)).map(({ detections }) => detections)).toEqual(
      (await detect(frames)).map(({ detections }) => detections),
    );
  });

  test("of fewer frames than a pass, and of none, makes no output", async () => {
    expect(await detect(noiseFrames(17, 9, 9))).toEqual([]);
    expect(await detect([])).toEqual([]);
  });

  test.each([
    ["alpha", { alpha: 1 }],
    ["decimation", { decimation: 0 }],
    ["vectors", { vectors: [] }],
    ["twice", { vectors: [...motionVectors(1), { x: 0, y: 1 }] }],
    ["--switch", { combine: "max", switching: 0.1 }],
    ["sigma", { sigma: 0 }],
  ] as const)("refuses options out of range: %s", async (word, own) => {
    await expect(detect(noiseFrames(9, 9, 10), own)).rejects.toThrow(InputError);
    await expect(detect(noiseFrames(9, 9, 10), own)).rejects.toThrow(word);
  });

  test("refuses frames of two sizes, and frames without noise", async () => {
    await expect(detect([...noiseFrames(9, 9, 2), ...noiseFrames(8, 9, 2)])).rejects.toThrow(/frame 2: is 8 × 9/);
    const flat = { width: 9, height: 9, pixels: new Float32Array(81) };
    await expect(detect([flat])).rejects.toThrow(/frame 0: .*--sigma/);
    expect(await detect(new Array(10).fill(flat), { sigma: 1 })).toHaveLength(1);
  });
});

describe("simulated scenes", () => {
  test("the same seed gives the same frames, another one others", () => {
    const [one, again, other] = [draw({}, 5), draw({}, 5), draw({}, 6)];
    expect(one.truth).toEqual(again.truth);
    const bits = ({ frames }: typeof one) => Buffer.concat(frames.map(({ pixels }) => Buffer.from(pixels.buffer)));
    expect(bits(one).equals(bits(again))).toBe(true);
    expect(bits(one).equals(bits(other))).toBe(false);
  });

  test("targets lie where the truth says, move by their velocity and stay inside", () => {
    const quiet = draw({ snr: 1e5, targets: 3 }, 7);
    for (const { frame, x, y, vx, vy, target } of quiet.truth) {
      expect(quiet.frames[frame].pixels[y * 96 + x]).toBeGreaterThan(9e4);
      expect(Math.min(x, y, 95 - x, 95 - y)).toBeGreaterThanOrEqual(8);
      const next = quiet.truth.find((one) => one.target === target && one.frame === frame + 1);
      if (next !== undefined) expect([next.x, next.y]).toEqual([x + vx, y + vy]);
    }
    expect(quiet.truth).toHaveLength(3 * 40);
  });

  test("turning targets keep their speed, and come and go when told", () => {
    const { truth } = draw({ velocities: { max: 1 }, turn: 3, spot: 1, enter: 6, leave: 21 }, 8);
    expect(new Set(truth.map(({ frame }) => frame)).size).toBe(16);
    const own = truth.filter(({ target }) => target === 0);
    for (const { vx, vy } of own) expect(Math.hypot(vx, vy)).toBeCloseTo(Math.hypot(own[0].vx, own[0].vy), 10);
    const turned = Math.atan2(own[1].vy, own[1].vx) - Math.atan2(own[0].vy, own[0].vx);
    expect(((turned * 180) / Math.PI + 360) % 360).toBeCloseTo(3, 9);
  });

  test.each([
    ["gaussian", 0, 1],
    ["rayleigh", Math.sqrt(Math.PI / 2), Math.sqrt(2 - Math.PI / 2)],
    ["poisson", 20, Math.sqrt(20)],
  ] as const)("%s noise has its mean and deviation", (noise, mean, sigma) => {
    const values = draw({ noise, targets: 0, frames: 4, leave: 3 }, 3).frames.flatMap(({ pixels }) => [...pixels]);
    const average = values.reduce((sum, value) => sum + value, 0) / values.length;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length);
    expect(Math.abs(average - mean) / sigma).toBeLessThan(0.03);
    expect(Math.abs(spread / sigma - 1)).toBeLessThan(0.03);
  });

  test("targets that find no room are refused", () => {
    expect(() => draw({ width: 20, height: 20 }, 1)).toThrow(/finds no room/);
  });
});

test("the matched filter keeps white noise white per pixel and gains √(4π) σ on its spot", () => {
  const [noise] = noiseFrames(120, 120, 1, 4);
  const inner = (image: GreyImage) =>
    image.pixels.filter((_, i) => i % 120 > 10 && i % 120 < 110 && i > 1200 && i < 13200);
  expect(robustSigma(inner(matchedFilter(noise, 1)))).toBeCloseTo(1, 1);
  const spot = Float32Array.from({ length: 441 }, (_, i) =>
    Math.exp(-(((i % 21) - 10) ** 2 + (Math.floor(i / 21) - 10) ** 2) / 2),
  );
  const peak = matchedFilter({ width: 21, height: 21, pixels: spot }, 1).pixels[220];
  expect(peak).toBeCloseTo(Math.sqrt(Math.PI), 3);
});
