import type { FoundTracks } from "../rows/result-folder.js";
import { linkErrors } from "../scores/links.js";
import { escaped } from "./html.js";
import { isOfImage } from "./plot-frame.js";
import { divisionColour, trackPalette, unprovedColour, wrongColour } from "./track-colours.js";
import { divisionLinks, unprovedLinks } from "./tracks-svg.js";

/** Tracks of one result, to step through. */
export interface TracksView {
  readonly title: string;
  readonly tracks: FoundTracks;
}

/** Most detections embedded in one page: about 20 bytes each. */
export const MOST_DETECTIONS = 150_000;

/** Side of the square that positions are rounded to. */
const grid = 10_000;
const heights = { least: 3500, most: 9000 };

/** The view as HTML with the arrays that playTracks reads, numbers as little-endian base64. */
export function tracksView({ title, tracks }: TracksView, id: string): string {
  const { frameStart, track, target, numbers } = tracks;
  const known = typeof target !== "string";
  const { wrong, missed } = known ? linkErrors(frameStart, target, track) : { wrong: [], missed: [] };
  const unproved = unprovedLinks(tracks);
  const divisions = divisionLinks(tracks);
  const { x, y, height } = scaled(tracks);
  const data = {
    start: base64(frameStart),
    x: base64(x),
    y: base64(y),
    track: base64(track),
    wrong: base64(Uint32Array.from(wrong)),
    missed: base64(Uint32Array.from(missed)),
    unproved: base64(Uint32Array.from(unproved)),
    divisions: base64(Uint32Array.from(divisions)),
    first: String(numbers.first),
    step: String(numbers.step),
    truth: known ? "yes" : "",
  };
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${value}"`);
  const button = (action: string, label: string, help: string) =>
    `<button type="button" data-do="${action}" title="${help}">${label}</button>`;
  const size = Math.min(1.2, Math.max(0.4, (40 * frameStart.length) / Math.max(1, track.length)) ** 0.3);
  const stroke = (width: number) => (width * size).toFixed(2);
  const path = (name: string, style: string) => `<path class="${name}" ${style}/>`;
  const line = (colour: string, width: number) => `stroke="${colour}" stroke-width="${stroke(width)}"`;
  return [
    `<figure class="tracks" id="${id}" tabindex="0" aria-label="${escaped(title)}: tracks, frame by frame" ${attributes.join(" ")}>`,
    `<figcaption><strong>${escaped(title)}</strong>${tracks.z ? ", seen along z" : ""}${known ? "" : `. Wrong links cannot be marked: ${escaped(target)}.`}</figcaption>`,
    '<div class="controls">',
    button("first", "First", "first frame (Home)"),
    button("back", "Back", "one frame back (left arrow)"),
    button("play", "Play", "play or pause (space)"),
    button("forward", "Next", "one frame on (right arrow)"),
    button("last", "Last", "last frame (End)"),
    wrong.length > 0 ? button("error", "next wrong link", "next frame with a wrong link (e)") : "",
    `<input type="range" min="0" max="${frameStart.length - 2}" value="0" aria-label="frame">`,
    '<label><input type="checkbox" class="whole" checked> whole tracks</label>',
    '<label><input type="checkbox" class="zoom"> zoom to the detections</label>',
    '<output aria-live="polite"></output>',
    "</div>",
    `<svg class="plane" viewBox="-150 -150 ${grid + 300} ${height + 300}" role="img" aria-label="tracks" fill="none" stroke-linecap="round">`,
    path("background", `stroke-width="${stroke(1.2)}"`),
    path("unproved", `${line(unprovedColour, 9)} opacity=".7"`),
    ...trackPalette.map((colour, n) => path(`line${n}`, line(colour, 1.8))),
    ...trackPalette.map((colour, n) =>
      path(`gap${n}`, `${line(colour, 1.8)} stroke-dasharray="${stroke(6)} ${stroke(5)}"`),
    ),
    path("divisions", line(divisionColour, 1.8)),
    path("missed", `stroke-width="${stroke(1.2)}"`),
    path("wrong past", `${line(wrongColour, 1.8)} opacity=".45"`),
    path("wrong now", line(wrongColour, 4)),
    path("loose", line("#888", 8)),
    ...trackPalette.map((colour, n) => path(`dot${n}`, line(colour, 8))),
    "</svg>",
    legend(known, unproved.length > 0, hasGaps(tracks), divisions.length > 0),
    "</figure>",
  ].join("\n");
}

