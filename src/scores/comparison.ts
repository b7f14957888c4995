/** The input of every metric: points with identities, those of the truth and those of the answer, and which of them may be the same. */
import { distanceBetween, frameOfDetections, type Places, varies } from "../core/detections.js";
import { InputError } from "../core/errors.js";

/** Points of all frames, numbered from 0 over all frames, each with the identity it belongs to. */
export interface IdentifiedPoints {
  /** Frame of each point; never decreasing. */
  readonly frame: Uint32Array;
  /** Identity of each point, 0 … identities − 1; none has two points in one frame. */
  readonly identity: Int32Array;
  readonly identities: number;
  /** The point of the same identity that follows, whatever the number of frames between; −1 where none does. */
  readonly next: Int32Array;
  /** The point of the same identity that comes before, or of a daughter's first one the last of her mother's before it; −1 where there is none. */
  readonly before: Int32Array;
}

/** The mother of each identity that begins where she divides, by the numbers that points have them under. */
export type Mothers = ReadonlyMap<number, number>;

/** Those of truth and answer. */
export interface Lineages {
  readonly truth: Mothers;
  readonly answer: Mothers;
}

/** Points of truth and answer in one frame that may be the same: entries `first` … `end` − 1 of the arrays below. */
export interface CandidatePairs {
  /** Length frames + 1. */
  readonly frameStart: Uint32Array;
  readonly truth: Uint32Array;
  readonly answer: Uint32Array;
  /** Distance over the reach, in [0, 2): 0 where both are the same detection. At most 1 counts as a match. */
  readonly distance: Float64Array;
}

export interface Comparison {
  readonly frames: number;
  readonly truth: IdentifiedPoints;
  /** Tracks of two points or more. A track of one point says nothing about motion: it counts in `singles` and in no other metric. With lineages all tracks. */
  readonly answer: IdentifiedPoints;
  readonly pairs: CandidatePairs;
  /** Tracks of a single point. */
  readonly singles: number;
}

/**
 * Tracks that are numbers on the detections of the truth itself. `target` and `track` hold one number per detection; negative: a false
 * detection, or one in no track. Detections of frame p are frameStart[p] … frameStart[p + 1] − 1.
 */
export function compareLabels(
  frameStart: Uint32Array,
  target: Int32Array,
  track: Int32Array,
  lineages: Lineages | null = null,
): Comparison {
  const frames = frameStart.length - 1;
  const frame = frameOfDetections(frameStart);
  const truth = identified(frame, target, 1, lineages?.truth);
  const answer = identified(frame, track, lineages === null ? 2 : 1, lineages?.answer);
  const pairStart = new Uint32Array(frames + 1);
  const [ofTruth, ofAnswer] = [new Uint32Array(track.length), new Uint32Array(track.length)];
  let count = 0;
  for (let p = 0, d = 0; p < frames; p++) {
    for (; d < frameStart[p + 1]; d++) {
      if (truth.pointOf[d] < 0 || answer.pointOf[d] < 0) continue;
      ofTruth[count] = truth.pointOf[d];
      ofAnswer[count++] = answer.pointOf[d];
    }
    pairStart[p + 1] = count;
  }
  return {
    frames,
    truth: truth.points,
    answer: answer.points,
    pairs: {
      frameStart: pairStart,
      truth: ofTruth.subarray(0, count),
      answer: ofAnswer.subarray(0, count),
      distance: new Float64Array(count),
    },
    singles: answer.dropped,
  };
}

/** A point as another program reports it; frames count as those of the truth. */
export interface PlacedPoints {
  readonly frame: Uint32Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Compared where both have it. */
  readonly z?: Float64Array;
  /** Any number per point; negative: none. */
  readonly identity: Int32Array;
}

/** @throws InputError where one of both has depths and the other none */
export function requireSameAxes(place: string, truth: Partial<Places>, answer: Partial<Places>, remedy: string): void {
  const [inTruth, inAnswer] = [truth, answer].map(({ z }) => z !== undefined && varies(z));
  if (inTruth === inAnswer) return;
  const [one, other] = inTruth ? ["detections", "tracks"] : ["tracks", "detections"];
  throw new InputError(`${place}: the ${one} have z, and the ${other} have none; ${remedy}`);
}

/**
 * Tracks with positions of their own, as a tracker that smooths or interpolates writes them. Two points may be the same when they are in
 * one frame and less than twice `reach` apart; up to `reach` (a length, as x and y) they match. Both sorted by frame.
 */
