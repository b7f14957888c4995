import { InputError } from "../../core/errors.js";
import type { FoundTarget } from "../../core/found-target.js";
import type { Plane, Samples, Size } from "../image.js";
import { isMaximum, parabolaTop } from "../maxima.js";
import { median, robustSigma, thresholdFor } from "./noise.js";
import { normalTail } from "./normal.js";
import { type BeforeDetectOptions, checkBeforeDetect, couplesVectors, type RecursionOptions } from "./options.js";
import type { MotionVector } from "./vectors.js";

/** The recursion's X = pixels − minus, rounded to f32. A plane is one. */
export interface FrameValues {
  /** height × width, row by row. */
  readonly pixels: Samples;
  /** An f32, 0 unless given. */
  readonly minus?: number;
}

export interface TbdFrame extends Plane, FrameValues {
  /** Where it came from, as messages name it: Frame.place. */
  readonly place?: string;
}

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

export interface TbdSteps {
  /** "cpu", or the adapter's name. */
  readonly device: string;
  /** The state P(0) = 0 of images of that size. */
  begin(size: Size, options: RecursionOptions): Promise<void>;
  /** The recursion over frames k0 + 1, k0 + 2, …: `decimation` of them, or fewer at the end. */
  advance(frames: readonly FrameValues[], k0: number): Promise<void>;
  /**
   * Places where the largest P over the vectors exceeds `least` and all within `radius`. Where vectors are coupled it is the largest z, by the noise that each
   * has on its plane, about its median for the maximum, which is above 0.
   * @throws InputError where that noise cannot be measured
   */
  peaks(least: number, radius: number): Promise<Peaks>;
  /** P, of shape vectors × height × width. */
  state(): Promise<Float32Array>;
  destroy(): void;
}

/** In the order of their pixels, row by row. */
export interface Peaks {
  /** y · width + x. */
  readonly pixel: Uint32Array;
  /** Largest value over the vectors there, and the number of the vector. */
  readonly value: Float32Array;
  readonly vector: Uint32Array;
  /** That largest value left, right, above and below, 4 a peak; NaN outside the image. */
  readonly beside: Float32Array;
}

/** Of each pixel the largest value over the vectors; of equal ones the first. */
export interface Best {
  readonly value: Float32Array;
  readonly vector: Uint16Array;
}

/** @param planes one array of height × width for each vector */
export function bestOf(planes: readonly Float32Array[]): Best {
  const value = planes[0].slice();
  const vector = new Uint16Array(value.length);
  for (let v = 1; v < planes.length; v++) {
    const plane = planes[v];
    for (let i = 0; i < value.length; i++) {
      if (plane[i] > value[i]) {
        value[i] = plane[i];
        vector[i] = v;
      }
    }
  }
  return { value, vector };
}

/** Planes in units of the noise that each has: TbdSteps.peaks where vectors are coupled. */
export function inOwnNoise(planes: readonly Float32Array[], { vectors, combine }: RecursionOptions): Float32Array[] {
  return planes.map((plane, v) => {
    const middle = combine === "max" ? median(plane) : 0;
    const sigma = robustSigma(plane, middle);
    requireNoise(vectors[v], sigma);
    return plane.map((value) => (value - middle) / sigma);
  });
}

/** @throws InputError where a vector's state shows no noise */
export function requireNoise({ x, y }: MotionVector, sigma: number): void {
  if (sigma > 0) return;
  throw new InputError(
    `vector ${x},${y}: its noise cannot be measured, as more than half of its state is equal; give larger images`,
  );
}

/** Pixels whose value is above `least` and the largest of (2 · radius + 1)²; of equal ones the first, row by row. */
export function findPeaks({ value, vector }: Best, { width, height }: Size, least: number, radius: number): Peaks {
  const found: number[] = [];
  for (const [i, here] of value.entries()) {
    if (!(here > least)) continue;
    const beats = (other: number, isBefore: boolean) => other > here || (isBefore && other === here);
    if (isMaximum(value, { width, height }, i, radius, beats)) found.push(i);
  }
  const at = (x: number, y: number) =>
    x >= 0 && x < width && y >= 0 && y < height ? value[y * width + x] : Number.NaN;
  return {
    pixel: Uint32Array.from(found),
    value: Float32Array.from(found, (i) => value[i]),
    vector: Uint32Array.from(found, (i) => vector[i]),
    beside: Float32Array.from(
      found.flatMap((i) => {
        const [x, y] = [i % width, Math.floor(i / width)];
        return [at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)];
      }),
    ),
  };
}
