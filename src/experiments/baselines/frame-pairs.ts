import type { Detections } from "../../core/detections.js";
import { type Associator, Exact, Greedy } from "../../track/associate.js";
import { gateOf, nearestPairs, votedDrift } from "./nearest.js";

/** Tracks by their numbers, one a detection, and the gate that was used, in length units. */
export interface BaselineTracks {
  readonly track: Int32Array;
  readonly gate: number;
}

/** Each frame is linked to the next by itself: the pair whose deviation from what is expected is least goes first. */
export function greedyTracks(detections: Detections): Promise<BaselineTracks> {
  return linkFramePairs(detections, new Greedy(), [0, 0]);
}

/** Each frame is linked to the next by the assignment that minimises Σ min(|z|², gate²). */
export function assignmentTracks(detections: Detections): Promise<BaselineTracks> {
  return linkFramePairs(detections, new Exact(), [0, 0]);
}

/** The same after the displacement that most pairs share is taken off every link; measured velocities are not used. */
export function driftTracks(detections: Detections): Promise<BaselineTracks> {
  const positions = { ...detections, vx: null, vy: null };
  return linkFramePairs(positions, new Exact(), votedDrift(positions));
}

async function linkFramePairs(
  detections: Detections,
  associator: Associator,
  drift: readonly [number, number],
): Promise<BaselineTracks> {
  const { frames, frameStart, x, y } = detections;
  const nearest = nearestPairs(detections, drift);
  const gate = gateOf(nearest);
  const u = new Float64Array(2);
  const track = new Int32Array(x.length).fill(-1);
  let tracks = 0;
  for (let d = 0; d < frameStart[1]; d++) track[d] = tracks++;
  for (let p = 0; p + 1 < frames; p++) {
    const [from, to, end] = [frameStart[p], frameStart[p + 1], frameStart[p + 2]];
    const start = new Uint32Array(to - from + 1);
    const object: number[] = [];
    const utility: number[] = [];
    for (let i = from; i < to; i++) {
      for (let j = to; j < end; j++) {
        nearest.expectation(i, j, u);
        const worth = gate * gate - (x[j] - x[i] - u[0]) ** 2 - (y[j] - y[i] - u[1]) ** 2;
        if (!(worth > 0)) continue;
        object.push(j - to);
        utility.push(worth);
      }
      start[i - from + 1] = object.length;
    }
    const problem = {
      persons: to - from,
      objects: end - to,
      start,
      object: Uint32Array.from(object),
      utility: Float64Array.from(utility),
    };
    const { objectOfPerson } = await associator.associate({ ...problem, ...NO_PLACES, reach: gate });
    objectOfPerson.forEach((j, i) => {
      if (j >= 0) track[to + j] = track[from + i];
    });
    for (let j = to; j < end; j++) if (track[j] < 0) track[j] = tracks++;
  }
  return { track, gate };
}

/** Associations read the candidates alone. */
export const NO_PLACES = {
  personX: new Float64Array(0),
  personY: new Float64Array(0),
  objectX: new Float64Array(0),
  objectY: new Float64Array(0),
};
