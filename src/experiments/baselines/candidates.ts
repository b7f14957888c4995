import type { Candidates } from "../../track/candidates.js";

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
