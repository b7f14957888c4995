/** Colours of detections and links. */
import { timePalette, trackPalette, wrongColour } from "../../dist/report/track-colours.js";
import type { Answer, Scene } from "../worker/protocol.js";
import { range } from "./range.js";

export type Rgba = readonly [number, number, number, number];

const rgba = (hex: string, alpha = 255): Rgba => {
  const number = Number.parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255, alpha];
};

export const GREY: Rgba = [150, 150, 150, 255];
const LOOSE: Rgba = [140, 140, 140, 150];
export const WRONG = rgba(wrongColour);
export const MISSED: Rgba = [40, 120, 255, 255];
/** What the next best answer would do instead. */
export const INSTEAD: Rgba = [235, 90, 20, 255];
const TRACKS = trackPalette.map((colour) => rgba(colour));
const RAMP = timePalette.map((colour) => rgba(colour));
/** From doubt to certainty. */
const MARGINS = ["#d6111e", "#ee8a22", "#e6c229", "#8db94a", "#2f9e6e", "#2f7fd0"].map((colour) => rgba(colour));

export interface Colouring {
  point(detection: number): Rgba;
  /** Of the link into a detection. */
  link(to: number): Rgba;
}

/** The name of a track's colour in the page's lists. */
export const trackColour = (track: number): string => trackPalette[track % trackPalette.length];

export const byTrack = (track: Int32Array): Colouring => {
  const lengths = new Uint32Array(track.reduce((most, one) => Math.max(most, one + 1), 0));
  for (const one of track) if (one >= 0) lengths[one]++;
  const colourOf = (d: number) => (track[d] < 0 || lengths[track[d]] < 2 ? LOOSE : TRACKS[track[d] % TRACKS.length]);
  return { point: colourOf, link: colourOf };
};

export const unlinked: Colouring = { point: () => GREY, link: () => GREY };

/** Margins below 0.1, 1, 3, 10 and 30 nats, and above: 1 in 1.1, 2.7, 20, 22,000, … */
export const MARGIN_STEPS = [0.1, 1, 3, 10, 30] as const;

export function marginColour(margin: number): Rgba {
  const step = MARGIN_STEPS.findIndex((limit) => margin < limit);
  return MARGINS[step < 0 ? MARGIN_STEPS.length : step];
}

export function byMargin({ next, margin }: Answer): Colouring {
  const before = new Int32Array(next.length).fill(-1);
  next.forEach((to, from) => {
    if (to >= 0) before[to] = from;
  });
  const of = (d: number) => (margin === null || d < 0 || Number.isNaN(margin[d]) ? GREY : marginColour(margin[d]));
  return { point: (d) => of(next[d] >= 0 ? d : before[d]), link: (to) => of(before[to]) };
}

export function byColumn(values: Float64Array): Colouring {
  const [least, most] = range(values);
  const of = (d: number): Rgba => {
    const at = ((values[d] - least) / (most - least || 1)) * (RAMP.length - 1);
    if (Number.isNaN(at)) return GREY;
    const [a, b] = [RAMP[Math.floor(at)], RAMP[Math.min(RAMP.length - 1, Math.floor(at) + 1)]];
    const part = at - Math.floor(at);
    return [0, 1, 2].map((n) => a[n] + part * (b[n] - a[n])).concat(255) as unknown as Rgba;
  };
  return { point: of, link: of };
}

/** The column that a name in the address stands for. */
export const columnOf = (name: string, { columns }: Scene) => columns.find(([label]) => `column ${label}` === name);

/** The colouring that a name in the address stands for. */
export function colouringOf(name: string, scene: Scene, answer: Answer | null): Colouring {
  const column = columnOf(name, scene);
  if (column !== undefined) return byColumn(column[1]);
  if (answer === null) return unlinked;
  return name === "margin" ? byMargin(answer) : byTrack(answer.track);
}
