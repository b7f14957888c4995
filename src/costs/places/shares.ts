import { maxIndex } from "d3-array";
import type { Places } from "../../core/detections.js";
import { filled } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import type { Area } from "./area.js";

/**
 * Where tracks start and end: the share of detections at which one does, by place. Squares of halving side around a detection, in space cubes, each
 * correct the estimate of the square that holds them, by their own counts:
 *
 *     share ← (events + α · share) / (detections + α)
 *
 * A detection's own track does not count for it, so each share is a prediction, and the likelihood of these predictions chooses α; ∞ means the same share
 * everywhere. At an area's border this finds the targets that enter and leave there.
 */
export interface LocalShares extends PlaceShares {
  /** Length detections; between 0 and 1. */
  readonly share: Float64Array;
}

/** The shares by place, for detections that were not counted. */
export interface PlaceShares {
  /** Each share is this many times as great as what is counted, where the number of events is known [1]. */
  readonly times?: number;
  readonly everywhere: number;
  /** α, Infinity where the place makes no difference. */
  readonly strength: number;
  /** Events and detections in the squares of each level. */
  readonly counts: readonly {
    readonly side: number;
    readonly events: Float64Array;
    readonly detections: Float64Array;
  }[];
}

/** Halvings of the area's side. */
const LEVELS = 7;
const STRENGTHS = [Number.POSITIVE_INFINITY, 200, 100, 50, 25, 12];
/** Events and detections that a share starts from. */
const EVENTS = 0.5;
const DETECTIONS = 20;
/** An event can happen where none was seen: the share of the whole area makes up this part of each share. */
const ANYWHERE = 0.05;
/** Weight, in detections, that the density of the square around has in the density of a square. */
const DENSITY_WEIGHT = 10;

/** The squares of one level, and the square of each detection. */
export interface Squares {
  /** Squares along the area's side, and in all. */
  readonly side: number;
  readonly count: number;
  readonly cell: Int32Array;
}

/** The squares of all levels. */
export function squaresOf({ x, y, z }: Places, area: Area): Squares[] {
  return Array.from({ length: LEVELS - 1 }, (_, n) => {
    const side = 2 ** (n + 1);
    const cell = filled(new Int32Array(x.length), (d) => cellAt(area, side, x[d], y[d], z?.[d] ?? 0));
    return { side, count: side ** axesOfArea(area), cell };
  });
}

const axesOfArea = ({ depth }: Area) => (depth === undefined ? 2 : 3);

function cellAt(area: Area, side: number, x: number, y: number, z: number): number {
  const part = (value: number, from: number, width: number) =>
    Math.max(0, Math.min(side - 1, Math.floor(((value - from) / width) * side)));
  const inPlane = part(x, area.x, area.width) * side + part(y, area.y, area.height);
  if (area.z === undefined || area.depth === undefined) return inPlane;
  return inPlane * side + part(z, area.z, area.depth);
}

/**
 * @param squares of the detections
 * @param track number of each detection's track, from 0
 * @param event 1 where the track starts (or ends)
 * @param counted 1 for detections that count at all: a track in the first frame does not start there
 */
export function localShares(
  squares: readonly Squares[],
  track: Int32Array,
  event: Uint8Array,
  counted: Uint8Array,
): LocalShares {
  const counts = squares.map((level) => ({
    side: level.side,
    events: countIn(
      level,
      track,
      event.map((one, d) => one & counted[d]),
    ),
    detections: countIn(level, track, counted),
  }));
  const total = counted.reduce((sum, one) => sum + one, 0);
  const events = event.reduce((sum, one, d) => sum + (one & counted[d]), 0);
  const everywhere = (events + EVENTS) / (total + DETECTIONS);
  const share = new Float64Array(track.length);
  /** Puts the shares at α = strength into `share`, level by level. */
  const predict = (strength: number): void => {
    share.fill(everywhere);
    if (strength === Number.POSITIVE_INFINITY) return;
    for (const { events, detections } of counts) {
      for (let d = 0; d < share.length; d++)
        share[d] = (events.ofOthers[d] + strength * share[d]) / (detections.ofOthers[d] + strength);
    }
    for (let d = 0; d < share.length; d++) share[d] = (1 - ANYWHERE) * share[d] + ANYWHERE * everywhere;
  };
  const likelihood = (strength: number): number => {
    predict(strength);
    let sum = 0;
    for (let d = 0; d < track.length; d++) {
      if (counted[d] === 1) sum += event[d] === 1 ? Math.log(share[d]) : Math.log1p(-share[d]);
    }
    return sum;
  };
  const strength = STRENGTHS[maxIndex(STRENGTHS, likelihood)];
  predict(strength);
  const all = counts.map(({ side, events, detections }) => ({ side, events: events.all, detections: detections.all }));
  return { share, everywhere, strength, counts: all };
}

