import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { areaOf } from "./area.js";
import { type MotionFit, unfollowed } from "./fit.js";
import { fitDensity } from "./fit-student.js";
import { evenly } from "./law.js";
import { middleFrames } from "./middle-frames.js";
import type { MotionModel } from "./model.js";
import { medianSpacing, nearestLinks } from "./nearest.js";
import { floorOf } from "./rounding.js";
import { driftWithin, type StatedPriors, withPriors } from "./stated-priors.js";
import { bindStudentT, minusLogDensity, roundStudentT, type StudentT } from "./student.js";

/** The assumptions of the first model, until there are tracks to estimate from. */
const ASSUMED = { births: 0.03, ends: 0.03, missed: 0, clutter: 0.005 };

/** Votes for displacements reach this many spacings far, in this many cells a spacing. */
const REACH = 6;
const CELLS = 8;

/**
 * A model from detections alone. Mutually nearest pairs about a common drift replace the true links. They are biased towards short
 * steps, and a drift longer than the spacing of detections hides from them; so a second drift is tried, the displacement that most pairs
 * of detections vote for, and the likelihood of the pairs' chains decides. The rest of the bias goes with the fit to the first tracks.
 * @param priors what the user states, in the place of an estimate or assumption
 */
export function firstFit(detections: Detections, priors: StatedPriors = {}): MotionFit {
  const spacing = medianSpacing(detections);
  const area = areaOf(detections, spacing > 0 ? spacing : 1);
  const perArea = detections.x.length / (detections.frames * area.width * area.height);
  const measured = detections.vx === null ? 0 : 1;
  const drifts: [number, number][] = [medianStep(detections)];
  if (measured === 0 && spacing > 0) drifts.push(votedStep(detections, spacing));
  const tried = drifts.map((drift) =>
    fromNearest(detections, perArea, spacing, driftWithin(drift, priors), measured, priors),
  );
  const best = tried.reduce((a, b) => (b.predicted > a.predicted ? b : a));
  const { pairs, chains } = best;
  const model = withPriors(best.model, priors, area.width * area.height, false);
  return unfollowed(model, detections.x.length, { from: "nearest", pairs, chains, voted: best !== tried[0] });
}

/** A model from pairs that are each other's nearest about the expected displacement. */
function fromNearest(
  detections: Detections,
  perArea: number,
  spacing: number,
  drift: readonly [number, number],
  velocityWeight: number,
  { noise }: StatedPriors,
) {
  const { x, y } = detections;
  const unknown = roundStudentT(4, spacing > 0 ? spacing : 1);
  const { next, zx, zy } = nearestLinks(detections, { drift, velocityWeight }, middleFrames(detections));
  // Without velocities a target keeps its displacement; beside measured velocities the deviation is noise.
  const persistence = velocityWeight > 0 ? 0 : 1;
  const first: [number[], number[]] = [[], []];
  const further: [number[], number[]] = [[], []];
  let way = 0;
  next.forEach((j, i) => {
    if (j < 0) return;
    first[0].push(zx[i]);
    first[1].push(zy[i]);
    way += Math.hypot(x[j] - x[i], y[j] - y[i]);
    if (next[j] < 0) return;
    further[0].push(zx[j] - persistence * zx[i]);
    further[1].push(zy[j] - persistence * zy[i]);
  });
  const pairs = first[0].length;
  const chains = further[0].length;
  const changes = persistence === 1 ? further[0].map((dx, n) => Math.hypot(dx, further[1][n])) : [];
  const floor = floorOf(detections, spacing, way / Math.max(1, pairs), changes, noise);
  const prior: StudentT = pairs > 0 ? fitDensity(first[0], first[1], floor).density : unknown;
  const step = chains > 0 ? fitDensity(further[0], further[1], floor).density : prior;
  // How much better the chains predict a target's next place than a uniform density.
  const bound = bindStudentT(step);
  let predicted = 0;
  for (let n = 0; n < chains; n++) {
    predicted -= minusLogDensity(bound, further[0][n], further[1][n]) + Math.log(perArea);
  }
  const model: MotionModel = {
    drift,
    velocityWeight,
    prior: [prior],
    step: [[step]],
    persistence: [[evenly(persistence)]],
    births: ASSUMED.births * perArea,
    ends: ASSUMED.ends,
    missed: ASSUMED.missed,
    clutter: ASSUMED.clutter * perArea,
  };
  return { model, pairs, chains, predicted };
}

/** Componentwise median of the displacements between mutually nearest detections. */
function medianStep(detections: Detections): [number, number] {
  const { next, zx, zy } = nearestLinks(detections, { drift: [0, 0], velocityWeight: 0 }, middleFrames(detections));
  const linked = [...next.keys()].filter((i) => next[i] >= 0);
  return [quantile(linked, 0.5, (i) => zx[i]) ?? 0, quantile(linked, 0.5, (i) => zy[i]) ?? 0];
}

/** The displacement with the most votes of pairs of detections in consecutive frames, counted over squares of three by three cells. */
function votedStep(detections: Detections, spacing: number): [number, number] {
  const { frameStart, x, y } = detections;
  const cell = spacing / CELLS;
  const half = REACH * CELLS;
  const side = 2 * half + 1;
  const votes = new Float64Array(side * side);
  const [begin, end] = middleFrames(detections);
  for (let p = begin; p + 1 < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const column = Math.round((x[j] - x[i]) / cell) + half;
        const row = Math.round((y[j] - y[i]) / cell) + half;
        if (column >= 0 && column < side && row >= 0 && row < side) votes[row * side + column]++;
      }
    }
  }
  let most = -1;
  let best: [number, number] = [0, 0];
  for (let row = 1; row + 1 < side; row++) {
    for (let column = 1; column + 1 < side; column++) {
      let sum = 0;
      for (let r = row - 1; r <= row + 1; r++) {
        for (let c = column - 1; c <= column + 1; c++) sum += votes[r * side + c];
      }
      if (sum <= most) continue;
      most = sum;
      best = [(column - half) * cell, (row - half) * cell];
    }
  }
  return best;
}
