import type { Association, Associator } from "./associate.js";
import type { Candidates } from "./candidates.js";

/** Links the nearest pair first. This is not exact; trackers without an assignment solver work like this. */
export class Greedy implements Associator {
  readonly name = "greedy";
  readonly ran = "cpu f64";

  associate({ tracks, measurements, rowStart, measurement, utility }: Candidates): Association {
    const track = new Uint32Array(utility.length);
    for (let i = 0; i < tracks; i++) track.fill(i, rowStart[i], rowStart[i + 1]);
    const order = Array.from(utility, (_, k) => k).sort((k, l) => utility[l] - utility[k]);
    const measurementOfTrack = new Int32Array(tracks).fill(-1);
    const taken = new Uint8Array(measurements);
    for (const k of order) {
      if (measurementOfTrack[track[k]] >= 0 || taken[measurement[k]]) continue;
      measurementOfTrack[track[k]] = measurement[k];
      taken[measurement[k]] = 1;
    }
    return { measurementOfTrack };
  }

  async close(): Promise<void> {}
}
