import { createHash } from "node:crypto";
import { basename } from "node:path";
import { type Detections, requirePlane } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { type DetectionsFile, recordingOf } from "../../formats/detections.js";
import type { Scenario } from "../../formats/scenario.js";
import type { BaselineMethod, BaselineRow } from "../../rows/baselines.js";
import type { Backend } from "../../run/device.js";
import { makeProblem } from "../../run/problem.js";
import { runProblem } from "../../run/run.js";
import { compareLabels } from "../../scores/comparison.js";
import { scoreTracks } from "../../scores/metrics.js";
import { FAULT_NAMES, type FaultName } from "../../simulation/faults.js";
import { simulate } from "../../simulation/trajectories.js";
import { CLEAN, type Damage, damaged, firstFrames, medianStep, RECORDING_DAMAGES } from "./damage.js";
import { assignmentTracks, driftTracks, greedyTracks } from "./frame-pairs.js";
import { kalmanTracks, studentKalmanTracks } from "./kalman-tracks.js";

/** Detections that every method is to track, and the damage done to them. */
export interface Trial {
  readonly input: string;
  readonly damage: Damage;
  readonly seed: number;
  readonly velocities: "measured" | "none";
  /** Drawn or read when the trial's turn comes. */
  readonly detections: () => Detections;
}

/** Levels of each fault that a simulation is drawn with; all others are as in its scenario. */
const FAULT_LEVELS: Readonly<Record<FaultName, readonly number[]>> = {
  missed: [0.05, 0.1, 0.2, 0.3],
  clutter: [1, 2, 5, 10],
  births: [0.5, 1, 2],
  deaths: [0.01, 0.02, 0.05, 0.1],
  occlusion: [0.25, 0.5, 1, 2],
  tails: [8, 4, 2, 1],
  turns: [0.02, 0.05, 0.1, 0.2],
};

/** A recording with and without its velocities, as it is and damaged; `limit` detections at most, in whole frames from the first. */
export function recordingTrials({ detections }: DetectionsFile, file: string, limit: number, seed: number): Trial[] {
  requirePlane(detections, `${file}, bench baselines`);
  const short = firstFrames(detections, limit);
  if (medianStep(short) === undefined) {
    throw new InputError(
      `${file}: no true target is in two consecutive frames; tracks are scored by a column target, which names it`,
    );
  }
  const input = basename(file).replace(/\.[^.]*$/, "");
  const kinds = short.vx === null ? (["none"] as const) : (["none", "measured"] as const);
  return kinds.flatMap((velocities) =>
    RECORDING_DAMAGES.map((damage) => ({
      input,
      damage,
      seed,
      velocities,
      detections: () => {
        const made = damaged(short, damage, seed);
        return velocities === "none" ? { ...made, vx: null, vy: null } : made;
      },
    })),
  );
}

/** A simulation as it is, and with each fault at each level in turn. */
export function simulationTrials({ name, source }: Scenario, seeds: readonly number[]): Trial[] {
  if (source.kind !== "simulation") return [];
  const levels: Damage[] = FAULT_NAMES.flatMap((fault) => FAULT_LEVELS[fault].map((level) => ({ fault, level })));
  const velocities = source.velocities ?? "measured";
  return [CLEAN, ...levels].flatMap((damage) =>
    seeds.map((seed) => ({
      input: name,
      damage,
      seed,
      velocities,
      detections: () => {
        const damaged = damage.fault === CLEAN.fault ? {} : { [damage.fault]: damage.level };
        return simulate({ ...source, faults: { ...source.faults, ...damaged } }, seed);
      },
    })),
  );
}

export interface MethodOptions {
  readonly backend: Backend;
  readonly threads: number;
  /** Seconds that a solve may take, passes included. */
  readonly time: number;
  readonly now: () => number;
}

interface Tracked {
  readonly track: Int32Array | null;
  readonly gate: number | null;
  readonly gapPercent: number | null;
  readonly status: string | null;
}

const uncertified = ({ track, gate }: { track: Int32Array; gate: number }): Tracked => ({
  track,
  gate,
  gapPercent: null,
  status: null,
});

/** Every method by its name in rows. */
export const METHODS: Readonly<
  Record<BaselineMethod, (detections: Detections, options: MethodOptions) => Promise<Tracked>>
> = {
  greedy: async (detections) => uncertified(greedyTracks(detections)),
  lap: async (detections) => uncertified(assignmentTracks(detections)),
  kalman: async (detections) => uncertified(kalmanTracks(detections)),
  "kalman-t": async (detections) => uncertified(studentKalmanTracks(detections)),
  drift: async (detections) => uncertified(driftTracks(detections)),
  rmap: (detections, options) => solved(detections, "rmap", options),
  default: (detections, options) => solved(detections, undefined, options),
};

/** What `rmap solve` does with the detections when no option is given, or with another ascent. */
async function solved(
  detections: Detections,
  ascent: "rmap" | undefined,
  { backend, threads, time, now }: MethodOptions,
): Promise<Tracked> {
  const began = now();
  const problem = await makeProblem(
    { kind: "detections", recording: recordingOf("trial", detections) },
    {},
    { threads, now, solver: backend },
  );
  const run = await runProblem(problem, { ascent, time, cuts: "auto", began, threads, backend, now });
  const { gapPercent, status } = run.result;
  return { track: run.track, gate: null, gapPercent, status };
}

/** What decides a trial's outcome: two rows of one method, digest and seed say the same. */
export function digestOfDetections({ frameStart, x, y, vx, vy, target }: Detections): string {
  const hash = createHash("sha256");
  for (const part of [frameStart, x, y, vx, vy, target]) {
    hash.update(part === null ? "none" : new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  }
  return hash.digest("hex").slice(0, 32);
}

/** Runs one method on one trial; the row without its provenance. */
export async function runTrial(
  { input, damage, seed, velocities }: Trial,
  detections: Detections,
  method: BaselineMethod,
  options: MethodOptions & { readonly cpu: () => number },
): Promise<BaselineRow> {
  requirePlane(detections, `${input}, bench baselines`);
  const before = options.cpu();
  const { track, gate, gapPercent, status } = await METHODS[method](detections, options);
  const cpuSeconds = options.cpu() - before;
  const { frames, frameStart, target } = detections;
  const scores = track && target && scoreTracks(compareLabels(frameStart, target, track));
  return {
    benchmark: "baselines",
    method,
    input,
    digest: digestOfDetections(detections),
    frames,
    detections: target?.length ?? 0,
    velocities,
    fault: damage.fault,
    level: damage.level,
    seed,
    scores: scores && { ...scores },
    gate,
    gapPercent,
    status,
    cpuSeconds,
  };
}
