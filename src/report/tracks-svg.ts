import { frameOfDetections } from "../core/detections.js";
import { COUNTED, frameNumber } from "../core/frame-numbers.js";
import { linkErrors } from "../scores/links.js";
import { dotMarker, Pen, path, sizes } from "./pen.js";
import { around, imageExtent, isOfImage, type PlotFrame, type PlotLabels, plotFrame, rangeOf } from "./plot-frame.js";
import {
  colourTracks,
  divisionColour,
  looseColour,
  missedColour,
  timePalette,
  trackPalette,
  unprovedColour,
  wrongColour,
} from "./track-colours.js";
import { crowding, gapsOf, linesByTime, linesByTrack, OPACITIES, tonesOf } from "./track-lines.js";
import type { PictureImage, TrackPicture } from "./track-picture.js";

/**
 * Share of the plot that lines may cover before tracks cannot be told apart by colours of their own: chosen by eye on simulations of 40 to 2,000 targets
 * and the recordings of scenarios/data.
 */
const TANGLED = 0.3;

/**
 * A picture of tracks as a self-contained SVG: a line per track, dashed where it leaves out frames, a dot per detection, a ring where a
 * track starts; detections that are on no track or are all of one are small and grey. Tracks near each other have different colours, but of a tangle, where
 * colours tell when and lines are thin and let others through. With true identities, links that are wrong lie on top in red, and true links that no track
 * has in thin black. Positions in space are seen along z, and lines are the fainter the deeper they are.
 */
export function tracksSvg(picture: TrackPicture): string {
  const { frameStart, track, target, image } = picture;
  const { wrong, missed } = target ? linkErrors(frameStart, target, track) : { wrong: [], missed: [] };
  const { x, y } = coordinates(picture);
  const unproved = unprovedLinks(picture);
  const { lines, single, loose } = tracksOf(track);
  const positions = { x: rangeOf(x), y: rangeOf(y) };
  // A detection beside the image, as of other units, would else lie on the axes or out of sight.
  const extent = image ? around(imageExtent(image.width, image.height), positions) : positions;
  const downwards = image !== undefined || (picture.x !== null && isOfImage(picture.unit));
  const size = sizes(x.length);
  const frameOf = frameOfDetections(frameStart);
  const divisions = divisionLinks(picture);
  const gaps = lines.reduce((sum, line) => sum + gapsOf(line, frameOf).length, 0);
  const marked = { wrong, missed, unproved, single, gaps, divisions };
  const draft = plotFrame(extent, picture.x !== null, labelsOf(picture, marked, false), downwards);
  const isTangled = crowding(lines, new Pen(draft, x, y)) * size.line > TANGLED;
  const frame = isTangled ? plotFrame(extent, picture.x !== null, labelsOf(picture, marked, true), downwards) : draft;
  const pen = new Pen(frame, x, y);
  const tones = tonesOf(picture.z);
  const faint = image || isTangled ? ' opacity=".45"' : "";
  return frame.wrap([
    image ? underlay(frame, image) : "",
    `<defs>${trackPalette.map((colour, n) => dotMarker(`d${n}`, colour, size.dot)).join("")}${dotMarker("d", looseColour, size.loose, ' class="loose"')}</defs>`,
    path(
      pen.links(unproved),
      `stroke="${unprovedColour}" stroke-width="${size.unproved}" stroke-linecap="round" opacity=".7"`,
    ),
    path(pen.links(divisions), `stroke="${divisionColour}" stroke-width="${size.line}"`),
    path(
      [...single, ...loose].map((d) => pen.line([d])),
      // Only the first point of a path has the marker of a start.
      `marker-start="url(#d)" marker-mid="url(#d)" marker-end="url(#d)"${faint}`,
    ),
    `<g stroke-linejoin="round">${isTangled ? linesByTime(lines, frameOf, frameStart.length - 1, tones, pen, size) : linesByTrack(lines, frameOf, colourTracks(lines, x, y), tones, pen, size)}</g>`,
    path(pen.links(wrong), `stroke="${wrongColour}" stroke-width="${size.wrong}" stroke-linecap="round" opacity=".9"`),
    path(pen.links(missed), `stroke="${missedColour}" stroke-width="${size.missed}"${image ? "" : ' class="missed"'}`),
  ]);
}

/** An image in a plot of pixels, moved right by `shift` of them. */
export function underlay(frame: PlotFrame, { width, height, url }: PictureImage, shift = 0): string {
  const [left, right] = [frame.x(shift - 0.5), frame.x(shift + width - 0.5)];
  const [top, bottom] = [frame.y(-0.5), frame.y(height - 0.5)];
  const place = `x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"`;
  return `<image ${place} preserveAspectRatio="none" style="image-rendering:pixelated" href="${url}"/>`;
}

/** Links whose margin is not above 0, as pairs of detections. */
function unprovedLinks({ frameStart, track, margin }: Pick<TrackPicture, "frameStart" | "track" | "margin">): number[] {
  if (!margin) return [];
  const links: number[] = [];
  const latest = new Map<number, number>();
  for (let d = 0; d < frameStart[frameStart.length - 1]; d++) {
    if (track[d] < 0) continue;
    const before = latest.get(track[d]);
    if (before !== undefined && margin[before] <= 0) links.push(before, d);
    latest.set(track[d], d);
  }
  return links;
}

