import { rangeOf } from "./plot-frame.js";

/** Hues far apart and dark enough on white; red is left to the wrong links, grey to detections that belong to no track. */
export const trackPalette = ["#4e79a7", "#ee8a22", "#59a14f", "#a06bb5", "#2fa39a", "#94684a", "#d46aa8", "#6f7fd1"];

export const wrongColour = "#d6111e";
/** The colour under links that are not proved to be in every optimal set of tracks. */
export const unprovedColour = "#ffc83d";
export const missedColour = "#222";
export const divisionColour = "#7a8088";
export const looseColour = "#b4b4b4";

/** Colours of time, early to late, equally seen on white and on black; red and yellow are left to the links that are marked. */
export const timePalette = ["#4059c7", "#2f7fd0", "#1f9fb8", "#2fae86", "#6bb04a", "#a8a02f", "#cf8a2a", "#b5651d"];

/** The plane is cut into so many squares along its longer side; tracks that share one, or touch at its border, are neighbours. */
const CELLS = 48;

/**
 * The number of a colour of trackPalette for each track, so that tracks that run side by side or cross have different ones: the longest
 * first, each takes the colour that is rarest among the detections of others around it; among equals, the one used least so far.
 * @param lines detections of each track
 */
export function colourTracks(lines: readonly (readonly number[])[], x: Float64Array, y: Float64Array): Uint8Array {
  const [left, right] = rangeOf(x);
  const [low, high] = rangeOf(y);
  const side = Math.max(right - left, high - low) / CELLS || 1;
  const width = CELLS + 3;
  const cellOf = (d: number) => (1 + Math.floor((y[d] - low) / side)) * width + 1 + Math.floor((x[d] - left) / side);
  const colours = trackPalette.length;
  /** Detections of each colour in and around each cell. */
  const around = new Float64Array(width * width * colours);
  const used = new Float64Array(colours);
  const chosen = new Uint8Array(lines.length);
  const order = [...lines.keys()].sort((a, b) => lines[b].length - lines[a].length || a - b);
  for (const t of order) {
    const nearby = new Float64Array(colours);
    for (const d of lines[t]) {
      const at = colours * cellOf(d);
      for (let n = 0; n < colours; n++) nearby[n] += around[at + n];
    }
    let best = 0;
    for (let n = 1; n < colours; n++) {
      if (nearby[n] < nearby[best] || (nearby[n] === nearby[best] && used[n] < used[best])) best = n;
    }
    chosen[t] = best;
    used[best]++;
    for (const d of lines[t]) {
      const at = cellOf(d);
      for (let row = -1; row <= 1; row++) {
        for (let column = -1; column <= 1; column++) around[colours * (at + row * width + column) + best]++;
      }
    }
  }
  return chosen;
}
