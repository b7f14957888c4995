/** The frames of rows that come in any order. */
import { min } from "d3-array";
import { type FrameNumbers, frameNumber, frameOfNumber } from "../core/frame-numbers.js";
import { byRow } from "../core/rows.js";
import { refuse } from "../files/refusal.js";
import type { DetectionsMetadata } from "./detections-metadata.js";

/** Most frames a recording may span, empty ones included. */
export const maxFrames = 1_000_000;

const REMEDY = "correct the comment line or the frame";

/** The number of different frames from which on a common step of their numbers is no chance. */
const FEW_FRAMES = 3;

/** The greatest common divisor of the differences of frames' numbers; 1 where there are few, or they have none. */
function commonStep(frame: Float64Array, first: number): number {
  const numbers = new Set(frame);
  if (numbers.size < FEW_FRAMES) return 1;
  let divisor = 0;
  for (const number of numbers) {
    let [a, b] = [divisor, number - first];
    while (b > 0) [a, b] = [b, a % b];
    divisor = a;
    if (divisor === 1) break;
  }
  return divisor;
}

/** The first frame with a row is the first, or, where the number of frames is stated, the one of the least number in its steps. */
export function numbersOf(
  frame: Float64Array,
  { metadata, frames, step: stated }: Pick<DetectionsMetadata, "metadata" | "frames" | "step">,
): FrameNumbers {
  const least = min(frame) ?? 0;
  const step = metadata.has("step") || frames !== null ? stated : commonStep(frame, least);
  return { first: frames === null ? least : least % step, step };
}

/**
 * The frame that a row's number names, counted from 0.
 * @throws InputError for a number between the steps, and for one behind the stated number of frames
 */
export function frameAt(place: string, numbers: FrameNumbers, number: number, stated: number | null): number {
  const frame = frameOfNumber(numbers, number);
  const { first, step } = numbers;
  if (!Number.isInteger(frame)) refuse(place, `${number} is not ${first} and a multiple of step=${step}`, REMEDY);
  if (stated !== null && frame >= stated) {
    const last = frameNumber(numbers, stated - 1);
    refuse(place, `${number} is above ${last}, the last of frames=${stated}`, REMEDY);
  }
  return frame;
}

/** The numbers of the frames of rows. */
interface GivenFrames {
  readonly frame: Float64Array;
  /** Of a row, for messages. */
  readonly place: (row: number) => string;
  /** What to do where the frames span too many. */
  readonly remedy: string;
}

/** Row numbers by frame, in file order within a frame, and where each frame begins among them. */
export function sortByFrame(
  rows: GivenFrames,
  numbers: FrameNumbers,
  stated: number | null,
  fewest = 2,
): { readonly order: Uint32Array; readonly frameStart: Uint32Array } {
  const { place } = rows;
  const frameOf = rows.frame.map((number) => frameOfNumber(numbers, number));
  const between = frameOf.findIndex((frame) => !Number.isInteger(frame));
  if (between >= 0) frameAt(place(between), numbers, rows.frame[between], stated);
  const last = frameOf.reduce((most, frame, row) => (frame > frameOf[most] ? row : most), 0);
  const number = rows.frame[last];
  const frames = stated ?? frameOf[last] + 1;
  frameAt(place(last), numbers, number, stated);
  if (frames > maxFrames) refuseGap(rows, frameOf, stated);
  if (frames < fewest) refuse(place(last), `${number} is the only frame`, "give detections of two frames or more");
  const { rowStart: frameStart, item: order } = byRow(frameOf, frames);
  return { order, frameStart };
}

/** Says where the frames of a recording that spans too many are furthest apart, and what that may be. */
function refuseGap({ frame, place, remedy }: GivenFrames, frameOf: Float64Array, stated: number | null): never {
  const order = Uint32Array.from(frameOf.keys()).sort((a, b) => frameOf[a] - frameOf[b] || a - b);
  const span = `a recording may span ${maxFrames} frames`;
  if (stated !== null)
    refuse(place(order[order.length - 1]), `frames=${stated} makes ${stated} frames, and ${span}`, REMEDY);
  let widest = 1;
  const gap = (n: number) => frameOf[order[n]] - frameOf[order[n - 1]];
  for (let n = 1; n < order.length; n++) if (gap(n) > gap(widest)) widest = n;
  const [before, after] = [order[widest - 1], order[widest]];
  refuse(place(after), `${frame[after]} is ${gap(widest)} frames after ${frame[before]}, and ${span}`, remedy);
}

/**
 * The first two of one frame that have the same number, such as a track's, by their places; null where there are no two. Negative numbers are none.
 * @param frame never decreasing
 */
export function repeatInFrame(
  frame: ArrayLike<number>,
  number: Int32Array,
): { readonly first: number; readonly second: number } | null {
  const seen = new Map<number, number>();
  for (let second = 0; second < number.length; second++) {
    if (second > 0 && frame[second] !== frame[second - 1]) seen.clear();
    const first = number[second] < 0 ? undefined : seen.get(number[second]);
    if (first !== undefined) return { first, second };
    seen.set(number[second], second);
  }
  return null;
}
