import { relativeGap } from "../certificate/gap.js";
import type { Graph } from "../instance/instance.js";
import { mayLayAnew } from "../primal/blocks.js";
import { wholeOf } from "../proof/core.js";
import { isExhaustible } from "../proof/exhaustion.js";
import type { Stage } from "../proof/proof.js";
import type { BeyondOptions, BeyondOutcome, RegionThreads } from "./beyond-options.js";
import { progressOf } from "./exact-run.js";
import { Patience, withPatience } from "./patience.js";
import { boundRegions, solveRegion } from "./region-bounds.js";
import { goalOf, meets, reduceCore } from "./stages.js";

const ON_THIS_THREAD: RegionThreads = {
  threads: 1,
  caller: async (work) => ({ call: work, close: async () => {} }),
};

/** Relative gap from which regions are worth their time: above it the tracks want better ones, and regions that any tracks pay little in are most of what these pay. */
const REGIONS_FROM = 0.005;

/** Share of the time of which nothing else is begun. */
const LATE_SHARE = 0.05;

/** Regions in which any tracks pay beyond the bound, of which linear programs of the whole may still make one. */
const MOST_REGIONS = 3;

/** Where detections exclude each other: the bound with what any tracks pay in regions beside each other. null where that is nothing. */
export async function boundInRegions(
  graph: Graph,
  stage: Stage,
  tracks: Int32Array,
  options: BeyondOptions,
): Promise<(BeyondOutcome & { readonly isMade: boolean }) | null> {
  const goal = graph.exclusions === null || isExhaustible(graph) ? null : goalOf(graph, tracks);
  const solver = goal && (await options.load());
  if (goal === null || solver === null) return null;
  const reduced = reduceCore(wholeOf(graph, tracks), stage);
  if (!(relativeGap(reduced.constant, goal.cost) <= REGIONS_FROM)) return null;
  const end = options.now() + options.time;
  const patience = options.vain === undefined ? null : new Patience(options.vain);
  const { regions: { threads, caller: openCaller } = ON_THIS_THREAD } = options;
  const caller = await openCaller((task) => solveRegion(task, solver));
  const patient = withPatience(options, patience, 1);
  const { lowerBound, regions, proved, cuts, leaves } = await boundRegions(reduced, stage, tracks, {
    ...{ ...patient, caller, threads },
    met: (bound) => meets(bound, goal, options.gap),
    progress: (bound, of) => patient.progress?.(progressOf(graph, Math.min(bound, goal.least), goal.cost, of)),
  }).finally(() => caller.close());
  const isLate = end - options.now() < LATE_SHARE * options.time;
  if (proved === 0 && !isLate) return null;
  return {
    ...{ lowerBound: Math.min(lowerBound, goal.least), upperBound: goal.cost, tracks },
    proof: { stages: [stage], leaves: [], ...(proved > 0 && { regions }) },
    optimal: false,
    ...{ cuts, leaves, isMade: isLate || (regions.length > MOST_REGIONS && mayLayAnew(graph)) },
    outcome: meets(lowerBound, goal, options.gap)
      ? "closed"
      : patience?.isOver() === true
        ? "fruitless"
        : isLate || options.interrupted?.() === true
          ? "time"
          : "still",
    by: "linear programs",
  };
}
