import { extent } from "d3-array";
import { axesOf, type Detections } from "../../core/detections.js";
import { MAX_LENGTH } from "../../core/range.js";
import { select } from "../../core/select.js";
import { RESOLUTION } from "../cost.js";
import { middleFrames } from "./stretch.js";

/** The standard deviation of a displacement whose two ends are rounded, in quanta: √(2/12). */
const ROUNDED = Math.sqrt(1 / 6);

/** Beside the least span of a recording, positions are no finer; powers of it are numbers. */
const FINEST = 1 / MAX_LENGTH ** 2;

/**
 * The least scale of a density, by axis. Nothing is measured more finely than a share of the typical step, or of the spacing where nothing moves. Positions that were
 * rounded make steps equal that are not; a density may not take that for exactness. Slices
 * may be much further apart than pixels: depths have a rounding of their own.
 * @param changes lengths of the changes from a displacement to the next
 * @param noise standard deviation of a position on an axis where the user states it: then nothing is looked for
 */
export function floorOf(
  detections: Detections,
  spacing: number,
  typicalStep: number,
  changes: readonly number[],
  noise?: number,
): readonly number[] {
  const { z } = detections;
  if (noise !== undefined) return axesOf(detections).map(() => noise);
  const least = Math.max(FINEST, RESOLUTION * (typicalStep > 0 ? typicalStep : spacing > 0 ? spacing : 1));
  const floor = Math.max(least, ROUNDED * roundingOf(detections, changes, spacing));
  if (z === undefined) return [floor, floor];
  return [floor, floor, Math.max(floor, ROUNDED * quantumOfDepths(detections, z, middleFrames(detections), spacing))];
}

/** Finer rounding, in units of the spacing, does no harm: a wrong link seldom fits to it. */
const FINE = 0.03;
/** No rounding is taken for coarser, in units of the spacing. */
const COARSE = 0.25;

/**
 * The length to which positions were rounded, 0 where there is no sign of it: by changes of displacement that are zero and by places that targets come back to. Both
 * see less than there is where the length differs by place, so the greater one counts.
 * @param changes lengths of the changes from a displacement to the next
 */
export function roundingOf(detections: Detections, changes: readonly number[], spacing: number): number {
  // Of what is seen in space there is no perspective.
  const places = detections.z === undefined ? quantumOfPlaces(detections, spacing) : 0;
  return Math.max(quantumOfChanges(changes, spacing), places);
}

/** Fewer changes than this may be nearly equal by chance. */
const FEWEST_EQUAL = 10;

/**
 * The distance of slices, 0 where depths are not rounded: of pairs of detections of a frame whose z differs by less than the spacing, the share with
 * equal z is that of a slice of this thickness; at most a quarter of the spacing.
 */
function quantumOfDepths(
  { frameStart }: Detections,
  z: Float64Array,
  [begin, end]: readonly [number, number],
  spacing: number,
): number {
  let [near, equal] = [0, 0];
  for (let p = begin; p < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      for (let j = i + 1; j < frameStart[p + 1]; j++) {
        const apart = Math.abs(z[i] - z[j]);
        if (apart < spacing) near++;
        if (apart === 0) equal++;
      }
    }
  }
  return equal < FEWEST_EQUAL ? 0 : Math.min(COARSE * spacing, (2 * spacing * equal) / near);
}

/** Least and greatest share of the changes that are nearly zero, for which a rounding is believed. */
const ATOM = [0.01, 0.9] as const;
/** Within this many times the radius of an atom there are few more changes: at most this factor more. */
const APART = 4;
const FEW_MORE = 1.05;

/**
 * The length to which positions were rounded, also if they were turned since, 0 where there is no sign of it. Rounded positions have changes of
 * displacement that are zero, or nearly so, and then none up to about this length; in a continuous density four times a radius holds four to sixteen times as many.
 * @param changes lengths of the changes from a displacement to the next
 */
export function quantumOfChanges(changes: readonly number[], spacing: number): number {
  const sorted = Float64Array.from(changes).sort();
  const count = sorted.length;
  let quantum = 0;
  for (let k = Math.max(FEWEST_EQUAL, Math.ceil(ATOM[0] * count)); k <= ATOM[1] * count; k++) {
    const next = sorted[Math.ceil(FEW_MORE * k)];
    if (next >= APART * sorted[k - 1]) quantum = Math.max(quantum, next);
  }
  return quantum < FINE * spacing ? 0 : Math.min(COARSE * spacing, quantum);
}

/** A target has left a place, and come back, where the place was empty for more frames than these. */
const LEFT = 5;
/** Fewer returns than these, or than one in this number of visits, say nothing. */
const FEWEST_RETURNS = 32;
const VISITS_A_RETURN = 128;
/** Most visits in a part of the field. */
const PART = 128;
/** Of the pairs that a continuous density had within half a length, this share may be there all the same. */
const STRAY = 0.5;
/** At this share of the visits, positions are rounded no more coarsely than by the length returned. */
const MOST = 0.75;

