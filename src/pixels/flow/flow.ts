import { InputError } from "../../core/errors.js";
import type { FlowField } from "../../core/flow-field.js";
import type { Plane, Size } from "../image.js";
import { pyramidSizes } from "../pyramid.js";
import { checkFlowOptions, type FlowOptions, type FlowPrecision } from "./options.js";
import { scaleOf } from "./scale.js";
import type { FlowSteps, ImagePair } from "./steps.js";

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
