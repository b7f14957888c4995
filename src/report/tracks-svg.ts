import { frameOfDetections } from "../core/detections.js";
import { linkErrors } from "../scores/links.js";
import { around, imageExtent, type PlotFrame, type PlotLabels, plotFrame, rangeOf } from "./plot-frame.js";
import { colourTracks, trackPalette } from "./track-colours.js";

export interface TrackPicture {
  /** The first line is the heading; more lines may follow it. */
  readonly title: string;
  /** Detections of frame p are frameStart[p] … frameStart[p + 1] − 1. */
  readonly frameStart: Uint32Array;
  /** Positions, or null: then frames run along x and detections, by their index in the frame, along y. */
  readonly x: Float64Array | null;
  readonly y: Float64Array | null;
  /** Track of each detection, −1 for none. */
  readonly track: Int32Array;
  /** True identity of each detection, −1 for a false one; or null: then nothing is marked as wrong. */
  readonly target: Int32Array | null;
  /** Margin of the link out of each detection, NaN where its track ends; or null: then no link is marked as not proved. */
  readonly margin?: Float64Array | null;
  /** Length unit of the positions, for the axes. */
  readonly unit?: string | undefined;
  /** The image under the tracks; positions are its pixels, and y points down. */
  readonly image?: PictureImage | undefined;
}

export interface PictureImage {
  readonly width: number;
  readonly height: number;
  /** A data: URL. */
  readonly url: string;
}

export const wrongColour = "#d6111e";
/** The colour under links that are not proved to be in every optimal set of tracks. */
export const unprovedColour = "#ffc83d";
const missedColour = "#222";
const looseColour = "#b4b4b4";

/**
 * A picture of tracks as a self-contained SVG: a line per track, dashed where it leaves out frames, a dot per detection, a ring where a
 * track starts; detections that are on no track or are all of one are small and grey. Tracks near each other have different colours. With
 * true identities, links that are wrong lie on top in red, and true links that no track has are dashed in black.
 */
