import { frameOfDetections } from "../core/detections.js";
import { type Correction, type FixedLinks, FixedLinksBuilder } from "../core/fixed-links.js";
import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import { readTable } from "../files/csv-table.js";
import { readBytes } from "../files/text-file.js";
import { readFrame } from "./tracks.js";

const columns = { required: ["frame", "i", "j", "link"], optional: ["next"] };
const remedy = "name detections of the input, as tracks.csv does";
/** Frames in a row that a link may leave out, as in --max-gap. */
const MOST_MISSED = 20;

/**
 * Reads links that are required or forbidden: a CSV with frame,i,j,link and perhaps next. Detection i of `frame` is linked, or is not, to detection j of
 * frame `next` [the one after]; detections count from 0 in their frame, frames as in the input.
 * @throws InputError for a link that names no detection, for two required links that share an end, and for one both required and forbidden
 */
export function readFixedLinks(file: string, frameStart: Uint32Array, numbers: FrameNumbers): FixedLinks {
  return parseFixedLinks(file, readBytes(file), frameStart, numbers);
}

/** readFixedLinks on the bytes of a file. */
export function parseFixedLinks(
  file: string,
  bytes: Buffer,
  frameStart: Uint32Array,
  numbers: FrameNumbers,
): FixedLinks {
  const frames = frameStart.length - 1;
  const count = frameStart[frames];
  const links = new FixedLinksBuilder(count);
  const lineOf = new Map<string, number>();
  readTable(file, bytes, columns, (row) => {
    const p = readFrame(row, "frame", numbers, frames, remedy);
    const q = row.text("next") === "" ? p + 1 : readFrame(row, "next", numbers, frames, remedy);
    if (q <= p || q >= frames)
      row.refuse("next", `is frame ${frameNumber(numbers, q)}`, "name a later frame of the input");
    if (q - p > MOST_MISSED + 1) row.refuse("next", `is ${q - p} frames on`, `leave out at most ${MOST_MISSED} frames`);
    const detection = (column: "i" | "j", frame: number) => {
      const size = frameStart[frame + 1] - frameStart[frame];
      if (size === 0) row.refuse(column, `is in frame ${frameNumber(numbers, frame)}, which has no detections`, remedy);
      return frameStart[frame] + row.number(column, { integer: true, min: 0, max: size - 1, remedy });
    };
    const [i, j] = [detection("i", p), detection("j", q)];
    const key = `${i} ${j}`;
    const before = lineOf.get(key);
    if (before !== undefined) row.refuse("link", `is stated on line ${before} already`, "keep one of them");
    lineOf.set(key, row.line);
    const kind = row.text("link");
    if (kind === "required") {
      const refused = links.require(i, j, q - p);
      if (refused !== null) row.refuse(refused.end === "tail" ? "i" : "j", refused.problem, refused.remedy);
    } else if (kind === "forbidden") {
      links.forbid(i, j);
    } else row.refuse("link", `is ${JSON.stringify(kind)}`, "give required or forbidden");
  });
  return links.build();
}

/** The text of a file that `readFixedLinks` reads. */
export function formatFixedLinks(corrections: readonly Correction[], frameStart: Uint32Array, numbers: FrameNumbers) {
  const frameOf = frameOfDetections(frameStart);
  const place = (d: number) => [frameNumber(numbers, frameOf[d]), d - frameStart[frameOf[d]]];
  const rows = corrections.map(({ kind, from, to }) => `${[...place(from), ...place(to), kind].join(",")}\n`);
  return `frame,i,next,j,link\n${rows.join("")}`;
}
