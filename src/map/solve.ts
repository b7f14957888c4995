import { InputError, invariant, OutOfTime, PeerLost } from "../core/errors.js";
import { findShortage } from "./certificate/shortage.js";
import { startClock } from "./clock.js";
import { ASCENTS, DEFAULT_ASCENT } from "./dual/ascents.js";
import type { AscentSteps } from "./dual/steps.js";
import { startWarm, WARM_ITERATIONS } from "./dual/warm-start.js";
import type { Graph } from "./instance/instance.js";
import { payingTwins } from "./instance/twins.js";
import { Blocks, mayLayAnew } from "./primal/blocks.js";
import { createSeeds, type Seeds } from "./primal/seeds.js";
import type { Solution, SolveOptions } from "./solution.js";
import { conclude, concludeInfeasible } from "./solve/conclude.js";
import { ascentControl } from "./solve/control.js";
import { TracksFinder } from "./solve/find-tracks.js";
import { prove } from "./solve/prove.js";
import { SolveRun } from "./solve/solve-run.js";
import { StopRules } from "./solve/stop-rules.js";

/** Edges below which a search is done before a worker thread has begun, and seconds of searching after which one is worth it. */
const THREADS_FROM = 200_000;
const THREADS_AFTER = 1;

/**
 * Solves an instance: moves the multipliers with the ascent's steps, turns its assignments into tracks now and then, and
 * certifies the result with code that shares nothing with either.
 */
export async function solve(graph: Graph, steps: AscentSteps, options: SolveOptions): Promise<Solution> {
  const { threads = 1, threadsFrom = THREADS_FROM, now } = options;
  const clock = startClock(options);
  const crew = { threads: graph.edges >= threadsFrom ? threads : 1, late: () => clock.late() };
  const after = options.threadsFrom === undefined ? THREADS_AFTER : 0;
  const seeds = createSeeds(graph, { ...crew, after, now });
  const blocks = options.integer && mayLayAnew(graph) ? new Blocks(graph, { ...crew, load: options.integer }) : null;
  try {
    return await solveFrom(new SolveRun(graph, steps, clock, options), seeds, blocks);
  } finally {
    clock.stop();
    blocks?.close();
    await seeds.close();
  }
}

async function solveFrom(run: SolveRun, seeds: Seeds, blocks: Blocks | null): Promise<Solution> {
  const { graph, steps, bounds, clock } = run;
  const cutSteps = steps.limit?.(clock.late);
  const cutShort = () => {
    cutSteps?.();
    seeds.cut();
    blocks?.cut();
  };
  clock.onLate(cutShort);
  const finder = new TracksFinder(run, seeds, blocks, cutShort);
  const stop = new StopRules(run);

  const outOfTime = await ascend(run, stop, finder);
  run.hurried ||= clock.late();
  clock.stop();
  steps.limit?.(null);
  // Where none were kept, the present multipliers are certified: any are valid.
  if (bounds.keptDuals !== null) await steps.restore();
  if (bounds.ascent === Number.POSITIVE_INFINITY) {
    // Either an X-LAP has no solution, or there was an overflow; only a proof of its own tells which.
    const shortage = findShortage(graph);
    if (shortage !== null) return concludeInfeasible(run, shortage);
    bounds.ascent = Number.NEGATIVE_INFINITY;
  }
  if (!stop.closed() && !outOfTime) await run.timed("feasibleTracks", () => finder.searchAll(true));
  const proved = await prove(run, stop);
  return await run.timed("certificate", async () => conclude(run, proved));
}

/** Runs the ascent to its end, or until it is cut short for time or by a loss; whether it was. */
async function ascend(run: SolveRun, stop: StopRules, finder: TracksFinder): Promise<boolean> {
  const { graph, steps, bounds, options } = run;
  const { initialMultipliers = null, ascent, iterations } = options;
  const control = ascentControl(run, stop, finder);
  if (initialMultipliers !== null) requireMultipliers(graph, initialMultipliers);
  // Ascents that are there to compare with begin at 0 as it is, as they are published.
  // Where orphans may pay, multipliers that know nothing of the rows of divisions lead astray.
  const beginsWarm = initialMultipliers !== null || (ascent === DEFAULT_ASCENT && payingTwins(graph).length === 0);
  try {
    if (beginsWarm && iterations > WARM_ITERATIONS) await startWarm(steps, initialMultipliers, control);
    await ASCENTS[ascent](steps, control);
    return false;
  } catch (error) {
    if (!(error instanceof OutOfTime || error instanceof PeerLost)) throw error;
    if (error instanceof PeerLost) [run.loss, run.hurried] = [error.message, true];
    run.stopped = true;
    bounds.keptDuals = (await steps.keptDuals?.()) ?? null;
    return true;
  }
}

function requireMultipliers({ edges }: Graph, multipliers: Float64Array): void {
  invariant(
    multipliers.length === edges,
    () => `initialMultipliers: ${multipliers.length} multipliers for ${edges} edges`,
  );
  const wrong = multipliers.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw new InputError(`initialMultipliers: number ${wrong} is ${multipliers[wrong]}; give finite numbers`);
}
