import type { FoundTarget, TrueTarget } from "../core/found-target.js";

export interface FoundFrame {
  /** Of the image, counted from 0. */
  readonly frame: number;
  readonly detections: readonly FoundTarget[];
}

/** How well targets were found, over some frames. */
export interface FoundScore {
  readonly frames: number;
  /** True places of targets in these frames, and those with a detection. */
  readonly targets: number;
  readonly hits: number;
  /** P_d = hits / targets, null without targets. */
  readonly detected: number | null;
  /** Detections that are no hit, of all and a frame. */
  readonly falseAlarms: number;
  readonly falseAlarmsPerFrame: number | null;
  /** Share of hits with a velocity that is within ½ px a frame, of those with one; null without such hits. */
  readonly rightVelocity: number | null;
  /** Root mean square errors of the hits, pixels and pixels a frame, the latter of those with a velocity. */
  readonly positionError: number | null;
  readonly velocityError: number | null;
}

export interface FoundScores extends FoundScore {
  readonly bySnr: readonly ({ readonly snr: number } & Pick<FoundScore, "targets" | "hits" | "detected">)[];
  readonly byFrame: readonly ({ readonly frame: number } & Pick<FoundScore, "targets" | "hits" | "falseAlarms">)[];
  /** Target of each detection, −1 for a false alarm; by frame and detection, as given. */
  readonly target: readonly (readonly number[])[];
}

interface Hit {
  readonly truth: TrueTarget;
  readonly found: FoundTarget;
  readonly number: number;
  readonly distance: number;
}

const VELOCITY_TOLERANCE = 0.5;

/**
 * Detections against the truth. A hit is a pair within `match` pixels, the nearest pairs first, each target and each detection in one at most.
 */
export function scoreDetections(
  frames: readonly FoundFrame[],
  truth: readonly TrueTarget[],
  match: number,
): FoundScores {
  const truthOf = new Map<number, TrueTarget[]>();
  for (const one of truth) {
    const before = truthOf.get(one.frame);
    if (before === undefined) truthOf.set(one.frame, [one]);
    else before.push(one);
  }
  const pairs = frames.map(({ frame, detections }) => hitsOf(truthOf.get(frame) ?? [], detections, match));
  const scored = frames.flatMap(({ frame }) => truthOf.get(frame) ?? []);
  const hits = pairs.flat();
  const found = frames.reduce((sum, { detections }) => sum + detections.length, 0);
  const velocityErrors = hits
    .map((hit) => Math.hypot(hit.found.vx - hit.truth.vx, hit.found.vy - hit.truth.vy))
    .filter((error) => !Number.isNaN(error));
  const right = velocityErrors.filter((error) => error <= VELOCITY_TOLERANCE).length;
  const levels = [...new Set(scored.flatMap(({ snr }) => (snr === null ? [] : [snr])))].sort((a, b) => a - b);
  return {
    frames: frames.length,
    targets: scored.length,
    hits: hits.length,
    detected: share(hits.length, scored.length),
    falseAlarms: found - hits.length,
    falseAlarmsPerFrame: share(found - hits.length, frames.length),
    rightVelocity: share(right, velocityErrors.length),
    positionError: rootMeanSquare(hits.map(({ distance }) => distance)),
    velocityError: rootMeanSquare(velocityErrors),
    bySnr: levels.map((snr) => {
      const targets = scored.filter((one) => one.snr === snr).length;
      const own = hits.filter((hit) => hit.truth.snr === snr).length;
      return { snr, targets, hits: own, detected: share(own, targets) };
    }),
    byFrame: frames.map(({ frame, detections }, n) => ({
      frame,
      targets: truthOf.get(frame)?.length ?? 0,
      hits: pairs[n].length,
      falseAlarms: detections.length - pairs[n].length,
    })),
    target: frames.map(({ detections }, n) => {
      const targets = detections.map(() => -1);
      for (const hit of pairs[n]) targets[hit.number] = hit.truth.target;
      return targets;
    }),
  };
}

function hitsOf(truth: readonly TrueTarget[], detections: readonly FoundTarget[], match: number): Hit[] {
  const near = truth.flatMap((one) =>
    detections.flatMap((found, number): Hit[] => {
      const distance = Math.hypot(found.x - one.x, found.y - one.y);
      return distance <= match ? [{ truth: one, found, number, distance }] : [];
    }),
  );
  near.sort((a, b) => a.distance - b.distance);
  const [taken, used] = [new Set<TrueTarget>(), new Set<number>()];
  return near.filter(({ truth: one, number }) => {
    if (taken.has(one) || used.has(number)) return false;
    taken.add(one);
    used.add(number);
    return true;
  });
}

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);

function rootMeanSquare(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}
