/** Frames from a column of times. */
import { refuse } from "../files/refusal.js";
import { maxFrames } from "./frame-order.js";

/** How far a time may lie from where the step puts it, as a share of the step. Two times are apart by a step more or less twice that. */
export const JITTER = 0.05;

/** Gaps below the step over this may come from the jitter of times within one frame. */
const WITHIN = 2 * JITTER;

/** Ways to part gaps within frames from those between them that are tried. */
const MOST_SPLITS = 20;

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
  if (distinct.length === 1) return { frame: time.map(() => 0), timeStep: stated ?? 1, irregular: 0 };
  const rhythms = rhythmsOf(distinct);
  if (stated === null && rhythms.length === 0) rhythms.push(...roundedRhythm(distinct));
  const isStated = ({ step }: Rhythm) => stated === null || Math.abs(step - stated) <= JITTER * stated;
  const found = rhythms.filter(isStated);
  if (stated === null && found.length === 0) refuseIrregular(place, time, distinct);
  if (stated === null && found.length > 1) refuseSeveral(place(0), found);
  if (found.length === 0) return onGrid(time, distinct, stated as number);
  const { step, frame, isEven } = found[0];
  if (mayKeep && isEven) return { frame: time, timeStep: stated ?? step, irregular: 0 };
  const frameOf = new Map(Array.from(distinct, (at, n) => [at, frame[n]]));
  return { frame: time.map((at) => frameOf.get(at) as number), timeStep: stated ?? step, irregular: 0 };
}

/**
 * The share of frames that have times, each being a frame of its own; 0 where they have no common step.
 * @param stated the step, if it is known
 */
export function shareOfFrames(time: Float64Array, stated: number | null): number {
  const distinct = Float64Array.from(new Set(time)).sort();
  const step = stated ?? rhythmOf(distinct, 0)?.step;
  return step === undefined
    ? 0
    : distinct.length / (Math.round((distinct[distinct.length - 1] - distinct[0]) / step) + 1);
}

/** Each time in the nearest frame of a stated step. */
function onGrid(time: Float64Array, distinct: Float64Array, step: number): TimedFrames {
  const inSteps = (at: number) => (at - distinct[0]) / step;
  const isFar = (at: number) => Math.abs(inSteps(at) - Math.round(inSteps(at))) > JITTER;
  return { frame: time.map((at) => Math.round(inSteps(at))), timeStep: step, irregular: distinct.filter(isFar).length };
}

/** A step in which different times come, in increasing order. */
interface Rhythm {
  readonly step: number;
  /** Frame of each time. */
  readonly frame: Float64Array;
  /** Whether the times are whole numbers of 0 or more, and exact multiples of the step apart. */
  readonly isEven: boolean;
}

/** The steps that different times allow: each time is a frame of its own, or times that are close are one. */
function rhythmsOf(distinct: Float64Array): Rhythm[] {
  const alone = rhythmOf(distinct, 0);
  // Times apart by multiples of a step are frames, unless they are so because of the digits they are written with.
  if (alone !== null && alone.step > 1.5 * digitOf(distinct)) return [alone];
  const gaps = Float64Array.from(distinct.subarray(1), (at, n) => at - distinct[n]).sort();
  const limits: number[] = [];
  for (let n = 1; n < gaps.length && limits.length < MOST_SPLITS; n++)
    if (gaps[n - 1] <= 2 * WITHIN * gaps[n]) limits.push(gaps[n - 1]);
  const found = limits.map((limit) => rhythmOf(distinct, limit)).filter((one) => one !== null);
  if (alone === null || isJitter(gaps, alone)) return found;
  const all = [alone, ...found];
  const spanned = all.filter(({ frame }) => frame[frame.length - 1] < maxFrames);
  return spanned.length > 0 ? spanned : all;
}

/** Steps below this many times the last digit cannot be told from its rounding. */
const LEAST_DIGITS = 2.5;