function legend(known: boolean, unproved: boolean, gaps: boolean, divisions: boolean): string {
  const sample = (mark: string) =>
    `<svg class="sample" viewBox="0 0 26 12" width="26" height="12" aria-hidden="true">${mark}</svg>`;
  const line = (style: string) => sample(`<path d="M1 6h24" ${style}/>`);
  const track = `<path d="M1 6h16" stroke="${trackPalette[0]}" stroke-width="2"/><circle cx="20" cy="6" r="4" fill="${trackPalette[0]}"/>`;
  const parts = [`${sample(track)} detection of the frame and its last ten frames, in the colour of the track`];
  if (gaps)
    parts.push(
      `${line(`stroke="${trackPalette[0]}" stroke-width="2" stroke-dasharray="5 4"`)} link over missed frames`,
    );
  if (divisions) parts.push(`${line(`stroke="${divisionColour}" stroke-width="2"`)} mother to daughter`);
  if (known) {
    parts.push(
      `${line(`stroke="${wrongColour}" stroke-width="4"`)} wrong link into the frame`,
      `${line(`stroke="${wrongColour}" stroke-width="2" opacity=".45"`)} wrong link before it`,
      `${line('class="missed" stroke-width="1.5"')} true link into the frame that no track has`,
    );
  }
  if (unproved) {
    parts.push(
      `${line(`stroke="${unprovedColour}" stroke-width="7" opacity=".7"`)} link that is not proved to be in every optimal set of tracks`,
    );
  }
  return `<p class="legend">${parts.map((part) => `<span>${part}</span>`).join(" ")}</p>`;
}

/** Whether a track leaves out a frame. */
function hasGaps({ frameStart, track }: FoundTracks): boolean {
  const latest = new Map<number, number>();
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const before = track[d] < 0 ? undefined : latest.get(track[d]);
      if (before !== undefined && before < p - 1) return true;
      latest.set(track[d], p);
    }
  }
  return false;
}

/** Positions on a grid, as tracks.svg has them: y grows upwards, but of pixels downwards. Without positions frames run along x and detections along y. */
function scaled({ frameStart, x, y, track, unit }: FoundTracks): { x: Uint16Array; y: Uint16Array; height: number } {
  const isDown = x !== null && isOfImage(unit);
  const [xs, ys] = x && y ? [x, y] : byIndex(frameStart);
  const [x0, x1] = extent(xs);
  const [y0, y1] = extent(ys);
  const [dx, dy] = [x1 - x0 || 1, y1 - y0 || 1];
  const wanted = x ? (grid * dy) / dx : 5600;
  const height = Math.round(Math.min(heights.most, Math.max(heights.least, wanted)));
  // One unit is as long on both axes, where they are positions.
  const scale = Math.min(grid / dx, height / dy);
  const [sx, sy] = x ? [scale, scale] : [grid / dx, height / dy];
  const [left, top] = [(grid - sx * dx) / 2, (height - sy * dy) / 2];
  return {
    x: Uint16Array.from(track, (_, d) => Math.round(left + sx * (xs[d] - x0))),
    y: Uint16Array.from(track, (_, d) => Math.round(top + sy * (isDown ? ys[d] - y0 : y1 - ys[d]))),
    height,
  };
}

function byIndex(frameStart: Uint32Array): [Float64Array, Float64Array] {
  const count = frameStart[frameStart.length - 1];
  const [frame, index] = [new Float64Array(count), new Float64Array(count)];
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      frame[d] = p;
      index[d] = d - frameStart[p];
    }
  }
  return [frame, index];
}

function extent(values: Float64Array): [number, number] {
  if (values.length === 0) return [0, 1];
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

function base64(values: Uint32Array | Int32Array | Uint16Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
}