/**
 * The length to which positions were rounded before they were seen in perspective, which makes it another one at every place; 0 where there is no sign of it.
 * Targets come back to rounded places: of all pairs of visits, whenever they were, c are at one place, to the bit, and then there are none up to the local length.
 * So in a part of the field this length is the distance of the c-th nearest pair of two places; across it, that of the c-th nearest pair in the other direction.
 * In a continuous density a quarter of the c − 1 nearer ones were within half of it. Returned is the root mean square of both directions, as most visits have it.
 */
export function quantumOfPlaces(detections: Detections, spacing: number): number {
  const { x, y } = detections;
  const visits = visitsOf(detections);
  if (visits === null) return 0;
  const parts = partsOf(visits, x, y).map((part) => ({ visits: part.length, ...latticeOf(part, x, y) }));
  const sum = (of: (part: (typeof parts)[number]) => number) => parts.reduce((total, part) => total + of(part), 0);
  const same = sum((part) => part.same);
  if (same < FEWEST_RETURNS || sum((part) => part.within) > STRAY * sum((part) => part.expected)) return 0;
  parts.sort((a, b) => a.quantum - b.quantum);
  let rest = MOST * visits.length;
  const { quantum } = parts.find((part) => {
    rest -= part.visits;
    return rest <= 0;
  }) ?? { quantum: 0 };
  return quantum < FINE * spacing ? 0 : Math.min(COARSE * spacing, quantum);
}

/** Detections of the middle frames, those left out whose place was seen shortly before: a target that stands makes one visit. null where hardly any place has two. */
function visitsOf(detections: Detections): Uint32Array | null {
  const { frameStart, x, y } = detections;
  const [begin, end] = middleFrames(detections);
  const places = new Map<string, { last: number; visits: number }>();
  const visits: number[] = [];
  let returns = 0;
  for (let p = begin; p < end; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const key = `${x[d]},${y[d]}`;
      const place = places.get(key);
      if (place === undefined) places.set(key, { last: p, visits: 1 });
      else {
        const stayed = p - place.last <= LEFT;
        place.last = p;
        if (stayed) continue;
        returns += place.visits++;
      }
      visits.push(d);
    }
  }
  return returns < Math.max(FEWEST_RETURNS, visits.length / VISITS_A_RETURN) ? null : Uint32Array.from(visits);
}

/** Parts of equal numbers, each halved across its longer side until it is small enough. */
function partsOf(visits: Uint32Array, x: Float64Array, y: Float64Array): Uint32Array[] {
  if (visits.length <= PART) return [visits];
  const extentOf = (values: Float64Array) => {
    const [low = 0, high = 0] = extent(visits, (d) => values[d]);
    return high - low;
  };
  const along = extentOf(x) > extentOf(y) ? x : y;
  const sorted = visits.slice().sort((a, b) => along[a] - along[b]);
  const middle = sorted.length >> 1;
  return [...partsOf(sorted.subarray(0, middle), x, y), ...partsOf(sorted.subarray(middle), x, y)];
}

/** The pairs of visits at one place, the length that follows, and the pairs of two places within half of the lesser length: counted, and expected of a continuous density. */
function latticeOf(visits: Uint32Array, x: Float64Array, y: Float64Array) {
  const squares: number[] = [];
  const [ex, ey]: [number[], number[]] = [[], []];
  let same = 0;
  for (let a = 0; a < visits.length; a++) {
    for (let b = a + 1; b < visits.length; b++) {
      const dx = x[visits[b]] - x[visits[a]];
      const dy = y[visits[b]] - y[visits[a]];
      if (dx === 0 && dy === 0) same++;
      else {
        squares.push(dx * dx + dy * dy);
        ex.push(dx);
        ey.push(dy);
      }
    }
  }
  if (same === 0 || squares.length < same) return { same, quantum: 0, within: 0, expected: 0 };
  const lesser = select(Float64Array.from(squares), same - 1);
  const nearest = squares.indexOf(lesser);
  const [ax, ay] = [ex[nearest], ey[nearest]];
  const across = Float64Array.from(
    squares.filter((_, n) => Math.abs(ex[n] * ay - ey[n] * ax) > Math.abs(ex[n] * ax + ey[n] * ay)),
  );
  const other = across.length < same ? lesser : Math.max(lesser, select(across, same - 1));
  let within = 0;
  for (const square of squares) if (square < 0.25 * lesser) within++;
  return { same, quantum: Math.sqrt(0.5 * (lesser + other)), within, expected: 0.25 * (same - 1) };
}
