import { quantile } from "d3-array";
import { axesOf, type Detections, distanceBetween, requireSpan } from "../../core/detections.js";
import { fitDensity } from "../density/fit-student.js";
import { bindStudentT, evenly, minusLogDensity, roundStudentT, type StudentT } from "../density/student.js";
import { areaOf, sizeOf } from "../places/area.js";
import { floorOf } from "../places/rounding.js";
import { middleFrames } from "../places/stretch.js";
import { type MotionFit, unfollowed } from "./fit.js";
import type { MotionModel } from "./model.js";
import { medianSpacing, nearestLinks } from "./nearest.js";
import { driftWithin, type StatedPriors, withPriors } from "./stated-priors.js";

/** The assumptions of the first model, until there are tracks to estimate from. */
const ASSUMED = { births: 0.03, ends: 0.03, clutter: 0.005 };

/** Votes for displacements reach this many spacings far, in this many cells a spacing. */
const REACH = 6;
const CELLS = 8;

/**
 * A model from detections alone. Mutually nearest pairs about a common drift replace the true links. They are biased towards short
 * steps, and a drift longer than the spacing of detections hides from them; so a second drift is tried, the displacement that most pairs
 * of detections vote for, and the likelihood of the pairs' chains decides. The rest of the bias goes with the fit to the first tracks.
 * @param priors what the user states, in the place of an estimate or assumption
 * @throws InputError for positions in a unit that is far too large
 */
export function firstFit(detections: Detections, priors: StatedPriors = {}): MotionFit {
  requireSpan(detections);
  const spacing = medianSpacing(detections);
  const area = sizeOf(areaOf(detections, spacing > 0 ? spacing : 1));
  const perArea = detections.x.length / (detections.frames * area);
  const measured = detections.vx === null ? 0 : 1;
  const drifts: number[][] = [medianStep(detections)];
  if (measured === 0 && spacing > 0) drifts.push(votedStep(detections, spacing));
  const tried = drifts.map((drift) =>
    fromNearest(detections, perArea, spacing, driftWithin(drift, priors), measured, priors),
  );
  const best = tried.reduce((a, b) => (b.predicted > a.predicted ? b : a));
  const { pairs, chains } = best;
  const model = withPriors(best.model, priors, area, false);
  return unfollowed(model, detections.x.length, { from: "nearest", pairs, chains, voted: best !== tried[0] });
}

/** A model from pairs that are each other's nearest about the expected displacement. */
function fromNearest(
  detections: Detections,
  perArea: number,
  spacing: number,
  drift: readonly number[],
  velocityWeight: number,
  { noise }: StatedPriors,
) {
  const space = detections.z !== undefined;
  const unknown = roundStudentT(4, spacing > 0 ? spacing : 1, space);
  const { next, z } = nearestLinks(detections, { drift, velocityWeight }, middleFrames(detections));
  // Without velocities a target keeps its displacement; beside measured velocities the deviation is noise.
  const persistence = velocityWeight > 0 ? 0 : 1;
  const first: number[][] = z.map(() => []);
  const further: number[][] = z.map(() => []);
  const distance = distanceBetween(detections, detections);
  let way = 0;
  next.forEach((j, i) => {
    if (j < 0) return;
    z.forEach((along, axis) => {
      first[axis].push(along[i]);
      if (next[j] >= 0) further[axis].push(along[j] - persistence * along[i]);
    });
    way += distance(i, j);
  });
  const pairs = first[0].length;
  const chains = further[0].length;
  const changes = persistence === 1 ? further[0].map((_, n) => Math.hypot(...further.map((along) => along[n]))) : [];
  const floor = floorOf(detections, spacing, way / Math.max(1, pairs), changes, noise);
  const prior: StudentT = pairs > 0 ? fitDensity(first, floor).density : unknown;
  const step = chains > 0 ? fitDensity(further, floor).density : prior;
  // How much better the chains predict a target's next place than a uniform density.
  const bound = bindStudentT(step);
  let predicted = 0;
  for (let n = 0; n < chains; n++) {
    predicted -= minusLogDensity(bound, further[0][n], further[1][n], further[2]?.[n]) + Math.log(perArea);
  }
  const model: MotionModel = {
    drift,
    velocityWeight,
    prior: [prior],
    step: [[step]],
    persistence: [[evenly(persistence, space)]],
    births: ASSUMED.births * perArea,
    ends: ASSUMED.ends,
    missed: 0,
    clutter: ASSUMED.clutter * perArea,
  };
  return { model, pairs, chains, predicted };
}

/** Median on each axis of the displacements between mutually nearest detections. */
function medianStep(detections: Detections): number[] {
  const { next, z } = nearestLinks(detections, { drift: [0, 0], velocityWeight: 0 }, middleFrames(detections));
  const linked = [...next.keys()].filter((i) => next[i] >= 0);
  return z.map((along) => quantile(linked, 0.5, (i) => along[i]) ?? 0);
}

/** The displacement with the most votes of pairs of detections in consecutive frames, counted over squares of three by three cells, or cubes. */
function votedStep(detections: Detections, spacing: number): number[] {
  const { frameStart } = detections;
  const axes = axesOf(detections);
  const cell = spacing / CELLS;
  const half = REACH * CELLS;
  const side = 2 * half + 1;
  const strides = axes.map((_, axis) => side ** axis);
  const votes = new Float64Array(side ** axes.length);
  const [begin, end] = middleFrames(detections);
  for (let p = begin; p + 1 < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        let at = 0;
        for (let axis = 0; axis < axes.length && at >= 0; axis++) {
          const part = Math.round((axes[axis][j] - axes[axis][i]) / cell) + half;
          at = part >= 0 && part < side ? at + part * strides[axis] : -1;
        }
        if (at >= 0) votes[at]++;
      }
    }
  }
  // Sums along one axis after the other; those at a border are of no whole square.
  const sums = strides.reduce(
    (before, stride) => before.map((_, at) => before[at - stride] + before[at] + before[at + stride]),
    votes,
  );
  const partOf = (at: number, axis: number) => Math.floor(at / strides[axis]) % side;
  const isInside = (at: number) => axes.every((_, axis) => partOf(at, axis) > 0 && partOf(at, axis) + 1 < side);
  let [most, best] = [-1, -1];
  sums.forEach((sum, at) => {
    if (sum > most && isInside(at)) [most, best] = [sum, at];
  });
  return axes.map((_, axis) => (partOf(best, axis) - half) * cell);
}
