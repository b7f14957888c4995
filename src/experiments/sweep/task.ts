import { createHash } from "node:crypto";
import { basename } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.js";
import { checkScenario, type Scenario } from "../../formats/scenario.js";
import { DEFAULT_ASCENT } from "../../map/dual/ascents.js";
import { runKey } from "../../rows/results.js";
import { costName } from "../../run/cost-source.js";
import { SOLVE_DEFAULTS, usualGapPercent } from "../../run/run.js";

/** Characters of recordings a sweep may put on a queue: the server keeps them in memory. */
export const MOST_TEXT = 2 ** 28;

/**
 * One run as data: everything that a worker needs on any machine, and nothing that it could execute. Recordings are sent by their content, so
 * that no path has to be read.
 */
export const task = z.strictObject({
  key: runKey,
  /** Version and revision of the rmap that made it; another one may interpret the same scenario differently. */
  version: z.string().max(100),
  revision: z.string().max(100).nullable(),
  /** The content of a scenario file, which the worker checks as one. */
  scenario: z.record(z.string(), z.json()),
  /** The recording's text, null where the scenario has none. */
  recording: z.string().max(MOST_TEXT).nullable(),
  /** How the bytes of a recording that is not UTF-8 text stand there. */
  encoded: z.literal("base64").optional(),
});

export type Task = z.infer<typeof task>;

/** Whether the costs are those of cost motion, so that a run may also stop at a gap in nats. */
export function isByProbabilities(pricing: Scenario["pricing"]): boolean {
  return pricing !== null && costName(pricing.cost) === "motion";
}

/** The stop rules of a scenario with the defaults applied. */
export function stopOf({ solve, pricing }: Scenario) {
  return {
    ascent: solve.ascent ?? DEFAULT_ASCENT,
    gapPercent: solve.gap ?? usualGapPercent(isByProbabilities(pricing)),
    iterations: solve.iterations ?? SOLVE_DEFAULTS.iterations,
    seconds: solve.time ?? null,
    ...(solve.rise !== undefined && { risePercent: solve.rise }),
  };
}

/**
 * Digest of all that decides a run's result: source, pricing, seed where something is drawn, ascent and stop rules, and for
 * recordings and instances the digest of their `content` in place of their path. Names and paths do not enter.
 */
export function keyOf(scenario: Scenario, content: string | null): string {
  const { source, pricing, seed } = scenario;
  const { kind } = source;
  const identity =
    kind === "detections"
      ? { kind, content, velocities: source.velocities, ...source.reading }
      : kind === "instance"
        ? { kind, content }
        : { ...source, seed };
  return digest(sortedJson({ source: identity, pricing, stop: stopOf(scenario) })).slice(0, 32);
}

/** The content of a task's recording. */
export const bytesOfRecording = ({ recording, encoded }: Pick<Task, "recording" | "encoded">): Buffer =>
  Buffer.from(recording ?? "", encoded ?? "utf8");

export function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** JSON with the keys of every object in order, so that equal values have equal texts. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/**
 * The scenario of a task, with its recording under its own name.
 *
 * @throws InputError where the task does not match its key, because another version of rmap with other defaults made it
 */
export function scenarioOfTask(task: Task): Scenario {
  const { key, scenario: value, recording } = task;
  const place = (path: readonly PropertyKey[]) => `run ${key}, ${path.map(String).join(".")}`;
  const scenario = checkScenario(value, place, "/");
  const { source } = scenario;
  if ((source.kind === "detections") !== (recording !== null)) {
    throw new InputError(`run ${key}: a recording comes with its content and nothing else does; queue the sweep again`);
  }
  // The content of an instance folder is known only on the machine that made the task.
  if (
    source.kind !== "instance" &&
    keyOf(scenario, recording === null ? null : digest(bytesOfRecording(task))) !== key
  ) {
    throw new InputError(`run ${key}: was queued by another version of rmap; use the same version on both sides`);
  }
  return source.kind === "detections" ? { ...scenario, source: { ...source, file: basename(source.file) } } : scenario;
}
