/** The tracks of a picture as SVG paths. */
import { type Pen, path, type Sizes } from "./pen.js";
import { timePalette, trackPalette } from "./track-colours.js";

/** Each track in its colour, with its detections and a ring at its start. */
export function linesByTrack(
  lines: readonly (readonly number[])[],
  frameOf: Uint32Array,
  chosen: Uint8Array,
  pen: Pen,
  size: Sizes,
): string {
  const coloured = trackPalette.map((colour, n) => {
    const ofColour = lines.filter((_, t) => chosen[t] === n);
    const dot = `marker-start="url(#d${n})" marker-mid="url(#d${n})" marker-end="url(#d${n})"`;
    const line = path(
      ofColour.flatMap((line) => runsOf(line, frameOf)).map((run) => pen.line(run)),
      `stroke="${colour}" stroke-width="${size.line}" ${dot}`,
    );
    const gap = path(
      ofColour.flatMap((line) => gapsOf(line, frameOf)).map((link) => pen.line(link)),
      `stroke="${colour}" stroke-width="${size.line}" stroke-dasharray="${size.dash}"`,
    );
    const ring = path(
      ofColour.map(([d]) => pen.ring(d, size.ring)),
      `stroke="${colour}" stroke-width="${size.line}" fill="#fff" class="hollow"`,
    );
    return gap + line + ring;
  });
  return coloured.join("\n");
}

/** Thin lines that let others through, in the colour of their time, the earliest below. */
export function linesByTime(
  lines: readonly (readonly number[])[],
  frameOf: Uint32Array,
  frames: number,
  pen: Pen,
  size: Sizes,
): string {
  const times = timePalette.length;
  const parts = timePalette.map(() => ({ lines: [] as string[], gaps: [] as string[] }));
  const timeOf = (d: number) => Math.min(times - 1, Math.floor((times * frameOf[d]) / Math.max(1, frames - 1)));
  for (const line of lines) {
    for (const run of runsOf(line, frameOf)) {
      let first = 0;
      for (let n = 1; n < run.length; n++) {
        if (n + 1 < run.length && timeOf(run[n]) === timeOf(run[first])) continue;
        parts[timeOf(run[first])].lines.push(pen.line(run.slice(first, n + 1)));
        first = n;
      }
    }
    for (const [from, to] of gapsOf(line, frameOf)) parts[timeOf(from)].gaps.push(pen.line([from, to]));
  }
  const style = (n: number) => `stroke="${timePalette[n]}" stroke-width="${Math.ceil(0.7 * size.line)}" opacity=".7"`;
  return parts
    .map(({ lines, gaps }, n) => path(lines, style(n)) + path(gaps, `${style(n)} stroke-dasharray="${size.dash}"`))
    .join("\n");
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
