import { expect, test } from "vitest";
import type { Frame } from "../../src/core/frame.js";
import { createCpuTbd } from "../../src/pixels/before-detect/cpu.js";
import { detectBeforeTracking } from "../../src/pixels/before-detect/detect.js";
import { BEFORE_DETECT_DEFAULTS } from "../../src/pixels/before-detect/options.js";
import { motionVectors } from "../../src/pixels/before-detect/vectors.js";
import { preparedFrames } from "../../src/run/before-detect.js";
import { noiseFrames } from "../pixels/before-detect/frames.js";

const [WIDTH, HEIGHT, COUNT] = [48, 40, 60];
/** Images of noise over an uneven pattern that goes from 10 to 30 grey levels, with hot pixels, in light and with offsets that change from image to image. */
function flickering(): { frames: Frame[]; noise: readonly Float32Array[] } {
  const noise = noiseFrames(WIDTH, HEIGHT, COUNT, 4).map(({ pixels }) => pixels);
  const frames = noise.map((own, k) => {
    const [gain, offset] = [1 + 0.2 * Math.sin(k), 3 * Math.cos(2 * k)];
    const pattern = (i: number) => 10 + (20 * (i % WIDTH)) / WIDTH + 2 * Math.sin(i * i) + (i % 97 === 0 ? 8 : 0);
    return {
      width: WIDTH,
      height: HEIGHT,
      channels: 1 as const,
      samples: own.map((value, i) => value + offset + gain * pattern(i)),
      place: `${k}`,
    };
  });
  return { frames, noise };
}
async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

test("what flickers and what stands still are taken off together, and a bright target stays", async () => {
  const { frames, noise } = flickering();
  const target = frames[30].samples as Float32Array;
  for (let y = 10; y < 20; y++) target.fill(200, y * WIDTH + 30, y * WIDTH + 42);
  const prepared: Float32Array[] = [];
  for await (const { pixels, minus = 0 } of preparedFrames(() => each(frames), { background: "pixel", prefilter: 0 }))
    prepared.push((pixels as Float32Array).map((value) => value - minus));
  const meanSquare = (k: number) => {
    const rest = prepared[k].map((value, i) => value - noise[k][i]);
    const kept = rest.filter((_, i) => !(k === 30 && frames[k].samples[i] === 200));
    return kept.reduce((sum, value) => sum + value * value, 0) / kept.length;
  };
  // The median of COUNT normals has the variance π / (2 COUNT).
  for (const k of prepared.keys()) expect(meanSquare(k)).toBeLessThan((2 * Math.PI) / (2 * COUNT));
  expect(prepared[30][15 * WIDTH + 35]).toBeGreaterThan(160);
});

test("a state says how many false alarms are to be expected: about those asked for in noise, far more where a background stays", async () => {
  const expectedIn = async (frames: readonly Frame[], background: "none" | "frame" | "pixel") => {
    const options = { ...BEFORE_DETECT_DEFAULTS, vectors: motionVectors(2, 1), falseAlarms: 1 };
    const prepared = preparedFrames(() => each(frames), { background, prefilter: 0 });
    const counts: (number | null)[] = [];
    for await (const { expectedFalse, detections } of detectBeforeTracking(prepared, options, createCpuTbd())) {
      expect(expectedFalse ?? 0).toBeLessThanOrEqual(detections.length);
      counts.push(expectedFalse);
    }
    return counts;
  };
  const { frames, noise } = flickering();
  const plain = noise.map((samples) => ({
    width: WIDTH,
    height: HEIGHT,
    channels: 1 as const,
    samples,
    place: "plain",
  }));
  const inNoise = await expectedIn(plain, "none");
  expect(inNoise.map((count) => count === null)).toEqual([false, false, true, false, true, true]);
  for (const background of ["none", "frame", "pixel"] as const)
    for (const count of await expectedIn(plain, background)) expect(count ?? 0).toBeLessThan(8);
  for (const background of ["none", "frame"] as const)
    expect(Math.max(...(await expectedIn(frames, background)).map((count) => count ?? 0))).toBeGreaterThan(10);
  for (const count of await expectedIn(frames, "pixel")) expect(count ?? 0).toBeLessThan(8);
});

test("a frame whose noise cannot be measured is named by its file", async () => {
  const flat: Frame = { width: 4, height: 4, channels: 1, samples: new Uint8Array(16), place: "night/0007.png" };
  const read = async function* () {
    yield flat;
  };
  const frames = preparedFrames(read, { background: "frame", prefilter: 0 });
  const outputs = detectBeforeTracking(
    frames,
    { ...BEFORE_DETECT_DEFAULTS, vectors: motionVectors(1, 1) },
    createCpuTbd(),
  );
  await expect(outputs.next()).rejects.toThrow(/^night\/0007\.png: more than half of its pixels are equal.*--sigma/);
});
