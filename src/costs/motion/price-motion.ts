import type { Detections } from "../../core/detections.js";
import { filled } from "../../core/growing-array.js";
import { rowStarts } from "../../core/rows.js";
import { sharedFloat64 } from "../../core/shared-arrays.js";
import type { PricedProblem } from "../../map/instance/priced.js";
import { withTwins } from "../../map/instance/twins.js";
import type { Counted } from "../sizes.js";
import { countOf } from "./continuations.js";
import type { PricedDivisions } from "./divisions.js";
import { type LeastCosts, leastCosts, leastCostsOf, neededContinuations, neededLinks } from "./least-costs.js";
import { type Links, linkCosts, pickLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { chainsOf, storedTriplets } from "./placeholders.js";

/** Rounds in which links are dropped at most; each depends on links one further. */
export const DROP_ROUNDS = 3;

/** A priced problem over the detections, for each link that spans frames a placeholder in each frame between, and twins of those that may divide. */
export interface PricedMotion extends PricedProblem {
  /** Input detection behind each problem detection; −1 for a placeholder and for a twin. */
  readonly origin: Int32Array;
  /** The links that are left, the first edge of each, and the number of triplets that were looked at. */
  readonly kept: Links;
  readonly edgeOf: Uint32Array;
  readonly considered: number;
}

/**
 * Prices links and continuations by the likelihood of whole tracks (docs/explanation/motion.md §1, §3):
 *
 *     C_e  = −ln prior(z_e) − ln P(seen again after G frames)
 *     D_ef = −ln step(z_f | z_e) + ln prior(z_f)
 *
 * Where tracks may start and end, a link or a continuation is dropped before anything is stored if no best set of tracks needs it: it costs at
 * least as much as to end the track before it and to start another behind it. That leaves the optimum as it is. A link over several frames
 * becomes a chain of edges (placeholders.ts).
 * @throws InputError where there are more triplets than 32 bits can number
 */
export function priceMotion(
  detections: Detections,
  model: MotionModel,
  costs: TrackCosts,
  candidates: Links,
  counted: Counted = () => {},
  divisions: PricedDivisions | null = null,
): PricedMotion {
  const { ends } = costs;
  let kept = candidates;
  let cost = linkCosts(kept, costs);
  let least = leastCosts(kept, kept, model, costs);
  for (let round = 0; ends !== null && round < DROP_ROUNDS; round++) {
    const needed = neededLinks(kept, cost, least, ends);
    if (needed.length === kept.tail.length) break;
    kept = pickLinks(kept, needed);
    cost = linkCosts(kept, costs);
    least = leastCostsOf(kept, needed, least, model, costs);
  }
  const guard = guardsOf(kept, cost, least, ends);
  const chains = chainsOf(detections, kept, cost, guard);
  const stored = neededContinuations(kept, cost, least, ends, model, costs);
  const triplets = storedTriplets(chains, guard, stored, counted);
  const { links, origin, edgeOf } = chains;
  /** Numbers of the input's detections by those of the problem, 0 for placeholders. */
  const spreadOut = (values: Float64Array) =>
    filled(sharedFloat64(origin.length), (at) => (origin[at] < 0 ? 0 : values[origin[at]]));
  const birthDeath = ends && { birth: spreadOut(ends.birth), death: spreadOut(ends.death) };
  const considered = countOf(candidates, detections.x.length);
  const priced = { links, triplets, birthDeath, origin, kept, edgeOf, considered };
  return divisions === null ? priced : withDivisions(priced, divisions, costs);
}

/** The problem with a twin of each detection that may divide. What follows a division is a first link, and refunds the saving of a single as every link does. */
function withDivisions(
  { origin, edgeOf, ...priced }: PricedMotion,
  { mother, daughter, cost }: PricedDivisions,
  { single }: TrackCosts,
): PricedMotion {
  const place = new Int32Array(single.length);
  origin.forEach((d, at) => {
    if (d >= 0) place[d] = at;
  });
  const linksFrom = rowStarts(priced.links.tail, origin.length);
  const { problem, linkOf } = withTwins(priced, {
    mother: mother.map((d) => place[d]),
    head: daughter.map((d) => place[d]),
    cost: cost.map((value, n) => value + 0.5 * single[daughter[n]]),
    after: (n, visit) => {
      const [k, saving] = [place[daughter[n]], single[daughter[n]]];
      for (let f = linksFrom[k]; f < linksFrom[k + 1]; f++) visit(f, -saving);
    },
  });
  let before = 0;
  const behind = problem.motherOf.map((twin) => (twin < 0 ? origin[before++] : -1));
  return { ...priced, ...problem, origin: behind, edgeOf: edgeOf.map((e) => linkOf[e]) };
}

/** K of each link over several frames: above all that either half of its chain could save against an end or a start. */
function guardsOf(
  { tail, head, span }: Links,
  cost: Float64Array,
  { into, out }: LeastCosts,
  ends: TrackCosts["ends"],
): Float64Array {
  return cost.map((value, e) => {
    if (span[e] === 1 || ends === null) return 0;
    const behind = ends.birth[head[e]] - out[e];
    const before = ends.death[tail[e]] - into[e] - value;
    return 1 + Math.max(0, behind, before);
  });
}
