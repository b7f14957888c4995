import { extent, median } from "d3-array";
import { type Detection, type Detections, frameOfDetections, frameRange, joinFrames } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { randomStreams } from "../../core/random.js";

/** One kind of fault in detections, and its level. */
export interface Damage {
  readonly fault: string;
  readonly level: number;
}

export const CLEAN: Damage = { fault: "none", level: 0 };

/** Damages that every recording is tried with. */
export const RECORDING_DAMAGES: readonly Damage[] = [
  CLEAN,
  { fault: "missed", level: 0.05 },
  { fault: "missed", level: 0.15 },
  { fault: "clutter", level: 0.05 },
  { fault: "jitter", level: 0.1 },
];

/**
 * Detections with a fault added: `missed`, the probability that one is dropped; `clutter`, false ones as a share of all, uniform over the box of
 * the positions and over the frames' own numbers; `jitter`, normal noise whose standard deviation per axis is this share of the median step of true
 * targets. Frames stay, also empty ones.
 * @throws InputError where jitter is asked for and no target has two detections in consecutive frames
 */
export function damaged(detections: Detections, { fault, level }: Damage, seed: number): Detections {
  if (fault === "none") return detections;
  const random = randomStreams(seed).next().value;
  const { frames, frameStart, x, y, vx, vy, target, timeStep } = detections;
  if (fault === "jitter") {
    const step = medianStep(detections);
    if (step === undefined) throw new InputError("jitter: no target has detections in two consecutive frames");
    const sigma = level * step;
    return {
      ...detections,
      x: x.map((value) => value + sigma * random.normal()),
      y: y.map((value) => value + sigma * random.normal()),
    };
  }
  const all: Detection[][] = Array.from({ length: frames }, () => []);
  for (let p = 0; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      if (fault === "missed" && random.uniform(0, 1) < level) continue;
      const velocity = { vx: vx?.[d] ?? Number.NaN, vy: vy?.[d] ?? Number.NaN };
      all[p].push({ x: x[d], y: y[d], ...velocity, target: target?.[d] ?? -1 });
    }
  }
  if (fault === "clutter") {
    const frameOf = frameOfDetections(frameStart);
    const [[left, right], [bottom, top]] = [extent(x) as [number, number], extent(y) as [number, number]];
    for (let n = 0; n < Math.round(level * x.length); n++) {
      const p = frameOf[Math.floor(random.uniform(0, x.length))];
      const [falseX, falseY] = [random.uniform(left, right), random.uniform(bottom, top)];
      all[p].push({ x: falseX, y: falseY, vx: Number.NaN, vy: Number.NaN, target: -1 });
    }
  }
  const joined = joinFrames(all, timeStep);
  return { ...joined, vx: vx && joined.vx, vy: vy && joined.vy, target: target && joined.target };
}

/** The first frames that hold at most `limit` detections, at least two frames. */
export function firstFrames(detections: Detections, limit: number): Detections {
  const { frameStart } = detections;
  let { frames } = detections;
  while (frames > 2 && frameStart[frames] > limit) frames--;
  return frameRange(detections, 0, frames);
}

/** Median distance that a true target moves from one frame to the next; undefined where no target is in both of two such frames. */
export function medianStep({ frames, frameStart, x, y, target }: Detections): number | undefined {
  const steps: number[] = [];
  let before = new Map<number, number>();
  for (let p = 0; p < frames; p++) {
    const here = new Map<number, number>();
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const n = target?.[d] ?? -1;
      if (n < 0) continue;
      const last = before.get(n);
      if (last !== undefined) steps.push(Math.hypot(x[d] - x[last], y[d] - y[last]));
      here.set(n, d);
    }
    before = here;
  }
  return median(steps);
}
