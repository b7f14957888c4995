import type { Input } from "../formats/input.js";
import type { ExactProgress } from "../map/exact/exact-run.js";
import type { HistoryRow } from "../map/solution.js";
import type { Backend } from "./device.js";
import type { SolveOverrides } from "./overrides.js";
import { isDrawn, makeProblem, type Problem } from "./problem.js";
import { type Run, type RunOptions, runProblem } from "./run.js";

/** The settings of a solve, as the command line and the library name them. */
export interface InputSettings
  extends SolveOverrides,
    Pick<RunOptions, "ascent" | "iterations" | "time" | "exact" | "cuts"> {
  readonly threads: number;
  /** In percent. */
  readonly gap?: number | undefined;
}

/** Who watches a solve. */
export interface Watch {
  /** Seconds since some fixed time. */
  readonly now: () => number;
  /** When the work began, on that clock. */
  readonly began: number;
  /** Told of pricing; ends it by throwing. */
  readonly priced?: (done: number, total: number) => void;
  /** Called between pricing and the solve; ends the work by throwing. */
  readonly answer?: () => void;
  readonly iterated?: (row: HistoryRow) => void;
  readonly exactProgress?: (progress: ExactProgress) => void;
  readonly interrupted?: () => boolean;
}

/** Prices and solves an input on a device, which `open` opens: where detections are simulated by other threads, it is called while these draw. */
export async function solveInput(
  open: () => Backend | Promise<Backend>,
  input: Input,
  settings: InputSettings,
  { now, began, priced, answer, iterated, exactProgress, interrupted }: Watch,
): Promise<{ problem: Problem; run: Run }> {
  const { threads, ascent, iterations, gap, time, exact, cuts = "auto" } = settings;
  let opening: Promise<Backend> | null = null;
  const opened = (): Promise<Backend> => {
    opening ??= Promise.resolve(open());
    // What is wrong with the input is told before what is wrong with the device.
    opening.catch(() => undefined);
    return opening;
  };
  if (!isDrawn(input)) opened();
  const problem = await makeProblem(input, settings, {
    threads,
    now,
    solver: opened,
    // Between items of its own it would be open late: to load its modules takes several turns of the event loop.
    drawing: () => opened().catch(() => undefined),
    ruled: (rule, rows) =>
      opened().then(
        (backend) => backend.prepare?.(rule, rows),
        () => undefined,
      ),
    ...(priced && { progress: priced }),
  });
  const backend = await opened();
  answer?.();
  const run = await runProblem(problem, {
    ...{ ascent, iterations, gapPercent: gap, time, exact, cuts, overrides: settings, began, threads, backend, now },
    ...(exactProgress && { exactProgress }),
    ...(iterated && { progress: iterated }),
    ...(interrupted && { interrupted }),
    pause: () => new Promise((resume) => setImmediate(resume)),
  });
  return { problem, run };
}
