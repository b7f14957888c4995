import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import type { Run } from "./run.js";

/** The columns of tracks.csv as `--json --assignment` prints them, by detection; null where tracks.csv has an empty cell. */
export interface Assignment {
  readonly frame: readonly number[];
  /** Within its frame, from 0. */
  readonly detection: readonly number[];
  /** −1 for a detection without a track. */
  readonly track: readonly number[];
  /** null where margins were not computed, or tracks may not start or end. */
  readonly margin: readonly (number | null)[] | null;
  readonly start_margin: readonly (number | null)[] | null;
  readonly end_margin: readonly (number | null)[] | null;
  /** The mother's track; absent where nothing divides. */
  readonly parent?: readonly (number | null)[];
}

/** null where no tracks were found. */
export function assignmentOf(
  { frameStart, track, margins, parents }: Pick<Run, "frameStart" | "track" | "margins" | "parents">,
  numbers: FrameNumbers,
): Assignment | null {
  if (track === null) return null;
  const [frame, detection]: [number[], number[]] = [[], []];
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      frame.push(frameNumber(numbers, p));
      detection.push(d - frameStart[p]);
    }
  }
  const known = (values: Float64Array | null | undefined) =>
    values ? Array.from(values, (value) => (Number.isNaN(value) ? null : value)) : null;
  return {
    frame,
    detection,
    track: Array.from(track),
    margin: known(margins?.link),
    start_margin: known(margins?.birth),
    end_margin: known(margins?.death),
    ...(parents.size > 0 && { parent: Array.from(track, (one) => parents.get(one) ?? null) }),
  };
}
