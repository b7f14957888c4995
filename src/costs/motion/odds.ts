import type { Detections } from "../../core/detections.js";
import type { Field } from "./model.js";

/**
 * Where tracks start and end: the share of detections at which one does, by place. Squares of halving side around a detection each
 * correct the estimate of the square that holds them, by what they have counted themselves:
 *
 *     share ← (events + α · share) / (detections + α)
 *
 * A detection's own track does not count for it, so each is a prediction, and the likelihood of these chooses α; ∞ is the same share
 * everywhere. At a field's border this finds what enters and leaves there.
 */
export interface LocalShares {
  /** Length detections; between 0 and 1. */
  readonly share: Float64Array;
  /** α, Infinity where the place says nothing. */
  readonly strength: number;
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

/** The squares of one level that hold a detection, and what each track has in them. */
interface Level {
  readonly cell: Int32Array;
  /** By cell, and by cell · tracks + track. */
  readonly all: Counts;
  readonly own: Counts;
}

class Counts {
  private readonly counts = new Map<number, [number, number]>();
  add(key: number, event: number): void {
    const counted = this.counts.get(key);
    if (counted === undefined) this.counts.set(key, [event, 1]);
    else {
      counted[0] += event;
      counted[1]++;
    }
  }
  at(key: number): readonly [number, number] {
    return this.counts.get(key) ?? NONE;
  }
}

const NONE = [0, 0] as const;

/**
 * @param track number of each detection's track, from 0
 * @param event 1 where the track starts (or ends)
 * @param counted 1 for detections that count at all: a track in the first frame does not start there
 */
export function localShares(
  detections: Detections,
  field: Field,
  track: Int32Array,
  event: Uint8Array,
  counted: Uint8Array,
): LocalShares {
  const tracks = 1 + track.reduce((most, t) => Math.max(most, t), 0);
  const levels = countLevels(detections, field, track, tracks, event, counted);
  const total = counted.reduce((sum, one) => sum + one, 0);
  const events = event.reduce((sum, one, d) => sum + (one & counted[d]), 0);
  const everywhere = (events + EVENTS) / (total + DETECTIONS);
  const shareOf = (d: number, strength: number): number => {
    if (strength === Number.POSITIVE_INFINITY) return everywhere;
    let share = everywhere;
    for (const { cell, all, own } of levels) {
      const [e, n] = all.at(cell[d]);
      const [ownE, ownN] = own.at(cell[d] * tracks + track[d]);
      share = (e - ownE + strength * share) / (n - ownN + strength);
    }
    return (1 - ANYWHERE) * share + ANYWHERE * everywhere;
  };
  let best = { strength: Number.POSITIVE_INFINITY, likelihood: Number.NEGATIVE_INFINITY };
  for (const strength of STRENGTHS) {
    let likelihood = 0;
    for (let d = 0; d < track.length; d++) {
      if (counted[d] === 0) continue;
      const share = shareOf(d, strength);
      likelihood += event[d] === 1 ? Math.log(share) : Math.log1p(-share);
    }
    if (likelihood > best.likelihood) best = { strength, likelihood };
  }
  return { share: Float64Array.from(track, (_, d) => shareOf(d, best.strength)), strength: best.strength };
}

/** Detections per frame and unit of area around each one, its own track left out; the same squares, shrunk in the same way. */
export function localDensity(detections: Detections, field: Field, track: Int32Array): Float64Array {
  const tracks = 1 + track.reduce((most, t) => Math.max(most, t), 0);
  const all = new Uint8Array(track.length).fill(1);
  const levels = countLevels(detections, field, track, tracks, all, all);
  const exposure = detections.frames * field.width * field.height;
  return Float64Array.from(track, (_, d) => {
    let density = track.length / exposure;
    levels.forEach(({ cell, all, own }, level) => {
      const others = all.at(cell[d])[1] - own.at(cell[d] * tracks + track[d])[1];
      const here = exposure / 4 ** (level + 1);
      density = (others + DENSITY_WEIGHT) / (here + DENSITY_WEIGHT / density);
    });
    return density;
  });
}

function countLevels(
  { x, y }: Detections,
  field: Field,
  track: Int32Array,
  tracks: number,
  event: Uint8Array,
  counted: Uint8Array,
): Level[] {
  return Array.from({ length: LEVELS - 1 }, (_, n) => {
    const side = 2 ** (n + 1);
    const part = (value: number, from: number, width: number) =>
      Math.max(0, Math.min(side - 1, Math.floor(((value - from) / width) * side)));
    const cell = Int32Array.from(
      track,
      (_, d) => part(x[d], field.x, field.width) * side + part(y[d], field.y, field.height),
    );
    const all = new Counts();
    const own = new Counts();
    for (let d = 0; d < track.length; d++) {
      if (counted[d] === 0) continue;
      all.add(cell[d], event[d]);
      own.add(cell[d] * tracks + track[d], event[d]);
    }
    return { cell, all, own };
  });
}
