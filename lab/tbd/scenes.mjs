/** What the scripts of this folder share: frames of noise, the twin's state, and comparing with it. */
import { createCpuTbd, detectBeforeTracking } from "rmap/pixels";
import { randomStreams } from "../../dist/core/random.js";
import { PassLog } from "../../dist/gpu/timer.js";
import { matchedFilter } from "../../dist/pixels/before-detect/cpu.js";
import { renderScene } from "../../dist/run/render.js";

/** Pixels from one frame of noise to the next in the field they are cut from. */
const DRIFT = { x: 13, y: 7 };

/**
 * Frames of unit noise: windows into one field of noise that drifts by 13 and 7 pixels a frame, far from any motion vector, so that no sum over
 * frames sees a value twice.
 */
export function noiseFrames(width, height, count, seed = 1) {
  const step = DRIFT.y * width + DRIFT.x;
  const values = new Float64Array(width * height + step * count);
  randomStreams(seed).next().value.normals().fill(values);
  const field = Float32Array.from(values);
  return Array.from({ length: count }, (_, k) => ({ pixels: field.subarray(step * k, step * k + width * height) }));
}

/** The frames of a rendered scene as images. */
export function framesOf({ width, height, frames }, pixels) {
  const size = width * height;
  return Array.from({ length: frames }, (_, n) => ({
    width,
    height,
    pixels: pixels.subarray(n * size, (n + 1) * size),
  }));
}

/** A scene of a seed, and the output frames of track-before-detect over it. */
export async function outputsOf(scene, seed, options, prefilter, steps) {
  const { truth, pixels } = renderScene(scene, seed);
  const frames = framesOf(scene, pixels).map((frame) => matchedFilter(frame, prefilter));
  const outputs = [];
  for await (const output of detectBeforeTracking(frames, options, steps)) outputs.push(output);
  return { truth, outputs };
}

/** The state after passes over the frames: of the twin, or of the steps given. */
export async function stateAfter(frames, field, options, steps = createCpuTbd()) {
  await steps.begin(field, options);
  const { decimation } = options;
  for (let k0 = 0; k0 < frames.length; k0 += decimation) await steps.advance(frames.slice(k0, k0 + decimation), k0);
  return await steps.state();
}

/** Largest difference over the largest |P|. */
export function errorOf(state, twin) {
  let [worst, most] = [0, 0];
  for (let i = 0; i < twin.length; i++) {
    const [size, off] = [Math.abs(twin[i]), Math.abs(twin[i] - state[i])];
    if (size > most) most = size;
    if (!(off <= worst)) worst = off;
  }
  return worst / most;
}

export function spreadOf(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted.at(-1) };
}

/** One for each vector at most. */
const MOST_PASSES = 2000;

/** Milliseconds of passes. */
export const sumOf = (passes) => passes.reduce((sum, { milliseconds }) => sum + milliseconds, 0);

/**
 * Milliseconds of the device's clock for each of `repetitions` passes over the frames of the last one, after some that do not count.
 * @param steps a LabTbd
 * @param busy work that keeps the clocks of an idle GPU up
 */
export async function passTimes(steps, busy, decimation, repetitions) {
  const times = [];
  const log = new PassLog(steps.session, MOST_PASSES);
  await busy.run();
  for (let n = -3; n < repetitions; n++) {
    const milliseconds = sumOf(await log.of(() => steps.again(decimation * (n + 10))));
    if (n >= 0) times.push(milliseconds);
  }
  log.destroy();
  return times;
}
