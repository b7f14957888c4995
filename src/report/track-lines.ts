/** The tracks of a picture as SVG paths. */
import { type Pen, path, type Sizes } from "./pen.js";
import { rangeOf } from "./plot-frame.js";
import { timePalette, trackPalette } from "./track-colours.js";

/** How opaque lines are by depth: the deepest are the faintest, and lie below. */
export interface Tones {
  readonly opacities: readonly number[];
  readonly of: (detection: number) => number;
}

export const OPACITIES = [0.3, 0.6, 1];

/** Three tones over the range of depths; one where there are none. */
export function tonesOf(z: Float64Array | undefined): Tones {
  if (z === undefined) return { opacities: [1], of: () => 0 };
  const [low, high] = rangeOf(z);
  const tones = OPACITIES.length;
  const of = (d: number) => Math.min(tones - 1, Math.floor((tones * (z[d] - low)) / (high - low || 1)));
  return { opacities: OPACITIES, of };
}

const opacity = (value: number) => (value === 1 ? "" : ` opacity="${String(Number(value.toFixed(2))).slice(1)}"`);

/** Each track in its colour, with its detections and a ring at its start. */
export function linesByTrack(
  lines: readonly (readonly number[])[],
  frameOf: Uint32Array,
  chosen: Uint8Array,
  tones: Tones,
  pen: Pen,
  size: Sizes,
): string {
  const coloured = tones.opacities.flatMap((opaque, tone) =>
    trackPalette.map((colour, n) => {
      const ofColour = lines.filter((_, t) => chosen[t] === n);
      const ofTone = (d: number) => tones.of(d) === tone;
      const dot = `marker-start="url(#d${n})" marker-mid="url(#d${n})" marker-end="url(#d${n})"${opacity(opaque)}`;
      const runs = ofColour.flatMap((line) => runsOf(line, frameOf)).flatMap((run) => piecesOf(run, tones.of));
      const line = path(
        runs.filter(([d]) => ofTone(d)).map((run) => pen.line(run)),
        `stroke="${colour}" stroke-width="${size.line}" ${dot}`,
      );
      const gaps = ofColour.flatMap((line) => gapsOf(line, frameOf));
      const gap = path(
        gaps.filter(([d]) => ofTone(d)).map((link) => pen.line(link)),
        `stroke="${colour}" stroke-width="${size.line}" stroke-dasharray="${size.dash}"${opacity(opaque)}`,
      );
      const ring = path(
        ofColour.filter(([d]) => ofTone(d)).map(([d]) => pen.ring(d, size.ring)),
        `stroke="${colour}" stroke-width="${size.line}" fill="#fff" class="hollow"${opacity(opaque)}`,
      );
      return gap + line + ring;
    }),
  );
  return coloured.join("\n");
}

/** Thin lines that let others through, in the colour of their time, the deepest and then the earliest below. */
export function linesByTime(
  lines: readonly (readonly number[])[],
  frameOf: Uint32Array,
  frames: number,
  tones: Tones,
  pen: Pen,
  size: Sizes,
): string {
  const times = timePalette.length;
  const timeOf = (d: number) => Math.min(times - 1, Math.floor((times * frameOf[d]) / Math.max(1, frames - 1)));
  const partOf = (d: number) => times * tones.of(d) + timeOf(d);
  const parts = Array.from({ length: times * tones.opacities.length }, () => ({
    lines: [] as string[],
    gaps: [] as string[],
  }));
  for (const line of lines) {
    for (const run of runsOf(line, frameOf).filter(({ length }) => length > 1)) {
      for (const piece of piecesOf(run, partOf)) parts[partOf(piece[0])].lines.push(pen.line(piece));
    }
    for (const [from, to] of gapsOf(line, frameOf)) parts[partOf(from)].gaps.push(pen.line([from, to]));
  }
  const style = (n: number) =>
    `stroke="${timePalette[n % times]}" stroke-width="${Math.ceil(0.7 * size.line)}"${opacity(0.7 * tones.opacities[Math.floor(n / times)])}`;
  return parts
    .map(({ lines, gaps }, n) => path(lines, style(n)) + path(gaps, `${style(n)} stroke-dasharray="${size.dash}"`))
    .join("\n");
}

/** The parts of a run whose links begin at detections of one kind. */
function piecesOf(run: readonly number[], kindOf: (detection: number) => number): (readonly number[])[] {
  if (run.length === 1) return [run];
  const pieces: (readonly number[])[] = [];
  let first = 0;
  for (let n = 1; n < run.length; n++) {
    if (n + 1 < run.length && kindOf(run[n]) === kindOf(run[first])) continue;
    pieces.push(run.slice(first, n + 1));
    first = n;
  }
  return pieces;
}

/** Side of the squares in which the crowding of lines is measured, in tenths of a pixel. */
const SQUARE = 200;

/** Length of lines in a square of the picture around a place of a line, the mean over all of their length, over the area of the square. */
export function crowding(lines: readonly (readonly number[])[], pen: Pen): number {
  const lengths = new Map<string, number>();
  for (const line of lines) {
    for (let n = 1; n < line.length; n++) {
      const [[x0, y0], [x1, y1]] = [pen.at(line[n - 1]), pen.at(line[n])];
      const length = Math.hypot(x1 - x0, y1 - y0);
      const pieces = Math.ceil(length / SQUARE);
      for (let piece = 0; piece < pieces; piece++) {
        const share = (piece + 0.5) / pieces;
        const [x, y] = [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
        const square = `${Math.floor(x / SQUARE)} ${Math.floor(y / SQUARE)}`;
        lengths.set(square, (lengths.get(square) ?? 0) + length / pieces);
      }
    }
  }
  let [sum, squares] = [0, 0];
  for (const length of lengths.values()) {
    sum += length;
    squares += length * length;
  }
  return sum === 0 ? 0 : squares / sum / SQUARE ** 2;
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
export function gapsOf(line: readonly number[], frameOf: Uint32Array): [number, number][] {
  return line.flatMap((d, n) => (n > 0 && frameOf[d] > frameOf[line[n - 1]] + 1 ? [[line[n - 1], d]] : []));
}
