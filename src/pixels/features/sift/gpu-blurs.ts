/** The blurs of the scale space on a device: scale-space.wgsl. */
import { InputError } from "../../../core/errors.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import type { Step, Workspace } from "../../../gpu/workspace.js";
import { gaussianTaps } from "../../gaussian.js";
import { type BlurShape, type BlurSource, blurText } from "./blur-text.js";
import { type DeviceOctave, TILE_WIDTH } from "./octaves.js";
import { GAUSSIANS, inputBlur, LAYERS, OFFSET, stepBlur } from "./scale-space.js";
import type { SiftOptions } from "./sift.js";
import { pitchOf, VECTOR } from "./space.js";

/** With few pixels a thread, tiles are many and short, and the latency of a dispatch is what counts. */
const SHAPE: BlurShape = { height: 32, depth: 2 };

/** An octave and the number of a Gaussian in it. */
type Gaussian = readonly [octave: number, number: number];

/**
 * The chain of blurs, one or two Gaussians a dispatch. An octave begins once Gaussian 3 of the one before is there, so its first two blurs go
 * with that one's last two: three dispatches an octave instead of five.
 * @param pieces texts of the kernel's imports
 */
export async function blurSteps(
  work: Workspace,
  octaves: readonly DeviceOctave[],
  { firstOctave, storage }: SiftOptions,
  pieces: Readonly<Record<string, string>>,
): Promise<Step[]> {
  const chain: Gaussian[][] = [[[0, 0]]];
  octaves.forEach((_, o) => {
    for (let g = 1; g < GAUSSIANS; g++) {
      chain[LAYERS * o + g] ??= [];
      chain[LAYERS * o + g].push([o, g]);
    }
  });
  const load = async (blurs: readonly Gaussian[], at: number) => {
    const source: BlurSource = at > 0 ? "pyramid" : firstOctave === -1 ? "doubled" : "image";
    // The last octave's last two use the kernels of the others', which make the next octave's first two as well.
    const [[, g]] = blurs;
    const numbers = g > LAYERS ? [g, g - LAYERS] : [g];
    const taps = numbers.map((one) => gaussianTaps(one === 0 ? inputBlur(firstOctave) : stepBlur(one)));
    const constants = { OFFSET: OFFSET[storage] };
    const texts = { ...pieces, blurs: blurText(taps, source, SHAPE) };
    return await loadKernel(work.session, new URL("./scale-space.wgsl", import.meta.url), { constants, texts });
  };
  const kernels = await Promise.all(chain.map(load));
  return chain.map((blurs, at) => stepOf(work, octaves, kernels[at], blurs));
}

function stepOf(work: Workspace, octaves: readonly DeviceOctave[], kernel: Kernel, blurs: readonly Gaussian[]): Step {
  const jobs = blurs.map((gaussian) => jobOf(octaves, gaussian));
  const groups = jobs.reduce((sum, job) => sum + job.groups, 0);
  if (groups > work.session.mostGroups) {
    const [{ width, height }] = octaves;
    throw new InputError(`a scale space of ${width} × ${height} pixels is too large for the device; use --device cpu`);
  }
  const padded = jobs.length === 2 ? jobs : [jobs[0], jobs[0]];
  return { kernel, groups: [groups], bound: { step: work.constant(kernel.struct("Step"), { jobs: padded }) } };
}

/** A record of the struct Job. */
function jobOf(octaves: readonly DeviceOctave[], [o, g]: Gaussian) {
  const { offset, width, height } = octaves[o];
  const columns = Math.ceil(width / TILE_WIDTH);
  const next = g === LAYERS ? octaves[o + 1] : undefined;
  const placeOf = (number: number) => (offset + number * pitchOf(width) * height) / VECTOR;
  return {
    source: placeOf(Math.max(g - 1, 0)),
    to: placeOf(g),
    half: (next?.offset ?? 0) / VECTOR,
    halfWidth: next?.width ?? 0,
    halfHeight: next?.height ?? 0,
    width,
    height,
    columns,
    groups: columns * Math.ceil(height / SHAPE.height),
  };
}
