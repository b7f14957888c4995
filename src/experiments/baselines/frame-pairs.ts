import type { Detections } from "../../core/detections.js";
import { Exact } from "../../track/exact.js";
import { Greedy } from "../../track/greedy.js";
import { candidateList } from "./candidates.js";
import { gateOf, nearestPairs, votedDrift } from "./nearest.js";

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
