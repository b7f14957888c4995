import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { bindExpectation } from "../../costs/motion/model.js";
import { nearestLinks } from "../../costs/motion/nearest.js";
import type { Candidates } from "../../track/candidates.js";
import { Exact } from "../../track/exact.js";
import { Greedy } from "../../track/greedy.js";
import { voteDisplacement } from "../../track/vote.js";

/** Tracks by their numbers, one a detection, and the gate that was used, in length units. */
export interface BaselineTracks {
  readonly track: Int32Array;
  readonly gate: number;
}

/** Each frame is linked to the next by itself: the pair that deviates least from the expectation goes first. */
export function greedyTracks(detections: Detections): BaselineTracks {
  return linkFramePairs(detections, new Greedy(), [0, 0]);
}

/** Each frame is linked to the next by the assignment that minimises Σ min(|z|², gate²). */
export function assignmentTracks(detections: Detections): BaselineTracks {
  return linkFramePairs(detections, new Exact(), [0, 0]);
}

/** The same after the displacement that most pairs share is taken off every link; measured velocities are not used. */
export function driftTracks(detections: Detections): BaselineTracks {
  const positions = { ...detections, vx: null, vy: null };
  return linkFramePairs(positions, new Exact(), votedDrift(positions));
}

function linkFramePairs(
  detections: Detections,
  associator: Greedy | Exact,
  drift: readonly [number, number],
): BaselineTracks {
  const { frames, frameStart, x, y } = detections;
  const nearest = nearestPairs(detections, drift);
  const gate = gateOf(nearest);
  const u = new Float64Array(2);
  const track = new Int32Array(x.length).fill(-1);
  let tracks = 0;
  for (let d = 0; d < frameStart[1]; d++) track[d] = tracks++;
  for (let p = 0; p + 1 < frames; p++) {
    const [from, to, end] = [frameStart[p], frameStart[p + 1], frameStart[p + 2]];
    const worth = (i: number, j: number) => {
      nearest.expectation(i, j, u);
      const rest = gate * gate - (x[j] - x[i] - u[0]) ** 2 - (y[j] - y[i] - u[1]) ** 2;
      return rest > 0 ? rest : null;
    };
    const problem = candidateList(to - from, end - to, (i, j) => worth(from + i, to + j));
    const { measurementOfTrack } = associator.associate(problem);
    measurementOfTrack.forEach((j, i) => {
      if (j >= 0) track[to + j] = track[from + i];
    });
    for (let j = to; j < end; j++) if (track[j] < 0) track[j] = tracks++;
  }
  return { track, gate };
}

/** The candidates among all pairs: those to which `worth` gives a utility and not null. */
export function candidateList(
  tracks: number,
  measurements: number,
  worth: (track: number, measurement: number) => number | null,
): Candidates {
  const rowStart = new Uint32Array(tracks + 1);
  const measurement: number[] = [];
  const utility: number[] = [];
  for (let i = 0; i < tracks; i++) {
    for (let j = 0; j < measurements; j++) {
      const value = worth(i, j);
      if (value === null) continue;
      measurement.push(j);
      utility.push(value);
    }
    rowStart[i + 1] = measurement.length;
  }
  return {
    tracks,
    measurements,
    rowStart,
    measurement: Uint32Array.from(measurement),
    utility: Float64Array.from(utility),
  };
}

/** The expected displacement of links, and the mutually nearest pairs about it: the baselines know nothing else of a recording. */
export interface Nearest {
  /** Expected displacement of a link from i to j, written to `into`. */
  readonly expectation: (i: number, j: number, into: Float64Array) => void;
  /** The detection of the next frame that is each other's nearest about the expectation, −1 for none. */
  readonly next: Int32Array;
  /** Deviation of those pairs; where `next` is −1 it means nothing. */
  readonly zx: Float64Array;
  readonly zy: Float64Array;
}

/** Share of the mutually nearest pairs that the gate lets pass. */
const GATED = 0.99;

/** Frames whose displacements vote for a drift, at most, from the middle. */
const VOTING = 20;

/** Mutually nearest pairs about the measured velocities, where there are any, or about a drift. */
export function nearestPairs(detections: Detections, drift: readonly [number, number]): Nearest {
  const model = { drift, velocityWeight: detections.vx === null ? 0 : 1 };
  const { next, z } = nearestLinks(detections, model, [0, detections.frames]);
  return { expectation: bindExpectation(detections, model), next, zx: z[0], zy: z[1] };
}

/** The 99th percentile of the deviations of mutually nearest pairs; where all are 0, or there are none, the least positive number. */
export function gateOf({ next, zx, zy }: Nearest): number {
  const sizes: number[] = [];
  next.forEach((j, i) => {
    if (j >= 0) sizes.push(Math.hypot(zx[i], zy[i]));
  });
  return Math.max(quantile(sizes, GATED) ?? 0, Number.MIN_VALUE) * (1 + 1e-9);
}

/** The displacement a frame that most pairs of detections share. */
function votedDrift({ frames, frameStart, x, y }: Detections): readonly [number, number] {
  const first = Math.max(0, Math.floor((frames - VOTING) / 2));
  const chosen = Array.from({ length: Math.min(VOTING, frames) }, (_, n) => first + n);
  return voteDisplacement(
    chosen.map((p) => ({
      x: x.slice(frameStart[p], frameStart[p + 1]),
      y: y.slice(frameStart[p], frameStart[p + 1]),
    })),
  ).displacement;
}
