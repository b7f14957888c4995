import { performance } from "node:perf_hooks";
import { InputError } from "../../core/errors.js";
import { parseRecording } from "../../formats/input.js";
import { DeviceLostError } from "../../gpu/device-error.js";
import type { LapMethod } from "../../lap/method.js";
import { DEFAULT_ASCENT } from "../../map/dual/ascents.js";
import { type Provenance, provenance } from "../../rows/provenance.js";
import type { ResultRow } from "../../rows/results.js";
import { type Backend, openBackend } from "../../run/device.js";
import { makeProblem, type Problem, type ProblemOptions } from "../../run/problem.js";
import { runProblem } from "../../run/run.js";
import { bytesOfRecording, scenarioOfTask, stopOf, type Task } from "./task.js";

/** The device and limits of one worker's runs. */
export interface RunSettings {
  readonly device: Backend["requested"];
  readonly threads: number;
  /** Time every kernel on a GPU. */
  readonly profile?: boolean;
  /** What solves the X-LAPs on a GPU [auto]. */
  readonly xLaps?: LapMethod | undefined;
  /** Bytes that a run may take [those of the machine]. */
  readonly memory?: number;
}

/** Makes rows of tasks, one after the other. */
export interface TaskRunner {
  /** @throws DeviceLostError when the device went away; every other failure is a row */
  run(task: Task): Promise<ResultRow>;
  close(): Promise<void>;
}

/**
 * Opens the device once for any number of runs.
 *
 * @throws DeviceError when the device asked for cannot be had
 */
export async function openTaskRunner(settings: RunSettings): Promise<TaskRunner> {
  const { device, threads, profile, xLaps, memory } = settings;
  const now = () => performance.now() / 1000;
  const backend = await openBackend(device, { threads, now, ...(profile && { profile }), ...(xLaps && { xLaps }) });
  const made = provenance(new Date());
  return {
    async run(task) {
      try {
        const began = now();
        const problem = await problemOfTask(task, { threads, now, memory, solver: backend });
        const pause = () => new Promise<void>((resume) => setImmediate(resume));
        const { result } = await runProblem(problem, { threads, backend, began, memory, now, pause });
        return { ...result, ...made, date: new Date().toISOString() };
      } catch (error) {
        // The next run would find no device either, so the process ends and another one opens the device again.
        if (error instanceof DeviceLostError) throw error;
        return failedRow(task, messageOf(error), settings, made);
      }
    },
    close: () => backend.close(),
  };
}

/** @throws InputError where there is none */
export async function problemOfTask(task: Task, options: ProblemOptions): Promise<Problem> {
  const scenario = scenarioOfTask(task);
  const readRecording: ProblemOptions["readRecording"] = (file, use, reading) =>
    parseRecording(file, bytesOfRecording(task), use, reading);
  return makeProblem({ kind: "scenario", scenario }, {}, { ...options, readRecording });
}

/** Messages about input need no prefix; the kind of any other error is named. */
function messageOf(error: unknown): string {
  if (error instanceof InputError) return error.message;
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replace(/\s+/g, " ");
}

/** The row of a run without a result: its settings, and why it failed. */
export function failedRow(
  task: Task,
  error: string,
  { device, threads }: { readonly device: string; readonly threads: number },
  made: Provenance = provenance(new Date()),
): ResultRow {
  let asked: Partial<ResultRow> = {};
  try {
    const scenario = scenarioOfTask(task);
    const { ascent, ...stop } = stopOf(scenario);
    asked = { ascent, stop, seed: scenario.seed };
  } catch {
    // The task itself is at fault.
  }
  return {
    name: String(task.scenario.name ?? task.key),
    status: "failed",
    lowerBound: null,
    upperBound: null,
    gapPercent: null,
    iterations: 0,
    ascent: DEFAULT_ASCENT,
    device: { requested: device, actual: device },
    precision: "f64",
    threads,
    frames: 0,
    detections: 0,
    edges: 0,
    triplets: 0,
    scores: null,
    times: {},
    seed: null,
    scenario: task.scenario,
    ...asked,
    error,
    notes: [],
    ...made,
    date: new Date().toISOString(),
  };
}
