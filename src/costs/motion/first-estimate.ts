import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { RESOLUTION } from "../cost.js";
import { fitDensity } from "./fit-student.js";
import { middleFrames } from "./middle-frames.js";
import { bindExpectation, type Field, fieldOf, type MotionModel } from "./model.js";
import { roundingOf } from "./rounding.js";
import { bindStudentT, minusLogDensity, roundStudentT, type StudentT } from "./student.js";

/** The assumptions of the first model, until there are tracks to estimate from. */
const ASSUMED = { births: 0.03, ends: 0.03, missed: 0, clutter: 0.005 };

/** Votes for displacements reach this many spacings far, in cells of an eighth of a spacing. */
const REACH = 6;
const CELLS = 8;

export interface Estimate {
  readonly model: MotionModel;
  /** What was estimated from what, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * A model from detections alone. Mutually nearest pairs about a common drift replace the true links. They are biased towards short
 * steps, and a drift longer than the spacing of detections hides from them; so a second drift is tried, the displacement that most pairs
 * of detections vote for, and the likelihood of the pairs' chains decides. What is left of the bias goes with the first re-estimation.
 */
export function firstEstimate(detections: Detections): Estimate {
  const spacing = medianSpacing(detections);
  const field = fieldOf(detections, spacing > 0 ? spacing : 1);
  const measured = detections.vx === null ? 0 : 1;
  const candidates: [number, number][] = [medianStep(detections)];
  if (measured === 0 && spacing > 0) candidates.push(votedStep(detections, spacing));
  const tried = candidates.map((drift) => fromNearest(detections, field, spacing, drift, measured));
  const best = tried.reduce((a, b) => (b.evidence > a.evidence ? b : a));
  const { model, pairs, chains } = best;
  const how =
    best === tried[0] ? "the median of mutually nearest pairs" : "the displacement that most pairs of detections share";
  return {
    model,
    notes: [
      `First estimate of the motion from ${pairs} mutually nearest pairs and ${chains} chains of two; drift ${how}.`,
    ],
  };
}

/** A model from pairs that are each other's nearest about what a link is expected to be. */
function fromNearest(
  detections: Detections,
  field: Field,
  spacing: number,
  drift: readonly [number, number],
  velocityWeight: number,
) {
  const { frames, x } = detections;
  const perArea = x.length / (frames * field.width * field.height);
  const unknown = roundStudentT(4, spacing > 0 ? spacing : 1);
  const { next, zx, zy } = nearestLinks(detections, { drift, velocityWeight }, middleFrames(detections));
  // Without velocities a target keeps its displacement; beside measured ones what remains is noise.
  const persistence = velocityWeight > 0 ? 0 : 1;
  const first: [number[], number[]] = [[], []];
  const further: [number[], number[]] = [[], []];
  let way = 0;
  next.forEach((j, i) => {
    if (j < 0) return;
    first[0].push(zx[i]);
    first[1].push(zy[i]);
    way += Math.hypot(x[j] - x[i], detections.y[j] - detections.y[i]);
    if (next[j] < 0) return;
    further[0].push(zx[j] - persistence * zx[i]);
    further[1].push(zy[j] - persistence * zy[i]);
  });
  const pairs = first[0].length;
  const chains = further[0].length;
  const changes = persistence === 1 ? further[0].map((dx, n) => Math.hypot(dx, further[1][n])) : [];
  const floor = floorOf(detections, spacing, way / Math.max(1, pairs), changes);
  const prior: StudentT = pairs > 0 ? fitDensity(first[0], first[1], floor).density : unknown;
  const step = chains > 0 ? fitDensity(further[0], further[1], floor).density : prior;
  // How much better the chains predict a target's next place than a uniform density.
  const bound = bindStudentT(step);
  let evidence = 0;
  for (let n = 0; n < chains; n++) {
    evidence -= minusLogDensity(bound, further[0][n], further[1][n]) + Math.log(perArea);
  }
  const model: MotionModel = {
    drift,
    velocityWeight,
    prior: [prior],
    step: [[step]],
    persistence: [[persistence]],
    births: ASSUMED.births * perArea,
    ends: ASSUMED.ends,
    missed: ASSUMED.missed,
    clutter: ASSUMED.clutter * perArea,
  };
  return { model, pairs, chains, evidence };
}

/** The standard deviation of a displacement whose two ends are rounded, in quanta: √(2/12). */
const ROUNDED = Math.sqrt(1 / 6);

/**
 * The least scale of a density. Nothing is measured more finely than a share of the typical step, or of the spacing where nothing moves. Positions that were
 * rounded make steps equal that are not; a density may not take that for exactness.
 * @param changes lengths of the changes from a displacement to the next
 */
export function floorOf(
  detections: Detections,
  spacing: number,
  typicalStep: number,
  changes: readonly number[],
): number {
  const least = RESOLUTION * (typicalStep > 0 ? typicalStep : spacing > 0 ? spacing : 1);
  return Math.max(least, ROUNDED * roundingOf(detections, changes, spacing));
}

/** Links between detections of some frames that are each other's nearest in |z|, with z of each by its tail; next = −1 where there is none. */
export function nearestLinks(
  detections: Detections,
  model: Pick<MotionModel, "drift" | "velocityWeight">,
  [begin, end]: readonly [number, number],
) {
  const { frameStart, x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const next = new Int32Array(x.length).fill(-1);
  const previous = new Int32Array(x.length).fill(-1);
  const nearestIn = new Float64Array(x.length).fill(Number.POSITIVE_INFINITY);
  const zx = new Float64Array(x.length);
  const zy = new Float64Array(x.length);
  const u = new Float64Array(2);
  for (let p = begin; p + 1 < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      let nearest = Number.POSITIVE_INFINITY;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        expectation(i, j, u);
        const dx = x[j] - x[i] - u[0];
        const dy = y[j] - y[i] - u[1];
        const square = dx * dx + dy * dy;
        if (square < nearest) {
          nearest = square;
          next[i] = j;
          zx[i] = dx;
          zy[i] = dy;
        }
        if (square < nearestIn[j]) {
          nearestIn[j] = square;
          previous[j] = i;
        }
      }
    }
  }
  next.forEach((j, i) => {
    if (j >= 0 && previous[j] !== i) next[i] = -1;
  });
  return { next, zx, zy };
}

/** Componentwise median of the displacements between mutually nearest detections. */
function medianStep(detections: Detections): [number, number] {
  const { next, zx, zy } = nearestLinks(detections, { drift: [0, 0], velocityWeight: 0 }, middleFrames(detections));
  const linked = [...next.keys()].filter((i) => next[i] >= 0);
  return [quantile(linked, 0.5, (i) => zx[i]) ?? 0, quantile(linked, 0.5, (i) => zy[i]) ?? 0];
}

/** Median distance to the nearest detection of the same frame; 0 where no frame has two, or most share their place. */
export function medianSpacing(detections: Detections): number {
  const { frameStart, x, y } = detections;
  const nearest: number[] = [];
  const [begin, end] = middleFrames(detections);
  for (let p = begin; p < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      let least = Number.POSITIVE_INFINITY;
      for (let j = frameStart[p]; j < frameStart[p + 1]; j++) {
        if (j !== i) least = Math.min(least, (x[j] - x[i]) ** 2 + (y[j] - y[i]) ** 2);
      }
      if (least < Number.POSITIVE_INFINITY) nearest.push(Math.sqrt(least));
    }
  }
  return quantile(nearest, 0.5) ?? 0;
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
