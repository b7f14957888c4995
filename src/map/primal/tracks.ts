import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import type { Tracks } from "./feasible.js";

/** Numbers tracks 0, 1, 2, … in the order of their first detections; returns the track of each detection. */
export function numberTracks({ frameStart, frames, head }: Graph, tracks: Tracks): Int32Array {
  const track = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  let count = 0;
  for (let d = 0; d < track.length; d++) {
    if (track[d] === UNASSIGNED) track[d] = count++;
    const link = d < frameStart[frames - 1] ? tracks[d] : UNASSIGNED;
    if (link !== UNASSIGNED) track[head[link]] = track[d];
  }
  return track;
}
