/** What the scripts of this folder share: frames of noise, the twin's state, and comparing with it. */
import { randomStreams } from "../../dist/core/random.js";
import { createCpuTbd } from "../../dist/pixels/before-detect/cpu.js";

const now = () => performance.now() / 1000;

export function noiseFrames(width, height, count, seed = 1) {
  const normals = randomStreams(seed).next().value.normals();
  return Array.from({ length: count }, () => {
    const values = new Float64Array(width * height);
    normals.fill(values);
    return Float32Array.from(values);
  });
}

/** The state after passes over the frames: of the twin, or of the steps given. */
export async function stateAfter(frames, field, options, steps = createCpuTbd(now)) {
  await steps.begin(field, options);
  const { decimation } = options;
  for (let k0 = 0; k0 < frames.length; k0 += decimation) await steps.advance(frames.slice(k0, k0 + decimation), k0);
  return { state: await steps.state(), times: { ...steps.times() } };
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