export function comparePositions(
  frames: number,
  truth: PlacedPoints,
  answer: PlacedPoints,
  reach: number,
  lineages: Lineages | null = null,
): Comparison {
  const known = identified(truth.frame, truth.identity, 1, lineages?.truth);
  const found = identified(answer.frame, answer.identity, lineages === null ? 2 : 1, lineages?.answer);
  const apart = distanceBetween(answer, truth);
  const frameStart = new Uint32Array(frames + 1);
  const pairs: { t: number; a: number; distance: number }[] = [];
  for (let p = 0, t0 = 0, a0 = 0; p < frames; p++) {
    let a1 = a0;
    while (a1 < answer.frame.length && answer.frame[a1] === p) a1++;
    for (; t0 < truth.frame.length && truth.frame[t0] === p; t0++) {
      if (known.pointOf[t0] < 0) continue;
      for (let a = a0; a < a1; a++) {
        if (found.pointOf[a] < 0) continue;
        // At a reach of 0 points of one place are the same.
        const distance = apart(a, t0) / (reach || Number.MIN_VALUE);
        if (distance < 2) pairs.push({ t: known.pointOf[t0], a: found.pointOf[a], distance });
      }
    }
    a0 = a1;
    frameStart[p + 1] = pairs.length;
  }
  return {
    frames,
    truth: known.points,
    answer: found.points,
    pairs: {
      frameStart,
      truth: Uint32Array.from(pairs, ({ t }) => t),
      answer: Uint32Array.from(pairs, ({ a }) => a),
      distance: Float64Array.from(pairs, ({ distance }) => distance),
    },
    singles: found.dropped,
  };
}

/** Numbers the points whose identity is not negative and has at least `least` points; pointOf is −1 for the others. */
function identified(
  frame: Uint32Array,
  label: Int32Array,
  least: number,
  mothers: Mothers = new Map(),
): { points: IdentifiedPoints; pointOf: Int32Array; dropped: number } {
  // Identities of any size, in the order in which they come; small ones are found without a map.
  const small = new Int32Array(label.length).fill(-1);
  const large = new Map<number, number>();
  const numberOf = (one: number): number => (one < small.length ? small[one] : (large.get(one) ?? -1));
  const sizes: number[] = [];
  /** The number of an identity at first, and then of a point. */
  const pointOf = new Int32Array(label.length).fill(-1);
  for (let d = 0; d < label.length; d++) {
    if (label[d] < 0) continue;
    if (numberOf(label[d]) < 0) {
      if (label[d] < small.length) small[label[d]] = sizes.length;
      else large.set(label[d], sizes.length);
      sizes.push(0);
    }
    pointOf[d] = numberOf(label[d]);
    sizes[pointOf[d]]++;
  }
  let identities = 0;
  let count = 0;
  const identityOf = Int32Array.from(sizes, (size) => {
    if (size < least) return -1;
    count += size;
    return identities++;
  });
  const points = {
    frame: new Uint32Array(count),
    identity: new Int32Array(count),
    identities,
    next: new Int32Array(count).fill(-1),
    before: new Int32Array(count),
  };
  const last = new Int32Array(identities).fill(-1);
  const first = last.slice();
  for (let d = 0, k = 0; d < label.length; d++) {
    const one = pointOf[d] < 0 ? -1 : identityOf[pointOf[d]];
    pointOf[d] = one < 0 ? -1 : k;
    if (one < 0) continue;
    points.frame[k] = frame[d];
    points.identity[k] = one;
    const before = last[one];
    points.before[k] = before;
    if (before >= 0) points.next[before] = k;
    else first[one] = k;
    last[one] = k++;
  }
  const known = (one: number) => identityOf[numberOf(one)] ?? -1;
  for (const [daughter, mother] of mothers) {
    const begin = first[known(daughter)];
    let end = daughter === mother ? -1 : last[known(mother)];
    // A mother may go on beside her daughter.
    while (end >= 0 && points.frame[end] >= points.frame[begin])
      end = end === first[points.identity[end]] ? -1 : points.before[end];
    if (begin >= 0 && end >= 0) points.before[begin] = end;
  }
  return { points, pointOf, dropped: sizes.length - identities };
}

/** `make` of a comparison, computed once for all metrics. */
export function onceEach<T>(make: (comparison: Comparison) => T): (comparison: Comparison) => T {
  const known = new WeakMap<Comparison, { readonly value: T }>();
  return (comparison) => {
    let entry = known.get(comparison);
    if (entry === undefined) {
      entry = { value: make(comparison) };
      known.set(comparison, entry);
    }
    return entry.value;
  };
}