export function tracksSvg(picture: TrackPicture): string {
  const { frameStart, track, target } = picture;
  const { wrong, missed } = target ? linkErrors(frameStart, target, track) : { wrong: [], missed: [] };
  const { x, y } = coordinates(picture);
  const unproved = unprovedLinks(picture);
  const frameOf = frameOfDetections(frameStart);
  const { lines, single, loose } = tracksOf(track);
  const gaps = lines.reduce((sum, line) => sum + gapsOf(line, frameOf).length, 0);
  const labels = labelsOf(picture, { wrong, missed, unproved, single, gaps });
  const { image } = picture;
  const positions = { x: rangeOf(x), y: rangeOf(y) };
  // A detection beside the image, as of other units, would else lie on the axes or out of sight.
  const extent = image ? around(imageExtent(image.width, image.height), positions) : positions;
  const frame = plotFrame(extent, picture.x !== null, labels, image !== undefined);
  const pen = new Pen(frame, x, y);
  const size = sizes(x.length);
  const chosen = colourTracks(lines, x, y);

  const coloured = trackPalette.map((colour, n) => {
    const own = lines.filter((_, t) => chosen[t] === n);
    const dot = `marker-start="url(#d${n})" marker-mid="url(#d${n})" marker-end="url(#d${n})"`;
    const line = path(
      own.flatMap((line) => runsOf(line, frameOf)).map((run) => pen.line(run)),
      `stroke="${colour}" stroke-width="${size.line}" ${dot}`,
    );
    const gap = path(
      own.flatMap((line) => gapsOf(line, frameOf)).map((link) => pen.line(link)),
      `stroke="${colour}" stroke-width="${size.line}" stroke-dasharray="${size.dash}"`,
    );
    const ring = path(
      own.map(([d]) => pen.ring(d, size.ring)),
      `stroke="${colour}" stroke-width="${size.line}" fill="#fff"`,
    );
    return gap + line + ring;
  });
  return frame.wrap([
    image ? underlay(frame, image) : "",
    `<defs>${trackPalette.map((colour, n) => dotMarker(`d${n}`, colour, size.dot)).join("")}${dotMarker("d", looseColour, size.loose)}</defs>`,
    path(
      pen.links(unproved),
      `stroke="${unprovedColour}" stroke-width="${size.unproved}" stroke-linecap="round" opacity=".7"`,
    ),
    path(
      [...single, ...loose].map((d) => pen.line([d])),
      // Only the first point of a path has the marker of a start.
      'marker-start="url(#d)" marker-mid="url(#d)" marker-end="url(#d)"',
    ),
    `<g stroke-linejoin="round">${coloured.join("\n")}</g>`,
    path(pen.links(wrong), `stroke="${wrongColour}" stroke-width="${size.wrong}" stroke-linecap="round" opacity=".9"`),
    path(pen.links(missed), `stroke="${missedColour}" stroke-width="${size.missed}" stroke-dasharray="${size.dash}"`),
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
export function unprovedLinks({
  frameStart,
  track,
  margin,
}: Pick<TrackPicture, "frameStart" | "track" | "margin">): number[] {
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

/** The parts of a track that leave out no frame. */
function runsOf(line: readonly number[], frameOf: Uint32Array): number[][] {
  const runs: number[][] = [];
  line.forEach((d, n) => {
    if (n > 0 && frameOf[d] === frameOf[line[n - 1]] + 1) runs[runs.length - 1].push(d);
    else runs.push([d]);
  });
  return runs;
}

/** The links of a track that leave out frames. */
function gapsOf(line: readonly number[], frameOf: Uint32Array): [number, number][] {
  return line.flatMap((d, n) => (n > 0 && frameOf[d] > frameOf[line[n - 1]] + 1 ? [[line[n - 1], d]] : []));
}

/** Stroke widths, radii and dashes in tenths of a pixel: the more detections, the finer. */
function sizes(detections: number) {
  const scale = Math.min(1.3, Math.max(0.45, (1500 / Math.max(1, detections)) ** 0.25));
  const tenths = (pixels: number) => Math.round(10 * pixels * scale);
  return {
    line: tenths(1.3),
    dot: tenths(2),
    loose: tenths(1.4),
    ring: tenths(3.6),
    wrong: tenths(2.6),
    unproved: tenths(7),
    missed: tenths(1),
    dash: `${tenths(4)} ${tenths(3)}`,
  };
}

/** Writes path data in the frame's tenths of a pixel, relative where that is shorter. */
class Pen {
  constructor(
    private readonly frame: PlotFrame,
    private readonly xs: Float64Array,
    private readonly ys: Float64Array,
  ) {}

  line(detections: readonly number[]): string {
    let [x, y] = this.at(detections[0]);
    let data = `M${x} ${y}`;
    if (detections.length === 1) return `${data}h0`;
    data += "l";
    for (let n = 1; n < detections.length; n++) {
      const [nextX, nextY] = this.at(detections[n]);
      data += `${n > 1 && nextX >= x ? " " : ""}${nextX - x}${nextY >= y ? " " : ""}${nextY - y}`;
      [x, y] = [nextX, nextY];
    }
    return data;
  }

  /** Links from links[2n] to links[2n + 1], in order of time; those that follow on each other become one line. */
  links(links: readonly number[]): string[] {
    const chains: number[][] = [];
    const endingAt = new Map<number, number[]>();
    for (let n = 0; n < links.length; n += 2) {
      let chain = endingAt.get(links[n]);
      if (chain === undefined) {
        chain = [links[n]];
        chains.push(chain);
      }
      chain.push(links[n + 1]);
      endingAt.set(links[n + 1], chain);
    }
    return chains.map((chain) => this.line(chain));
  }

  ring(detection: number, radius: number): string {
    const [x, y] = this.at(detection);
    const arc = `a${radius} ${radius} 0 1 0`;
    return `M${x - radius} ${y}${arc} ${2 * radius} 0${arc} ${-2 * radius} 0`;
  }

  private at(detection: number): [number, number] {
    return [this.frame.x(this.xs[detection]), this.frame.y(this.ys[detection])];
  }
}

function path(data: readonly string[], attributes: string): string {
  return data.length === 0 ? "" : `<path d="${data.join("")}" ${attributes}/>`;
}

function dotMarker(id: string, colour: string, radius: number): string {
  const box = `viewBox="-1 -1 2 2" markerWidth="${2 * radius}" markerHeight="${2 * radius}" markerUnits="userSpaceOnUse" overflow="visible"`;
  return `<marker id="${id}" ${box}><circle r="1" fill="${colour}"/></marker>`;
}

function labelsOf(
  picture: TrackPicture,
  marked: {
    readonly wrong: readonly number[];
    readonly missed: readonly number[];
    readonly unproved: readonly number[];
    readonly single: readonly number[];
    readonly gaps: number;
  },
): PlotLabels {
  const { wrong, missed, unproved, single, gaps } = marked;
  const bar = (style: string) => `<path d="M-12 0h24" ${style}/>`;
  const pale = `<circle r="1.8" fill="${looseColour}"/>`;
  const legend = [
    {
      sample: [-13, -4, 5].map((x, n) => `<path d="M${x} 0h8" stroke="${trackPalette[n]}" stroke-width="2"/>`).join(""),
      text: "track",
    },
    { sample: `<circle r="2.4" fill="${trackPalette[0]}"/>`, text: "detection" },
    { sample: `<circle r="4" fill="#fff" stroke="${trackPalette[0]}" stroke-width="1.6"/>`, text: "start of a track" },
  ];
  if (gaps > 0) {
    const style = `stroke="${trackPalette[0]}" stroke-width="2" stroke-dasharray="4 3"`;
    legend.push({ sample: bar(style), text: `link over missed frames (${gaps})` });
  }
  if (single.length > 0) legend.push({ sample: pale, text: `track of one detection (${single.length})` });
  if (picture.track.some((k) => k < 0)) legend.push({ sample: pale, text: "detection in no track" });
  if (picture.target) {
    legend.push(
      { sample: bar(`stroke="${wrongColour}" stroke-width="3"`), text: `wrong link (${wrong.length / 2})` },
      {
        sample: bar(`stroke="${missedColour}" stroke-width="1.2" stroke-dasharray="4 3"`),
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
  const unit = picture.unit ? ` (${picture.unit})` : "";
  const [x, y] = picture.x ? [`x${unit}`, `y${unit}`] : ["frame", "detection in the frame"];
  return { title: picture.title, x, y, legend };
}
