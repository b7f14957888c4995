import { InputError } from "../../core/errors.js";
import type { FlowField } from "../../core/flow-field.js";
import type { GreyImage, Plane, Samples, Size } from "../image.js";
import { pyramidSizes } from "../pyramid.js";
import { checkFlowOptions, type FlowOptions, type FlowPrecision } from "./options.js";

export interface FlowResult extends FlowField {
  /** Sizes of the levels that were used, the finest first; fewer than asked for where an image is small. */
  readonly levels: readonly Size[];
  /** Iterations of each warp, the coarsest level first. */
  readonly iterations: readonly (readonly number[])[];
  readonly device: string;
  readonly precision: FlowPrecision;
  /** How the iterations ran on each level, the finest first. */
  readonly schemes: readonly string[];
  /** Seconds by part of the work, of the whole batch. */
  readonly times: Readonly<Record<string, number>>;
}

/** Iterations between two looks at the change of u: on a GPU each look waits for it. */
const LOOK_EVERY = 10;

/**
 * Dense optical flow from `first` to `second` by TV-L1: the u that minimizes ∫ |∇u| + |∇v| + λ |second(x + u) − first(x)|.
 * Zach, Pock, Bischof, DAGM 2007, as scheduled by Romera et al. 2023, Algorithm 1.
 * @throws InputError for sizes that differ or options out of range
 */
export async function computeFlow(
  first: Plane,
  second: Plane,
  options: FlowOptions,
  steps: FlowSteps,
): Promise<FlowResult> {
  const [result] = await computeFlows([{ first, second }], options, steps);
  return result;
}

/** computeFlow of several pairs of one size at a time; on a GPU they share every dispatch. */
export async function computeFlows(
  pairs: readonly ImagePair[],
  options: FlowOptions,
  steps: FlowSteps,
): Promise<FlowResult[]> {
  checkFlowOptions(options);
  const [{ first: model }] = pairs;
  for (const { width, height } of pairs.flatMap(({ first, second }) => [first, second])) {
    if (width === model.width && height === model.height) continue;
    throw new InputError(
      `flow: an image is ${width} × ${height} pixels, another ${model.width} × ${model.height}; give images of one size`,
    );
  }
  const sizes = pyramidSizes(model, options.levels, options.zoom);
  await steps.begin(
    pairs.map((pair) => ({ ...pair, scale: scaleOf(pair) })),
    sizes,
    options,
  );
  const iterations: number[][] = [];
  for (let level = sizes.length - 1; level >= 0; level--) {
    await steps.enter(level);
    const counts: number[] = [];
    for (let warp = 0; warp < options.warps; warp++) {
      await steps.warp();
      counts.push(await iterate(steps, options));
    }
    iterations.push(counts);
  }
  const { device, precision } = steps;
  const fields = await steps.finish();
  const shared = { levels: sizes, iterations, device, precision, schemes: steps.schemes, times: steps.times() };
  return fields.map((field) => ({ ...field, ...shared }));
}

/** Iterations of one warp; returns how many ran. */
async function iterate(steps: FlowSteps, { iterations, epsilon }: FlowOptions): Promise<number> {
  if (epsilon === 0) {
    await steps.iterate(iterations);
    return iterations;
  }
  for (let done = 0; done < iterations; ) {
    const block = Math.min(LOOK_EVERY, iterations - done);
    await steps.iterate(block - 1);
    const change = await steps.iterateMeasured();
    done += block;
    if (change < epsilon * epsilon) return done;
  }
  return iterations;
}

export interface ImagePair {
  readonly first: Plane;
  readonly second: Plane;
}

/** (value − minus) · factor, in f32. */
export interface Scale {
  readonly minus: number;
  readonly factor: number;
}

/** Images whose values are scaled where they are computed with. */
export interface ScaledPair extends ImagePair {
  readonly scale: Scale;
}

/** The steps of the flow, on the CPU or a GPU; computeFlow calls them one after the other for all pairs of a batch. */
export interface FlowSteps {
  /** "cpu", or the adapter's name. */
  readonly device: string;
  readonly precision: FlowPrecision;
  /** How the iterations run on each level, the finest first; known after `begin`. */
  readonly schemes: readonly string[];
  /** Takes the pairs, all of the size sizes[0], and builds their pyramids. */
  begin(pairs: readonly ScaledPair[], sizes: readonly Size[], options: FlowOptions): Promise<void>;
  /** Goes to a level: u from the coarser one, or 0 at the coarsest; p = 0. */
  enter(level: number): Promise<void>;
  /** Median of u, u⁰ = u, and the images linearized there. */
  warp(): Promise<void>;
  iterate(count: number): Promise<void>;
  /** The largest mean of |Δu|² over the pairs, px², of one more iteration. */
  iterateMeasured(): Promise<number>;
  finish(): Promise<FlowField[]>;
  /** Seconds by part of the work since `begin`. */
  times(): Readonly<Record<string, number>>;
  destroy(): void;
}

/**
 * The scale that takes the values of both images to 0 … 255, from the least to the greatest of the two; a flat pair stays as it is. In f32.
 * @throws InputError where the range or its inverse is beyond f32
 */
export function scaleOf({ first, second }: ImagePair): Scale {
  const ends = [extentOf(first.pixels), extentOf(second.pixels)];
  const least = Math.min(ends[0].least, ends[1].least);
  const most = Math.max(ends[0].most, ends[1].most);
  if (!(most > least)) return { minus: 0, factor: 1 };
  const factor = Math.fround(255 / (most - least));
  if (!Number.isFinite(factor) || !Number.isFinite(Math.fround(most - least))) {
    throw new InputError(
      `flow: the grey levels of a pair go from ${least} to ${most}, a range that f32 cannot scale; multiply the images by a number`,
    );
  }
  return { minus: least, factor };
}

/** Few values are new ends: four that are none are passed over together, which takes less than half the time of a plain loop. */
function extentOf(pixels: Samples): { least: number; most: number } {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < pixels.length; i += 4) {
    const end = Math.min(i + 4, pixels.length);
    if (end === i + 4) {
      const a = pixels[i];
      const b = pixels[i + 1];
      const c = pixels[i + 2];
      const d = pixels[i + 3];
      const isEnd = a < least || a > most || b < least || b > most || c < least || c > most || d < least || d > most;
      if (!isEnd) continue;
    }
    for (let k = i; k < end; k++) {
      if (pixels[k] < least) least = pixels[k];
      if (pixels[k] > most) most = pixels[k];
    }
  }
  return { least, most };
}

/** The twin of widen.wgsl. */
export function scaled({ width, height, pixels }: Plane, { minus, factor }: Scale): GreyImage {
  const out = new Float32Array(pixels.length);
  for (let i = 0; i < out.length; i++) out[i] = Math.fround(pixels[i] - minus) * factor;
  return { width, height, pixels: out };
}
