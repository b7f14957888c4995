/** Frames from a column of times. */
import type { TableRow } from "../files/csv-table.js";
import { refuse, shown } from "../files/refusal.js";

/** How far a time may lie from where the step puts it, as a share of the step. Two times are apart by a step more or less twice that. */
export const JITTER = 0.05;

/** Gaps below the step over this may come from the jitter of times within one frame. */
const WITHIN = 2 * JITTER;

/** Ways to part gaps within frames from those between them that are tried. */
const MOST_SPLITS = 20;

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(?:(Z|UTC)|([+-])(\d\d):?(\d\d))?$/i;
const CLOCK = /^(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?$/;

/** The time in a cell: a number in the file's unit, or seconds of a date or of a clock. */
export function timeIn(row: TableRow, column: string): number {
  const text = row.text(column);
  const iso = /[-:]/.test(text.slice(1)) ? (ISO.exec(text) ?? CLOCK.exec(text)) : null;
  const remedy = "give times as numbers, or as 2024-05-31T12:00:00.5";
  if (iso === null) return row.number(column, { below: 1e15, remedy });
  if (iso.length < 6) return secondsOf(iso[1], iso[2], iso[3], iso[4]);
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction, , sign, offsetHours, offsetMinutes] =
    iso;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000;
  const isDay = new Date(1000 * midnight).getUTCDate() === Number(day) && Number(month) <= 12;
  if (!isDay || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60)
    row.refuse(column, `${shown(text)} is no date`, remedy);
  const offset = sign === undefined ? 0 : secondsOf(`${sign}${offsetHours}`, `${sign}${offsetMinutes}`, "0", undefined);
  return midnight + secondsOf(hour, minute, second, fraction) - offset;
}

const secondsOf = (hour: string, minute: string, second: string, fraction: string | undefined) =>
  3600 * Number(hour) + 60 * Number(minute) + Number(second) + (fraction === undefined ? 0 : Number(`0.${fraction}`));

/** Whether a cell holds a date or the time of a clock, whose unit is the second. */
export const isDate = (text: string): boolean => ISO.test(text) || CLOCK.test(text);

export interface TimedFrames {
  /** Of each row: counted from 0, or, where the times are whole numbers in even steps, the time itself. */
  readonly frame: Float64Array;
  readonly timeStep: number;
  /** Different times that are further from their frame than the jitter allowed, where the step was stated. */
  readonly irregular: number;
}

/**
 * Puts times into frames. The step is that of the differences, of which each is a whole number of steps up to the jitter; a stated one that differs
 * counts from the first time on, and each time belongs to the nearest frame.
 * @param place of a row, for messages
 * @param mayKeep whether times that are whole numbers in even steps may be the numbers of frames
 * @throws InputError where no step is stated and the times have none
 */
export function framesOfTimes(
  place: (row: number) => string,
  time: Float64Array,
  stated: number | null,
  mayKeep: boolean,
): TimedFrames {
  const distinct = Float64Array.from(new Set(time)).sort();
  const gaps = distinct.subarray(1).map((at, n) => at - distinct[n]);
  const step = gaps.length === 0 ? (stated ?? 1) : stepOf(Float64Array.from(gaps).sort());
  if (step !== null && (stated === null || Math.abs(step - stated) <= JITTER * stated)) {
    if (mayKeep && isEven(gaps, step) && distinct.every((at) => Number.isSafeInteger(at) && at >= 0))
      return { frame: time, timeStep: stated ?? step, irregular: 0 };
    const frameOf = steppedFrames(distinct, step);
    return { frame: time.map((at) => frameOf.get(at) as number), timeStep: stated ?? step, irregular: 0 };
  }
  if (stated === null) refuseIrregular(place, time, distinct, gaps);
  const inSteps = (at: number) => (at - distinct[0]) / stated;
  const isFar = (at: number) => Math.abs(inSteps(at) - Math.round(inSteps(at))) > JITTER;
  return {
    frame: time.map((at) => Math.round(inSteps(at))),
    timeStep: stated,
    irregular: distinct.filter(isFar).length,
  };
}

const isEven = (gaps: Float64Array, step: number) => Number.isInteger(step) && gaps.every((gap) => gap % step === 0);

/** The step of which all gaps are multiples, but for those within frames; null where there is none. */
function stepOf(gaps: Float64Array): number | null {
  const splits = [0];
  for (let n = 1; n < gaps.length && splits.length < MOST_SPLITS; n++)
    if (gaps[n - 1] <= WITHIN * gaps[n] * (1 + WITHIN)) splits.push(n);
  for (const split of splits) {
    const step = commonStep(gaps.subarray(split));
    if (step !== null && (split === 0 || gaps[split - 1] <= WITHIN * step)) return step;
  }
  return null;
}

/** The step of gaps in increasing order that each are one step or several. */
function commonStep(gaps: Float64Array): number | null {
  const ones = gaps.filter((gap) => gap < 1.5 * gaps[0]);
  let step = ones[ones.length >> 1];
  // Long gaps are counted by a step that shorter ones have made more exact.
  for (const longest of [2, 10, 100, Number.POSITIVE_INFINITY]) {
    const counted = gaps.filter((gap) => gap < (longest + 0.5) * step);
    const steps = counted.reduce((sum, gap) => sum + Math.round(gap / step), 0);
    step = counted.reduce((sum, gap) => sum + gap, 0) / steps;
  }
  const isMultiple = (gap: number) => gap > 0.5 * step && Math.abs(gap / step - Math.round(gap / step)) <= WITHIN;
  return gaps.every(isMultiple) ? Number(step.toPrecision(12)) : null;
}

/** The frame of each time: the frames go on by the rounded number of steps. */
function steppedFrames(distinct: Float64Array, step: number): ReadonlyMap<number, number> {
  const frameOf = new Map<number, number>();
  let frame = 0;
  let before = distinct[0];
  for (const at of distinct) {
    frame += Math.round((at - before) / step);
    before = at;
    frameOf.set(at, frame);
  }
  return frameOf;
}

function refuseIrregular(
  place: (row: number) => string,
  time: Float64Array,
  distinct: Float64Array,
  gaps: Float64Array,
): never {
  const sorted = Float64Array.from(gaps).sort();
  const usual = Number(sorted[sorted.length >> 1].toPrecision(3));
  const isOff = (gap: number) => Math.abs(gap / usual - Math.max(1, Math.round(gap / usual))) > WITHIN;
  const n = Math.max(0, gaps.findIndex(isOff));
  const [before, at] = [distinct[n], distinct[n + 1]];
  const row = time.indexOf(at);
  refuse(
    place(row),
    `the time ${at} comes ${Number((at - before).toPrecision(6))} after the one before, and the median of such differences is ${usual}: they have no common step within ${100 * JITTER} %`,
    `give the step, as in --dt ${usual}: each time then belongs to the nearest frame`,
  );
}
