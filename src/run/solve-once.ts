import { InputError } from "../core/errors.js";
import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import type { Multipliers } from "../costs/motion/reduced-costs.js";
import type { Shortage } from "../map/certificate/shortage.js";
import { buildOnThreads } from "../map/instance/build.js";
import { fromFileOrder } from "../map/instance/edges.js";
import type { Graph } from "../map/instance/instance.js";
import type { HistoryRow, Solution, SolveOptions } from "../map/solution.js";
import { solve } from "../map/solve.js";
import type { Backend } from "./device.js";
import { requireMemory, sizesOf } from "./memory.js";
import { multipliersInFileOrder } from "./multipliers.js";
import type { Problem } from "./problem.js";

/** The machine that a solve runs on, and who watches it. */
export interface Solving {
  readonly threads: number;
  readonly backend: Backend;
  readonly now: () => number;
  /** Bytes the run may take [those of the machine]. */
  readonly memory?: number | undefined;
  readonly progress?: (row: HistoryRow) => void;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
}

type Limits = Omit<SolveOptions, keyof Solving | "alarm" | "threadsFrom">;

/**
 * One solve on the run's device, with the seconds of its parts. Where its `multipliers` are wanted they are read, and turned to the order of files when they are asked for.
 * @throws InputError when no complete assignment exists
 */
export async function solveOnce(
  problem: Problem,
  options: Solving,
  limits: Limits,
  wanted: { readonly multipliers: boolean } = { multipliers: false },
) {
  const { now, threads, progress, interrupted, pause } = options;
  const begin = now();
  requireMemory(sizesOf(problem.priced), options.memory);
  const { graph, stats } = await buildOnThreads(problem.priced, problem.numbers, threads);
  const build = now() - begin;
  const opened = now();
  const steps = await options.backend.createSteps(graph, problem.linkPricing);
  const upload = now() - opened;
  const started = now();
  let solution: Solution;
  let state: Multipliers | null = null;
  try {
    solution = await solve(graph, steps, {
      ...limits,
      ...(limits.initialMultipliers && { initialMultipliers: fromFileOrder(graph, limits.initialMultipliers) }),
      threads,
      now,
      alarm: (seconds, ring) => {
        const timer = setTimeout(ring, Math.min(1000 * seconds, 2 ** 31 - 1));
        return () => clearTimeout(timer);
      },
      ...(progress && { progress }),
      ...(interrupted && { interrupted }),
      ...(pause && { pause }),
    });
    if (wanted.multipliers) state = await steps.read();
  } finally {
    await steps.close();
  }
  if (solution.status === "infeasible") {
    throw new InputError(tooFewEnds(solution.shortage, graph, problem.numbers));
  }
  return {
    graph,
    stats,
    solution,
    steps,
    multipliers: () => multipliersInFileOrder(graph, state as Multipliers),
    build,
    upload,
    seconds: now() - started,
  };
}

/** The frame pair, its detections that cannot all be linked, and the remedy. */
function tooFewEnds({ pair, tails, heads }: Shortage, { frameStart }: Graph, numbers: FrameNumbers): string {
  const [frame, next] = [pair, pair + 1].map((p) => frameNumber(numbers, p));
  const named = (detections: readonly number[], from: number) => {
    const [more, numbers] = [detections.length > 5, detections.slice(0, 5).map((d) => d - from)];
    return `${detections.length === 1 ? "detection" : "detections"} ${numbers.join(", ")}${more ? ", …" : ""} of frame`;
  };
  return (
    `frame pair ${frame}–${next}: its edges admit no complete assignment: all edges of the ${tails.length} ` +
    `${named(tails, frameStart[pair])} ${frame} lead to the ${heads.length} ` +
    `${named(heads, frameStart[pair + 1])} ${next}; widen the gate or give birth and death costs`
  );
}
