import { InputError } from "../core/errors.js";
import { brokenLink, type FixedLinks } from "../core/fixed-links.js";
import { frameNumber } from "../core/frame-numbers.js";
import { requirePins } from "../formats/candidate-graph.js";
import type { PlacedTracks } from "../formats/tracks.js";
import type { Problem } from "./problem.js";

/** The tracks of a solve that had to stop early may break links that the user fixed: then they are no answer. */
export function requireFixed(
  fixed: FixedLinks | null,
  { track, parent }: Pick<PlacedTracks, "track" | "parent">,
  { detections, numbers, pins }: Problem,
  status: string,
): void {
  if (pins !== undefined) requirePins(pins, { track, parent }, status === "optimal");
  const broken = fixed && brokenLink(fixed, track);
  if (broken === null) return;
  const frameStart = detections?.frameStart ?? new Uint32Array(1);
  const frames = broken.map((d) => frameStart.findIndex((begin) => begin > d) - 1);
  const names = broken.map(
    (d, n) => `detection ${d - frameStart[frames[n]]} of frame ${frameNumber(numbers, frames[n])}`,
  );
  const problem = `no tracks were found that keep to what it says of the link from ${names.join(" to ")}`;
  throw new InputError(`--links: ${problem}; give more time, or leave the line out`);
}