/** From the last detection of a mother to the first one of each daughter, as pairs of detections. */
function divisionLinks({ track, parents }: Pick<TrackPicture, "track" | "parents">): number[] {
  if (!parents || parents.size === 0) return [];
  const [first, last] = [new Map<number, number>(), new Map<number, number>()];
  track.forEach((one, d) => {
    if (!first.has(one)) first.set(one, d);
    last.set(one, d);
  });
  return [...parents].flatMap(([daughter, mother]) => {
    const [from, to] = [last.get(mother), first.get(daughter)];
    return from === undefined || to === undefined ? [] : [from, to];
  });
}

function coordinates({ frameStart, x, y }: TrackPicture): { x: Float64Array; y: Float64Array } {
  if (x && y) return { x, y };
  const frame = new Float64Array(frameStart[frameStart.length - 1]);
  const index = new Float64Array(frame.length);
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      frame[d] = p;
      index[d] = d - frameStart[p];
    }
  }
  return { x: frame, y: index };
}

/** Detections of each track of two or more in order of time, those that are a track of one, and those in none. */
function tracksOf(track: Int32Array) {
  const byTrack = new Map<number, number[]>();
  const loose: number[] = [];
  track.forEach((k, d) => {
    const line = byTrack.get(k);
    if (k < 0) loose.push(d);
    else if (line) line.push(d);
    else byTrack.set(k, [d]);
  });
  const all = [...byTrack.values()];
  return {
    lines: all.filter((line) => line.length > 1),
    single: all.filter((line) => line.length === 1).map(([d]) => d),
    loose,
  };
}

type Legend = PlotLabels["legend"][number];

function tracksLegend(): Legend[] {
  const bars = [-13, -4, 5].map((x, n) => `<path d="M${x} 0h8" stroke="${trackPalette[n]}" stroke-width="2"/>`);
  return [
    { sample: bars.join(""), text: "track" },
    { sample: `<circle r="2.4" fill="${trackPalette[0]}"/>`, text: "detection" },
    {
      sample: `<circle r="4" fill="#fff" stroke="${trackPalette[0]}" stroke-width="1.6" class="hollow"/>`,
      text: "start of a track",
    },
  ];
}

/** The colours from the first frame to the last. */
function timesLegend({ frameStart, numbers = COUNTED }: TrackPicture): Legend {
  const bars = timePalette.map((colour, n) => `<path d="M${4 * n - 16} 0h4" stroke="${colour}" stroke-width="3"/>`);
  const [first, last] = [0, Math.max(0, frameStart.length - 2)].map((p) => frameNumber(numbers, p));
  return { sample: bars.join(""), text: `tracks from frame ${first} to frame ${last}` };
}

function labelsOf(
  picture: TrackPicture,
  marked: {
    readonly wrong: readonly number[];
    readonly missed: readonly number[];
    readonly unproved: readonly number[];
    readonly single: readonly number[];
    readonly gaps: number;
    readonly divisions: readonly number[];
  },
  isTangled: boolean,
): PlotLabels {
  const { wrong, missed, unproved, single, gaps, divisions } = marked;
  const bar = (style: string) => `<path d="M-12 0h24" ${style}/>`;
  const pale = `<circle r="1.8" fill="${looseColour}" class="loose"/>`;
  const legend = isTangled ? [timesLegend(picture)] : tracksLegend();
  if (gaps > 0) {
    const style = `stroke="${isTangled ? timePalette[0] : trackPalette[0]}" stroke-width="2" stroke-dasharray="4 3"`;
    legend.push({ sample: bar(style), text: `link over missed frames (${gaps})` });
  }
  if (divisions.length > 0) {
    const fork = `<path d="M-12 0h10M-2 0l12 -4M-2 0l12 4" fill="none" stroke="${divisionColour}" stroke-width="1.6"/>`;
    legend.push({ sample: fork, text: `mother and daughter (${divisions.length / 2})` });
  }
  if (single.length > 0) legend.push({ sample: pale, text: `single detection (${single.length})` });
  if (picture.track.some((k) => k < 0)) legend.push({ sample: pale, text: "detection in no track" });
  if (picture.target) {
    legend.push(
      { sample: bar(`stroke="${wrongColour}" stroke-width="3"`), text: `wrong link (${wrong.length / 2})` },
      {
        sample: bar(`stroke="${missedColour}" stroke-width="1.2" class="missed"`),
        text: `true link not found (${missed.length / 2})`,
      },
    );
  }
  if (unproved.length > 0) {
    legend.push({
      sample: `<path d="M-12 0h24" stroke="${unprovedColour}" stroke-width="6" opacity=".7"/>`,
      text: `may be missing from an optimal set (${unproved.length / 2})`,
    });
  }
  if (picture.z) {
    const bars = OPACITIES.map(
      (tone, n) => `<path d="M${8 * n - 12} 0h8" stroke="${trackPalette[0]}" stroke-width="3" opacity="${tone}"/>`,
    );
    const [low, high] = rangeOf(picture.z).map((depth) => Number(depth.toPrecision(3)));
    legend.push({ sample: bars.join(""), text: `z from ${low} to ${high}` });
  }
  const unit = picture.unit ? ` (${picture.unit})` : "";
  const [x, y] = picture.x ? [`x${unit}`, `y${unit}`] : ["frame", "detection in the frame"];
  return { title: picture.title, x, y, legend };
}
