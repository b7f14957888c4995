import type { Detections } from "../../core/detections.js";
import type { Field } from "./model.js";

/**
 * Where tracks start and end: the share of detections at which one does, by place. Squares of halving side around a detection each
 * correct the estimate of the square that holds them, by what they have counted themselves:
 *
 *     share ← (events + α · share) / (detections + α)
 *
 * A detection's own track does not count for it, so each share is a prediction, and the likelihood of these predictions chooses α; ∞ means the same share
 * everywhere. At a field's border this finds what enters and leaves there.
 */
export interface LocalShares {
  /** Length detections; between 0 and 1. */
  readonly share: Float64Array;
  /** α, Infinity where the place makes no difference. */
  readonly strength: number;
  /** The share at a place for a detection that was not counted. */
  at(x: number, y: number): number;
}

/** Halvings of the field's side. */
const LEVELS = 7;
const STRENGTHS = [Number.POSITIVE_INFINITY, 200, 100, 50, 25, 12];
/** Events and detections that a share starts from. */
const EVENTS = 0.5;
const DETECTIONS = 20;
/** An event can happen where none was seen: this part of each share is that of the whole field. */
const ANYWHERE = 0.05;
/** Detections' worth of weight that the density of the square around has in that of a square. */
const DENSITY_WEIGHT = 10;

/** The squares of one level, and the one of each detection. */
export interface Squares {
  /** Squares along the field's side. */
  readonly side: number;
  readonly cell: Int32Array;
  cellAt(x: number, y: number): number;
}

/** What the squares of one level hold in all, by cell, and what each detection's own track has in its own cell. */
interface Level {
  readonly cell: Int32Array;
  readonly events: Float64Array;
  readonly count: Float64Array;
  readonly ownEvents: Float64Array;
  readonly ownCount: Float64Array;
  cellAt(x: number, y: number): number;
}

/** The squares of all levels. */
export function squaresOf({ x, y }: Detections, field: Field): Squares[] {
  return Array.from({ length: LEVELS - 1 }, (_, n) => {
    const side = 2 ** (n + 1);
    const part = (value: number, from: number, width: number) =>
      Math.max(0, Math.min(side - 1, Math.floor(((value - from) / width) * side)));
    const cellAt = (x: number, y: number) => part(x, field.x, field.width) * side + part(y, field.y, field.height);
    const cell = new Int32Array(x.length);
    for (let d = 0; d < cell.length; d++) cell[d] = cellAt(x[d], y[d]);
    return { side, cell, cellAt };
  });
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
  const others = levels.map(withoutOwn);
  const share = new Float64Array(track.length);
  /** Puts the shares at α = strength into `share`, level by level. */
  const predict = (strength: number): void => {
    share.fill(everywhere);
    if (strength === Number.POSITIVE_INFINITY) return;
    for (const { events, count } of others) narrow(share, events, count, strength);
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
  const at = (x: number, y: number): number => {
    if (strength === Number.POSITIVE_INFINITY) return everywhere;
    let share = everywhere;
    for (const { cellAt, events, count } of levels) {
      const cell = cellAt(x, y);
      share = (events[cell] + strength * share) / (count[cell] + strength);
    }
    return (1 - ANYWHERE) * share + ANYWHERE * everywhere;
  };
  predict(strength);
  return { share, strength, at };
}

/** What the square of each detection holds of others, its own track left out. */
function withoutOwn({ cell, events, count, ownEvents, ownCount }: Level) {
  const [eventsOf, countOf] = [new Float64Array(cell.length), new Float64Array(cell.length)];
  for (let d = 0; d < cell.length; d++) {
    eventsOf[d] = events[cell[d]] - ownEvents[d];
    countOf[d] = count[cell[d]] - ownCount[d];
  }
  return { events: eventsOf, count: countOf };
}

function narrow(share: Float64Array, events: Float64Array, count: Float64Array, strength: number): void {
  for (let d = 0; d < share.length; d++) share[d] = (events[d] + strength * share[d]) / (count[d] + strength);
}

/** Detections per frame and unit of area; the same squares, shrunk in the same way. */
export interface LocalDensity {
  /** Around each detection, its own track left out. */
  readonly density: Float64Array;
  /** At a place, for a detection that was not counted. */
  at(x: number, y: number): number;
}

export function localDensity(
  squares: readonly Squares[],
  frames: number,
  field: Field,
  track: Int32Array,
): LocalDensity {
  const all = new Uint8Array(track.length).fill(1);
  const levels = countLevels(squares, track, all, all);
  const exposure = frames * field.width * field.height;
  const density = (others: (level: Level) => number): number => {
    let density = track.length / exposure;
    for (let level = 0; level < levels.length; level++) {
      const here = exposure / 4 ** (level + 1);
      density = (others(levels[level]) + DENSITY_WEIGHT) / (here + DENSITY_WEIGHT / density);
    }
    return density;
  };
  const around = new Float64Array(track.length);
  for (let d = 0; d < around.length; d++) {
    around[d] = density(({ cell, count, ownCount }) => count[cell[d]] - ownCount[d]);
  }
  return { density: around, at: (x, y) => density(({ cellAt, count }) => count[cellAt(x, y)]) };
}

function countLevels(squares: readonly Squares[], track: Int32Array, event: Uint8Array, counted: Uint8Array): Level[] {
  const { start, member } = membersOf(track);
  return squares.map(({ side, cell, cellAt }) => {
    const events = new Float64Array(side * side);
    const count = new Float64Array(side * side);
    const ownEvents = new Float64Array(track.length);
    const ownCount = new Float64Array(track.length);
    // One track at a time: its own counts go from all of them to its detections, and the cells are clean again for the next.
    const eventsOf = new Float64Array(side * side);
    const countOf = new Float64Array(side * side);
    for (let t = 0; t + 1 < start.length; t++) {
      for (let k = start[t]; k < start[t + 1]; k++) {
        const d = member[k];
        if (counted[d] === 0) continue;
        eventsOf[cell[d]] += event[d];
        countOf[cell[d]]++;
      }
      for (let k = start[t]; k < start[t + 1]; k++) {
        ownEvents[member[k]] = eventsOf[cell[member[k]]];
        ownCount[member[k]] = countOf[cell[member[k]]];
      }
      for (let k = start[t]; k < start[t + 1]; k++) {
        const c = cell[member[k]];
        events[c] += eventsOf[c];
        count[c] += countOf[c];
        eventsOf[c] = 0;
        countOf[c] = 0;
      }
    }
    return { cell, events, count, ownEvents, ownCount, cellAt };
  });
}

/** The detections of each track, in order: member[start[t]] … member[start[t + 1] − 1]. */
function membersOf(track: Int32Array): { start: Uint32Array; member: Uint32Array } {
  const tracks = 1 + track.reduce((most, t) => Math.max(most, t), 0);
  const start = new Uint32Array(tracks + 1);
  for (const t of track) start[t + 1]++;
  for (let t = 0; t < tracks; t++) start[t + 1] += start[t];
  const next = start.slice(0, tracks);
  const member = new Uint32Array(track.length);
  for (let d = 0; d < track.length; d++) member[next[track[d]]++] = d;
  return { start, member };
}
