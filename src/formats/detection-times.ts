/** The frames of the rows of a table of detections, and the time between two frames. */
import { type FrameNumbers, frameOfNumber } from "../core/frame-numbers.js";
import { picked } from "../core/growing-array.js";
import { refuse } from "../files/refusal.js";
import { type DetectionRows, labelOf } from "./detection-columns.js";
import type { DetectionsMetadata } from "./detections-metadata.js";
import { numbersOf } from "./frame-order.js";
import type { Reading } from "./reading.js";
import type { ReadingOptions } from "./reading-options.js";
import type { DetectionsForm } from "./table-form.js";
import { TimeColumn } from "./time-cells.js";
import { framesOfTimes, JITTER } from "./times.js";

export interface Timing {
  /** Number of the frame of each row. */
  readonly frame: Float64Array;
  readonly numbers: FrameNumbers;
  /** The time between two frames where it follows from a column of times. */
  readonly timeStep: number | null;
  /** Whether frames are counted from the first time, and so have numbers that are not in the file. */
  readonly isCounted: boolean;
}

/** The frames of the rows, by their numbers or their times. */
export function timingOf(
  file: string,
  form: DetectionsForm,
  { frame, line }: DetectionRows,
  meta: DetectionsMetadata,
  stated: number | null,
  notes: string[],
): Timing {
  refuseOtherStep(file, meta, stated);
  if (!(frame instanceof TimeColumn))
    return { frame, numbers: numbersOf(frame, meta), timeStep: null, isCounted: false };
  const label = labelOf(form, "time");
  const place = (row: number) => `${file}:${line[row]}, column ${label}`;
  const step = stated ?? meta.timeStep;
  const isKinovea = form.comments.some(({ text }) => /\bKinovea\b/.test(text));
  const time = frame.finish(place, label, step, isKinovea, notes);
  const timed = framesOfTimes(place, time, step, !frame.isDated);
  if (timed.irregular > 0) {
    const share = `more than ${100 * JITTER} % of the step from their frame`;
    notes.push(
      `${timed.irregular} different times in the column ${label} are ${share}: each counts as the nearest one.`,
    );
  }
  const isCounted = timed.frame !== time;
  const numbers = isCounted ? { first: 0, step: 1 } : numbersOf(time, meta);
  return { frame: timed.frame, numbers, timeStep: timed.timeStep, isCounted };
}

/** A step may be stated twice only where both are the same. */
export function refuseOtherStep(file: string, { timeStep }: DetectionsMetadata, stated: number | null): void {
  if (stated !== null && timeStep !== null && timeStep !== stated)
    refuse(`--dt ${stated}`, `${file} states dt=${timeStep}`, "leave one of them out");
}

/** Begins where a step is from that follows from times. */
export const OF_COLUMN = "the column ";

/** The time between two frames, and where it is from. */
export function timeStepOf(
  form: DetectionsForm,
  rows: DetectionRows,
  meta: DetectionsMetadata,
  { dt, statedBy = "--dt" }: ReadingOptions,
  { frame, numbers, timeStep }: Timing,
  order: Uint32Array,
  notes: string[],
): Pick<Reading, "timeStep" | "timeStepFrom"> {
  if (dt !== undefined) return { timeStep: dt, timeStepFrom: statedBy };
  if (meta.timeStep !== null) return { timeStep: meta.timeStep, timeStepFrom: "stated" };
  const from = `${OF_COLUMN}${labelOf(form, "time")}`;
  if (timeStep !== null) return { timeStep, timeStepFrom: from };
  if (rows.time !== null) {
    const frameOf = picked(frame, order).map((number) => frameOfNumber(numbers, number));
    const beside = stepBeside(frameOf, picked(rows.time, order));
    if (beside !== null) return { timeStep: beside, timeStepFrom: from };
    notes.push(`${from[0].toUpperCase()}${from.slice(1)} has no even step from frame to frame, and is not used.`);
  } else if (form.columnOf.has("time"))
    notes.push(`${from[0].toUpperCase()}${from.slice(1)} is not all numbers, and is not used.`);
  return { timeStep: 1, timeStepFrom: "assumed" };
}

/** The step of times that stand beside frames; null where a frame's time is further from it than jitter may be. */
function stepBeside(frame: Float64Array, time: Float64Array): number | null {
  const last = frame.length - 1;
  const step = (time[last] - time[0]) / (frame[last] - frame[0]);
  if (!(step > 0)) return null;
  const isEven = time.every((at, row) => {
    const before = Math.max(0, row - 1);
    return Math.abs(at - time[before] - step * (frame[row] - frame[before])) <= 2 * JITTER * step;
  });
  return isEven ? Number(step.toPrecision(12)) : null;
}
