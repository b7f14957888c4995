import { relativeGap } from "../certificate/gap.js";
import type { AscentControl } from "../dual/ascent.js";
import { slackOf } from "../dual/slack.js";
import type { ReadState } from "../dual/steps.js";
import { tripletCost } from "../instance/instance.js";
import type { TracksFinder } from "./find-tracks.js";
import type { SolveRun } from "./solve-run.js";
import type { StopRules } from "./stop-rules.js";

/** Relative gap from which elimination is tried inside the ascent, and the share of it at which it is tried again. */
const ELIMINATE_FROM = 1e-3;
const ELIMINATE_AGAIN = 0.5;

/** Edges from which it is not tried while more than this share of them fits between the bounds. */
const CROWDED_FROM = 100_000;
const CROWDED = 0.95;

/** Follows an ascent: searches for tracks, certifies and eliminates now and then, and says when to stop. */
export function ascentControl(run: SolveRun, stop: StopRules, finder: TracksFinder): AscentControl {
  const { steps, best, bounds, options } = run;
  let eliminatedAt = Number.POSITIVE_INFINITY;
  return {
    upperBound: () => best.upperBound,
    async iterated() {
      await options.pause?.();
      return stop.afterIteration();
    },
    async bounded(bound) {
      const rose = bounds.rise(bound);
      if (bound === Number.POSITIVE_INFINITY) return true;
      if (rose && finder.isDue()) await run.timed("feasibleTracks", () => finder.search());
      if (rose && stop.closed() && steps.precision === "f32") {
        run.tellLikely();
        await run.timed("certificate", () => bounds.confirm(bound));
      }
      const gap = relativeGap(bounds.ascent, best.upperBound);
      // Where it goes on although it is close enough, it does so for a proof, and the present multipliers may have one that later ones do not.
      const from = stop.closed() ? Number.POSITIVE_INFINITY : ELIMINATE_FROM;
      if (rose && !stop.done() && gap <= Math.min(from, ELIMINATE_AGAIN * eliminatedAt)) {
        eliminatedAt = gap;
        if (bounds.mayExamine() && !(await roomForAll(run))) {
          run.tellLikely();
          await run.timed("elimination", () => bounds.examine());
        }
      }
      run.record();
      if (rose && gap <= ELIMINATE_FROM) run.isSmall = await fewFit(run, stop.mostInPrograms());
      return stop.done() || run.isSmall;
    },
  };
}

/** Whether nearly every edge by itself fits between the bounds, so that elimination is not worth its time yet. */
async function roomForAll(run: SolveRun): Promise<boolean> {
  const { edges } = run.graph;
  if (edges < CROWDED_FROM) return false;
  const { room, slack } = slacks(run, await run.steps.read());
  let inside = 0;
  for (let e = 0; e < edges; e++) if (slack(e) < room) inside++;
  return inside > CROWDED * edges;
}

/** Whether no more triplets of links than so many fit between the bounds by themselves. */
async function fewFit(run: SolveRun, most: number): Promise<boolean> {
  if (!(most > 0)) return false;
  const { graph, steps } = run;
  const { links, head, linkStart, linkEnd } = graph;
  const state = await steps.read();
  const { room, slack } = slacks(run, state);
  let count = 0;
  for (let e = 0; e < links && count <= most; e++) {
    const own = slack(e);
    if (!(own < room)) continue;
    for (let f = linkStart[head[e]]; f < linkEnd[head[e]]; f++) {
      const both = own + slack(f);
      if (both < room && both + tripletCost(graph, e, f) - state.v[f] - state.delta[e] < room) count++;
    }
  }
  return count <= most;
}

/** What is left between the bounds, and what each edge costs beyond the X-LAPs' duals. */
function slacks({ graph, best, bounds }: SolveRun, state: ReadState) {
  return { room: best.upperBound - bounds.ascent, slack: slackOf(graph, state) };
}
