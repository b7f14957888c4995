import { InputError } from "../../core/errors.js";
import type { FoundTarget } from "../../core/found-target.js";
import type { Samples, Size } from "../image.js";
import { parabolaTop } from "../maxima.js";
import { median, robustSigma, thresholdFor } from "./noise.js";
import { normalTail } from "./normal.js";
import { type BeforeDetectOptions, checkBeforeDetect, couplesVectors } from "./options.js";
import { bestOf, findPeaks, type Peaks } from "./peaks.js";
import type { FrameValues, TbdFrame } from "./samples.js";
import type { TbdSteps } from "./steps.js";

export interface OutputFrame {
  /** Number of the last image that went into it, counted from 0. */
  readonly frame: number;
  /**
   * In the order of their pixels, row by row; the velocity is the motion vector, the score z = P / σ_P. After one image all vectors have the same
   * sum, so that none is measured.
   */
  readonly detections: readonly FoundTarget[];
  /** Least z, and σ_P, of this output; null where each vector has its own σ_P. */
  readonly threshold: number;
  readonly sigma: number | null;
  /**
   * False alarms that the state itself gives reason to expect: as many as the same images have detections with light and dark exchanged, or as normal
   * noise about the state's median has, whichever is more, and no more than there are detections. Counted in outputs 1, 2, 4, 8, …, and null in all others, where vectors are coupled, and
   * where the state is above `MOST_COUNTED`. What stands still and is lighter alone, as a hot pixel, passes for a target.
   */
  readonly expectedFalse: number | null;
}

/** Numbers of a state that is read back for this, at most. */
const MOST_COUNTED = 2 ** 26;

/**
 * Track-before-detect over a sequence, streaming: memory holds `decimation` frames and the state. There is an output every `decimation` frames;
 * frames after the last one go into the state alone.
 * Mazurek, Optimization of Track-Before-Detect Systems with Decimation for GPGPU, eqs. (1), (2).
 * @throws InputError for options out of range, frames that differ in size, and frames whose noise cannot be measured
 */
export async function* detectBeforeTracking(
  frames: AsyncIterable<TbdFrame> | Iterable<TbdFrame>,
  options: BeforeDetectOptions,
  steps: TbdSteps,
): AsyncGenerator<OutputFrame> {
  checkBeforeDetect(options);
  const { alpha, decimation, vectors, falseAlarms, threshold, sigma } = options;
  let size: Size | null = null;
  let level = 0;
  let variance = 0;
  let k = 0;
  let outputs = 0;
  const held: FrameValues[] = [];
  for await (const { width, height, pixels, minus, place } of frames) {
    if (size === null) {
      size = { width, height };
      level = threshold ?? thresholdFor(falseAlarms, vectors.length * width * height);
      await steps.begin(size, options);
    }
    if (width !== size.width || height !== size.height) {
      throw new InputError(
        `${place ?? `frame ${k}`}: is ${width} × ${height} pixels, those before ${size.width} × ${size.height}; give frames of one size`,
      );
    }
    k++;
    // σ_P² follows the recursion of P, so that it is right also where the noise changes.
    if (!couplesVectors(options)) {
      variance =
        alpha * alpha * variance + ((1 - alpha) * (sigma ?? measuredSigma(pixels, place ?? `frame ${k - 1}`))) ** 2;
    }
    held.push(minus === undefined ? { pixels } : { pixels, minus });
    if (held.length < decimation) continue;
    await steps.advance(held, k - decimation);
    held.length = 0;
    const sigmaP = couplesVectors(options) ? null : Math.sqrt(variance);
    const peaks = await steps.peaks(level * (sigmaP ?? 1), options.radius);
    const detections = detectionsOf(peaks, sigmaP ?? 1, size, options, k > 1);
    outputs++;
    const isCounted = Number.isInteger(Math.log2(outputs)) && vectors.length * width * height <= MOST_COUNTED;
    const expectedFalse =
      sigmaP !== null && isCounted
        ? Math.min(detections.length, expectedIn(await steps.state(), size, options, level, sigmaP))
        : null;
    yield { frame: k - 1, detections, threshold: level, sigma: sigmaP, expectedFalse };
  }
  if (held.length > 0) await steps.advance(held, k - held.length);
}

function measuredSigma(pixels: Samples, place: string): number {
  const sigma = robustSigma(pixels);
  if (sigma > 0) return sigma;
  throw new InputError(
    `${place}: more than half of its pixels are equal, so that its noise cannot be measured; give --sigma`,
  );
}

function expectedIn(
  state: Float32Array,
  size: Size,
  { vectors, radius }: BeforeDetectOptions,
  level: number,
  sigma: number,
): number {
  const cells = size.width * size.height;
  const planes = vectors.map((_, v) => state.subarray(v * cells, (v + 1) * cells).map((value) => -value));
  const dark = findPeaks(bestOf(planes), size, level * sigma, radius).pixel.length;
  return Math.max(dark, state.length * normalTail(level + median(planes[0]) / sigma));
}

/** @param moved whether there is more than one image to tell vectors apart */
function detectionsOf(
  peaks: Peaks,
  sigma: number,
  { width }: Size,
  options: BeforeDetectOptions,
  moved: boolean,
): FoundTarget[] {
  const { vectors, subpixel } = options;
  return Array.from(peaks.pixel, (pixel, n) => {
    const { x: vx, y: vy } = moved ? vectors[peaks.vector[n]] : { x: Number.NaN, y: Number.NaN };
    const here = peaks.value[n];
    const [left, right, above, below] = peaks.beside.subarray(4 * n, 4 * n + 4);
    const [dx, dy] = subpixel ? [parabolaTop(left, here, right), parabolaTop(above, here, below)] : [0, 0];
    return { x: (pixel % width) + dx, y: Math.floor(pixel / width) + dy, vx, vy, score: here / sigma };
  });
}