/** The share at a place for a detection that was not counted. */
export function shareAt(shares: PlaceShares, area: Area, x: number, y: number, z: number): number {
  const { times = 1, everywhere, strength, counts } = shares;
  if (strength === Number.POSITIVE_INFINITY) return times * everywhere;
  let share = everywhere;
  for (const { side, events, detections } of counts) {
    const cell = cellAt(area, side, x, y, z);
    share = (events[cell] + strength * share) / (detections[cell] + strength);
  }
  return times * ((1 - ANYWHERE) * share + ANYWHERE * everywhere);
}

/** Detections per frame and unit of area or volume, by the same squares, which are shrunk in the same way. */
export interface PlaceDensity {
  /** Detections in all. */
  readonly total: number;
  /** Frames times area. */
  readonly exposure: number;
  /** Squares of a level in one of the level before. */
  readonly parts: number;
  /** Detections in the squares of each level. */
  readonly counts: readonly { readonly side: number; readonly detections: Float64Array }[];
}

/** @returns the density around each detection, its own track left out, and the density by place */
export function localDensity(
  squares: readonly Squares[],
  frames: number,
  area: Area,
  track: Int32Array,
): { readonly around: Float64Array; readonly places: PlaceDensity } {
  const each = new Uint8Array(track.length).fill(1);
  const levels = squares.map((level) => countIn(level, track, each));
  const counts = levels.map(({ all }, n) => ({ side: squares[n].side, detections: all }));
  const places = {
    total: track.length,
    exposure: frames * area.width * area.height * (area.depth ?? 1),
    parts: 2 ** axesOfArea(area),
    counts,
  };
  const around = filled(new Float64Array(track.length), (d) => shrunk(places, (n) => levels[n].ofOthers[d]));
  return { around, places };
}

/** The density at a place for a detection that was not counted. */
export function densityAt(places: PlaceDensity, area: Area, x: number, y: number, z: number): number {
  return shrunk(places, (n) => places.counts[n].detections[cellAt(area, places.counts[n].side, x, y, z)]);
}

/** @param countOf the detections in the square of level n */
function shrunk({ total, exposure, parts, counts }: PlaceDensity, countOf: (n: number) => number): number {
  let density = total / exposure;
  for (let n = 0; n < counts.length; n++) {
    const here = exposure / parts ** (n + 1);
    density = (countOf(n) + DENSITY_WEIGHT) / (here + DENSITY_WEIGHT / density);
  }
  return density;
}

/** The number of detections that are marked in each square, and of those of other tracks in the square of each detection. */
function countIn({ count, cell }: Squares, track: Int32Array, marks: Uint8Array) {
  const all = new Float64Array(count);
  for (let d = 0; d < cell.length; d++) all[cell[d]] += marks[d];
  const ofOthers = filled(new Float64Array(cell.length), (d) => all[cell[d]]);
  const { rowStart, item } = byRow(track, 1 + track.reduce((most, t) => Math.max(most, t), 0));
  // One track at a time; its squares are clean again for the next.
  const own = new Float64Array(count);
  for (let t = 0; t + 1 < rowStart.length; t++) {
    const members = item.subarray(rowStart[t], rowStart[t + 1]);
    for (const d of members) own[cell[d]] += marks[d];
    for (const d of members) ofOthers[d] -= own[cell[d]];
    for (const d of members) own[cell[d]] = 0;
  }
  return { all, ofOthers };
}
