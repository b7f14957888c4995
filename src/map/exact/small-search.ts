import { UNASSIGNED } from "../../lap/lap.js";
import { grainOf, leastSaving, roundUpToGrain } from "../certificate/grain.js";
import { isLink } from "../instance/instance.js";
import { chainsOf } from "../proof/chains.js";
import type { Core } from "../proof/core.js";
import { cheaperThan } from "../proof/dominated.js";
import { exhaust } from "../proof/exhaustion.js";
import { rounded } from "../proof/numbers.js";
import { costOf } from "./paid.js";
import { ELIMINATION_LIMITS, type Goal, provesAgainst, type ReducedCosts } from "./stages.js";

/** Shares of the room up to which all sets of tracks are gone through, one after the other: the last one takes most of the time. */
const FIRST_SHARE = 2 ** -10;
const GROWTH = 1.3;

/**
 * The cheapest tracks, where all that cost less beyond the bound are so few that they can be gone through: it looks below a bound, and below the next one where there are none.
 * @returns null where none is found that is cheaper than the present tracks
 */
export function searchAll(whole: Core, reduced: ReducedCosts, goal: Goal): Int32Array | null {
  const { graph } = whole;
  const { constant } = reduced;
  if (!provesAgainst(reduced, goal.cost)) return null;
  const chains = chainsOf(rounded, whole, reduced);
  const grain = grainOf(graph);
  const room = goal.cost - constant;
  let searched = constant;
  for (let share = FIRST_SHARE; share < 1; share *= GROWTH) {
    const below = roundUpToGrain(grain, constant + share * room) - leastSaving(grain);
    if (below <= searched) continue;
    searched = below;
    const limit = rounded.up(below, -constant) as number;
    const open = { active: cheaperThan(chains, limit), chains, limit };
    const all = exhaust(rounded, whole, reduced, open, ELIMINATION_LIMITS.search, goal.saving);
    if (all === null) return null;
    if (all.found === null) continue;
    const tracks = new Int32Array(graph.frameStart[graph.frames]).fill(UNASSIGNED);
    for (const e of all.found) if (isLink(graph, e)) tracks[graph.tail[e]] = e;
    return costOf(graph, tracks) < goal.cost ? tracks : null;
  }
  return null;
}