/** The step of times that are rounded to more than the jitter allows, as hundredths of seconds are at 30 images a second; none where one is off by a digit. */
function roundedRhythm(distinct: Float64Array): Rhythm[] {
  const digit = digitOf(distinct);
  const gaps = Float64Array.from(distinct.subarray(1), (at, n) => at - distinct[n]).sort();
  const ones = gaps.filter((gap) => gap < gaps[0] + 1.5 * digit);
  const first = ones.reduce((sum, gap) => sum + gap, 0) / ones.length;
  let step = first;
  // The span of more and more times gives the step more exactly.
  for (const at of distinct.subarray(1)) step = (at - distinct[0]) / Math.round((at - distinct[0]) / step);
  const frame = distinct.map((at) => Math.round((at - distinct[0]) / step));
  const isNear = (at: number, n: number) =>
    Math.abs(at - distinct[0] - step * frame[n]) <= 1.01 * digit && (n === 0 || frame[n] > frame[n - 1]);
  const isRounded = digit > 0 && step >= LEAST_DIGITS * digit && distinct.every(isNear);
  return isRounded ? [{ step: Number(step.toPrecision(6)), frame, isEven: false }] : [];
}

/** Least share of the frames of a step that hold times, below which the step may be that of the digits alone. */
export const LEAST_USED = 0.1;

/** Whether nearly all frames of a step would be empty, and short differences are seldom just one step, as those of frames in a row are. */
function isJitter(gaps: Float64Array, { step, frame }: Rhythm): boolean {
  const isUsed = frame.length >= LEAST_USED * (frame[frame.length - 1] + 1);
  const short = gaps.filter((gap) => gap < 0.5 * gaps[gaps.length - 1]);
  const ones = short.filter((gap) => gap < 1.5 * step).length;
  return !isUsed && 2 * ones < short.length;
}

/** The last decimal in which the times are written; 0 where there are more than nine. */
function digitOf(times: Float64Array): number {
  for (let digit = 1; digit > 1e-10; digit /= 10) {
    const isWhole = (at: number) => Math.abs(at / digit - Math.round(at / digit)) < 1e-3;
    if (times.every(isWhole)) return digit;
  }
  return 0;
}

/** The step of times of which those not further apart than `limit` are one frame; null where they have none. */
function rhythmOf(distinct: Float64Array, limit: number): Rhythm | null {
  const first = [0];
  for (let n = 1; n < distinct.length; n++) if (distinct[n] - distinct[n - 1] > limit) first.push(n);
  if (first.length < 2) return null;
  const centre = Float64Array.from(
    first,
    (from, k) => (distinct[from] + distinct[(first[k + 1] ?? distinct.length) - 1]) / 2,
  );
  const gaps = Float64Array.from(centre.subarray(1), (at, k) => at - centre[k]);
  const step = commonStep(Float64Array.from(gaps).sort());
  if (step === null) return null;
  const frame = new Float64Array(distinct.length);
  for (let k = 0, frames = 0; k < first.length; k++) {
    const end = first[k + 1] ?? distinct.length;
    if (distinct[end - 1] - distinct[first[k]] > WITHIN * step) return null;
    if (k > 0) frames += Math.round(gaps[k - 1] / step);
    frame.fill(frames, first[k], end);
  }
  const isMultiple = Number.isInteger(step) && gaps.every((gap) => gap % step === 0);
  const isEven = limit === 0 && isMultiple && distinct.every((at) => Number.isSafeInteger(at) && at >= 0);
  return { step, frame, isEven };
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

function refuseSeveral(place: string, found: readonly Rhythm[]): never {
  const steps = found.map(({ step }) => Number(step.toPrecision(3)));
  const said = `the times may be ${steps.join(" or ")} apart, where those that are closer are one frame`;
  refuse(place, said, `give ${steps.map((step) => `--dt ${step}`).join(" or ")}`);
}

function refuseIrregular(place: (row: number) => string, time: Float64Array, distinct: Float64Array): never {
  const gaps = distinct.subarray(1).map((at, n) => at - distinct[n]);
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
