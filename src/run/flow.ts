/** From image sequences to flow: the device that computes it, pairs of a stream, and velocities at detections. */
import { usableCores } from "../core/cores.js";
import type { Detections } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import type { Frame } from "../core/frame.js";
import { medianOf } from "../core/select.js";
import type { DeviceChoice } from "../gpu/adapter.js";
import { sampleFlow } from "../pixels/flow/at-detections.js";
import { createCpuFlow } from "../pixels/flow/cpu-flow.js";
import { computeFlow, type FlowResult, type FlowSteps, scaled, scaleOf } from "../pixels/flow/flow.js";
import { createGpuFlow } from "../pixels/flow/gpu/gpu-flow.js";
import { tiled } from "../pixels/flow/gpu/tiled.js";
import type { FlowOptions, FlowPrecision } from "../pixels/flow/options.js";
import { createSimdFlow } from "../pixels/flow/simd-flow.js";
import { type Plane, toPlane } from "../pixels/image.js";
import { openDevice } from "./device.js";

export interface FlowDeviceOptions {
  readonly device: DeviceChoice;
  readonly precision: FlowPrecision;
  /** How the iterations run on a GPU: there is one way, which may be named. */
  readonly scheme?: "tiled";
  /** Iterations of one dispatch. */
  readonly depth?: number;
  readonly profile?: boolean;
  /** Seconds since some fixed time. */
  readonly now: () => number;
}

export interface OpenFlow {
  readonly steps: FlowSteps;
  /** The reason for which "auto" did not look for a GPU. */
  readonly why?: string | undefined;
  close(): Promise<void>;
}

/** Opens the device that computes flow; call close() at the end. auto takes a real GPU if there is one and the CPU if not. */
export async function openFlow(options: FlowDeviceOptions): Promise<OpenFlow> {
  const device = await openDevice(options.device, options.precision === "f16" ? ["shader-f16"] : []);
  const { session } = device;
  if (session === null) {
    if (options.scheme !== undefined || options.depth !== undefined) {
      throw new InputError(
        "flow: --scheme and --depth are of a GPU, and this runs on the CPU; leave them out, or choose --device",
      );
    }
    const { precision, now } = options;
    const steps = precision === "f32" ? createSimdFlow({ threads: usableCores(), now }) : createCpuFlow(options);
    return { steps, why: device.why, close: async () => steps.destroy() };
  }
  try {
    const steps = createGpuFlow(session, { ...options, scheme: tiled({ depth: options.depth }) });
    return {
      steps,
      close: async () => {
        steps.destroy();
        await device.close();
      },
    };
  } catch (error) {
    await device.close();
    throw error;
  }
}

export interface FrameFlow {
  /** Numbers of the frames that the flow starts from and leads to. */
  readonly from: number;
  readonly to: number;
  readonly first: Plane;
  readonly second: Plane;
  readonly flow: FlowResult;
}

/**
 * The flow of each frame to the next; with `backFromLast` then that of the last frame to the one before it. Two frames are held at a time.
 * @throws InputError where there are fewer than two frames
 */
export async function* flowOfSequence(
  frames: AsyncIterable<Frame>,
  options: FlowOptions,
  steps: FlowSteps,
  backFromLast = false,
): AsyncGenerator<FrameFlow> {
  let before: Plane | null = null;
  let last: { readonly first: Plane; readonly second: Plane } | null = null;
  let place = "the sequence";
  let count = 0;
  for await (const frame of frames) {
    const image = toPlane(frame);
    place = frame.place;
    if (before !== null) {
      const flow = await computeFlow(before, image, options, steps);
      yield { from: count - 1, to: count, first: before, second: image, flow };
      last = { first: before, second: image };
    }
    before = image;
    count++;
  }
  if (last === null) throw new InputError(`${place}: is the only frame; give two or more`);
  if (!backFromLast) return;
  const { first, second } = last;
  const flow = await computeFlow(second, first, options, steps);
  yield { from: count - 1, to: count - 2, first: second, second: first, flow };
}

export interface DetectionVelocities {
  /** In the file's unit of length a unit of time, one a detection; NaN where the flow has none. */
  readonly vx: Float64Array;
  readonly vy: Float64Array;
  /** Detections without one. */
  readonly missing: number;
}

/**
 * Frame k of the detections is image k of the sequence, counted from 0.
 * @param last frame of the detections in `file`
 * @throws InputError where the sequence has no such image
 */
export function requireImages(file: string, last: number, images: number): void {
  if (last < images) return;
  throw new InputError(
    `${file}: reaches to frame ${last}, and there are ${images} images, of which frame 0 is the first and ${images - 1} the last; give all images, or number the frames from 0`,
  );
}

/**
 * Velocities at detections, whose positions are pixels: the flow to the next frame over the time step, in the last frame of the images minus the flow
 * to the one before. `fillDrift` gives detections without a velocity the median of the others.
 * @param file of the detections, for messages
 * @param firstFrame number among the images of frame 0 of the detections
 * @throws InputError for detections in frames that there is no image of
 */
export async function velocitiesAtDetections(
  file: string,
  { frames, frameStart, x, y, timeStep }: Detections,
  firstFrame: number,
  flows: AsyncIterable<FrameFlow>,
  { radius, fillDrift }: { readonly radius: number; readonly fillDrift: boolean },
): Promise<DetectionVelocities> {
  const vx = new Float64Array(x.length).fill(Number.NaN);
  const vy = new Float64Array(x.length).fill(Number.NaN);
  let seen = 0;
  for await (const { from, to, first, second, flow } of flows) {
    seen = Math.max(seen, from + 1, to + 1);
    const frame = from - firstFrame;
    if (frame < 0 || frame >= frames) continue;
    const [start, end] = [frameStart[frame], frameStart[frame + 1]];
    const image = scaled(first, scaleOf({ first, second }));
    const { u, v } = sampleFlow(flow, image, x.subarray(start, end), y.subarray(start, end), radius);
    for (let k = 0; k < end - start; k++) {
      vx[start + k] = ((to - from) * u[k]) / timeStep;
      vy[start + k] = ((to - from) * v[k]) / timeStep;
    }
  }
  requireImages(file, firstFrame + frames - 1, seen);
  const given = vx.map((_, i) => i).filter((i) => !Number.isNaN(vx[i]));
  if (fillDrift && given.length > 0) {
    for (const values of [vx, vy]) {
      const drift = medianOf(Float64Array.from(given, (i) => values[i]));
      for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) values[i] = drift;
    }
  }
  return { vx, vy, missing: x.length - given.length };
}
