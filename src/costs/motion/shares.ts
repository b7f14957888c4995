import type { Detections } from "../../core/detections.js";
import { byRow } from "../../core/rows.js";
import type { Area } from "./area.js";

/**
 * Where tracks start and end: the share of detections at which one does, by place. Squares of halving side around a detection each
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
  readonly everywhere: number;
  /** α, Infinity where the place makes no difference. */
  readonly strength: number;
  readonly counts: readonly SquareCounts[];
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
  /** Squares along the area's side. */
  readonly side: number;
  readonly cell: Int32Array;
}

/** Events and detections in the squares of one level, by cell. */
export interface SquareCounts {
  readonly side: number;
  readonly events: Float64Array;
  readonly detections: Float64Array;
}

/** The same with the part of each detection's own track in its own cell. */
interface Level extends SquareCounts {
  readonly cell: Int32Array;
  readonly trackEvents: Float64Array;
  readonly trackDetections: Float64Array;
}

/** The squares of all levels. */
export function squaresOf({ x, y }: Detections, area: Area): Squares[] {
  return Array.from({ length: LEVELS - 1 }, (_, n) => {
    const side = 2 ** (n + 1);
    const cell = new Int32Array(x.length);
    for (let d = 0; d < cell.length; d++) cell[d] = cellAt(area, side, x[d], y[d]);
    return { side, cell };
  });
}

function cellAt(area: Area, side: number, x: number, y: number): number {
  const part = (value: number, from: number, width: number) =>
    Math.max(0, Math.min(side - 1, Math.floor(((value - from) / width) * side)));
  return part(x, area.x, area.width) * side + part(y, area.y, area.height);
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
  const levels = countLevels(squares, track, event, counted);
  const total = counted.reduce((sum, one) => sum + one, 0);
  const events = event.reduce((sum, one, d) => sum + (one & counted[d]), 0);
  const everywhere = (events + EVENTS) / (total + DETECTIONS);
  const others = levels.map(withoutTrack);
  const share = new Float64Array(track.length);
  /** Puts the shares at α = strength into `share`, level by level. */
  const predict = (strength: number): void => {
    share.fill(everywhere);
    if (strength === Number.POSITIVE_INFINITY) return;
    for (const { events, detections } of others) {
      for (let d = 0; d < share.length; d++) share[d] = (events[d] + strength * share[d]) / (detections[d] + strength);
    }
    for (let d = 0; d < share.length; d++) share[d] = (1 - ANYWHERE) * share[d] + ANYWHERE * everywhere;
  };
  let best = { strength: Number.POSITIVE_INFINITY, likelihood: Number.NEGATIVE_INFINITY };
  for (const strength of STRENGTHS) {
    predict(strength);
    let likelihood = 0;
    for (let d = 0; d < track.length; d++) {
      if (counted[d] === 1) likelihood += event[d] === 1 ? Math.log(share[d]) : Math.log1p(-share[d]);
    }
    if (likelihood > best.likelihood) best = { strength, likelihood };
  }
  const { strength } = best;
  predict(strength);
  const counts = levels.map(({ side, events, detections }) => ({ side, events, detections }));
  return { share, everywhere, strength, counts };
}

/** The share at a place for a detection that was not counted. */
export function shareAt({ everywhere, strength, counts }: PlaceShares, area: Area, x: number, y: number): number {
  if (strength === Number.POSITIVE_INFINITY) return everywhere;
  let share = everywhere;
  for (const { side, events, detections } of counts) {
    const cell = cellAt(area, side, x, y);
    share = (events[cell] + strength * share) / (detections[cell] + strength);
  }
  return (1 - ANYWHERE) * share + ANYWHERE * everywhere;
}

/** Counts in the square of each detection, its own track left out. */
function withoutTrack({ cell, events, detections, trackEvents, trackDetections }: Level) {
  return {
    events: trackEvents.map((counted, d) => events[cell[d]] - counted),
    detections: trackDetections.map((counted, d) => detections[cell[d]] - counted),
  };
}

/** Detections per frame and unit of area, by the same squares, which are shrunk in the same way. */
export interface PlaceDensity {
  /** Detections in all. */
  readonly total: number;
  /** Frames times area. */
  readonly exposure: number;
  readonly counts: readonly Pick<SquareCounts, "side" | "detections">[];
}

/** @returns the density around each detection, its own track left out, and the density by place */
export function localDensity(
  squares: readonly Squares[],
  frames: number,
  area: Area,
  track: Int32Array,
): { readonly around: Float64Array; readonly places: PlaceDensity } {
  const all = new Uint8Array(track.length).fill(1);
  const levels = countLevels(squares, track, all, all);
  const counts = levels.map(({ side, detections }) => ({ side, detections }));
  const places = { total: track.length, exposure: frames * area.width * area.height, counts };
  const around = Float64Array.from(track, (_, d) =>
    shrunk(places, (n) => levels[n].detections[levels[n].cell[d]] - levels[n].trackDetections[d]),
  );
  return { around, places };
}

/** The density at a place for a detection that was not counted. */
export function densityAt(places: PlaceDensity, area: Area, x: number, y: number): number {
  return shrunk(places, (n) => places.counts[n].detections[cellAt(area, places.counts[n].side, x, y)]);
}

/** @param countOf the detections in the square of level n */
function shrunk({ total, exposure, counts }: PlaceDensity, countOf: (n: number) => number): number {
  let density = total / exposure;
  for (let n = 0; n < counts.length; n++) {
    const here = exposure / 4 ** (n + 1);
    density = (countOf(n) + DENSITY_WEIGHT) / (here + DENSITY_WEIGHT / density);
  }
  return density;
}

function countLevels(squares: readonly Squares[], track: Int32Array, event: Uint8Array, counted: Uint8Array): Level[] {
  const tracks = 1 + track.reduce((most, t) => Math.max(most, t), 0);
  const { rowStart, item } = byRow(track, tracks);
  return squares.map(({ side, cell }) => {
    const events = new Float64Array(side * side);
    const detections = new Float64Array(side * side);
    const trackEvents = new Float64Array(track.length);
    const trackDetections = new Float64Array(track.length);
    // One track at a time: its counts go from all of them to its detections, and the cells are clean again for the next.
    const eventsOf = new Float64Array(side * side);
    const countOf = new Float64Array(side * side);
    for (let t = 0; t < tracks; t++) {
      const members = item.subarray(rowStart[t], rowStart[t + 1]);
      for (const d of members) {
        if (counted[d] === 0) continue;
        eventsOf[cell[d]] += event[d];
        countOf[cell[d]]++;
      }
      for (const d of members) {
        trackEvents[d] = eventsOf[cell[d]];
        trackDetections[d] = countOf[cell[d]];
      }
      for (const d of members) {
        const c = cell[d];
        events[c] += eventsOf[c];
        detections[c] += countOf[c];
        eventsOf[c] = 0;
        countOf[c] = 0;
      }
    }
    return { side, cell, events, detections, trackEvents, trackDetections };
  });
}
