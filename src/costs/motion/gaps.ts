import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { type Followed, follow } from "./follow.js";
import { bindExpectation, type MotionModel } from "./model.js";

/** The number of frames that a link may span, and how often a target that is there is not detected. */
export interface Gaps {
  readonly spans: number;
  readonly missed: number;
  /** Frames that may be missed in a row as the user says, null where that was estimated. */
  readonly asked: number | null;
  /** Tracks that come back after 1, 2, … missed frames, less those by chance; null where nobody looked. */
  readonly returns: readonly number[] | null;
}

export const GAPS_NOT_SOUGHT: Gaps = { spans: 1, missed: 0, asked: null, returns: null };

/** The most frames that a link spans unless the user chooses otherwise. */
const MOST_SPANS = 4;
/** A start counts as a return within the region that holds this share of the tracks' own steps with frames left out. */
const HOLDS = 0.8;
/** Fewer misses than this count as none, since closing gaps that are none would do more harm. */
const LEAST_MISSED = 0.01;
/** Frames up to that of an end in which chance is looked at. */
const FRAMES_BEFORE = 8;
/** Returns are no chance where their number has less than this probability, that of three standard deviations. */
const CHANCE = 0.00135;

/** Tracks of consecutive frames, to be looked at where they end. */
interface Scene {
  readonly detections: Detections;
  readonly track: Int32Array;
  readonly followed: Followed;
  /** The detections of each frame at which a track of two or more starts. */
  readonly starts: readonly (readonly number[])[];
  /** The place of i's track `span` frames later, as its last step foretells it. */
  predict(i: number, span: number): [x: number, y: number];
}

/**
 * Whether targets vanish for some frames and come back. Tracks of consecutive frames are looked at where they end: how many others start G
 * frames later where the track would be by then? Chance says how many start there in the frame of the end itself and in those before,
 * where none can be its continuation. The exact test of two Poisson rates, given their sum, says whether there are more.
 * @param asked frames that may be missed at most, null to find out
 * @returns the gaps, and the tracks with those joined that seem to be one, for statistics only
 */
export function estimateGaps(
  detections: Detections,
  track: Int32Array,
  model: MotionModel,
  asked: number | null,
): { readonly gaps: Gaps; readonly track: Int32Array } {
  if (asked === 0) return { gaps: { spans: 1, missed: 0, asked, returns: [] }, track };
  const scene = sceneOf(detections, track, model);
  const links = scene.followed.next.reduce((sum, j) => sum + (j >= 0 ? 1 : 0), 0);
  const most = asked === null ? MOST_SPANS : asked + 1;
  const seen = Array.from({ length: most - 1 }, (_, n) => countReturns(scene, n + 2));
  const returns = seen.map(({ more }) => more);
  const missed = returns.reduce((sum, more, n) => sum + Math.max(0, more) * (n + 1), 0) / Math.max(1, links);
  const joined = (spans: number) =>
    joinTracks(
      scene,
      seen.map(({ radius }) => radius),
      spans,
    );
  if (asked !== null) {
    const gaps = { spans: asked + 1, missed: Math.max(LEAST_MISSED, missed), asked, returns };
    return { gaps, track: joined(gaps.spans) };
  }
  let spans = 2 + seen.findLastIndex(({ isReal }) => isReal);
  if (spans === 1 || missed < LEAST_MISSED) return { gaps: { spans: 1, missed: 0, asked, returns }, track };
  // A gap may be longer than those that the tracks show, as long as one of that length is to be expected.
  while (spans < MOST_SPANS && links * missed ** spans >= 1) spans++;
  while (spans > 2 && links * missed ** (spans - 1) < 1) spans--;
  return { gaps: { spans, missed, asked, returns }, track: joined(spans) };
}

function sceneOf(detections: Detections, track: Int32Array, model: MotionModel): Scene {
  const { frames, x, y } = detections;
  const followed = follow(detections, track);
  const { previous, next, frame } = followed;
  const expectation = bindExpectation(detections, model);
  const u = new Float64Array(2);
  const rho = model.persistence[0][0];
  const starts = Array.from({ length: frames }, () => [] as number[]);
  for (let d = 0; d < x.length; d++) if (previous[d] < 0 && next[d] >= 0) starts[frame[d]].push(d);
  return {
    ...{ detections, track, followed, starts },
    predict(i, span) {
      const before = previous[i];
      expectation(before, i, u);
      const stay = rho < 1 ? (rho * (1 - rho ** span)) / (1 - rho) : span;
      return [
        x[i] + span * u[0] + stay * (x[i] - x[before] - u[0]),
        y[i] + span * u[1] + stay * (y[i] - y[before] - u[1]),
      ];
    },
  };
}

/** Tracks that come back `span` frames after their end, less those by chance, whether they are more than chance explains, and the radius within which they count. */
function countReturns(scene: Scene, span: number) {
  const { detections, track, followed, starts, predict } = scene;
  const { frames, x, y } = detections;
  const { previous, next, frame } = followed;
  const radius = quantile(missesOf(scene, span), HOLDS) ?? 0;
  let [seen, looks] = [0, 0];
  let [before, looksBefore] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    if (previous[i] < 0 || next[i] >= 0 || frame[i] < 2 || frame[i] + span >= frames) continue;
    const [px, py] = predict(i, span);
    const near = (p: number) =>
      starts[p].some((d) => track[d] !== track[i] && Math.hypot(x[d] - px, y[d] - py) <= radius) ? 1 : 0;
    seen += near(frame[i] + span);
    looks++;
    for (let p = frame[i]; p > Math.max(0, frame[i] - FRAMES_BEFORE); p--) {
      before += near(p);
      looksBefore++;
    }
  }
  // By chance all looks would find starts equally often.
  const share = looks / Math.max(1, looks + looksBefore);
  const more = (seen - (before * looks) / Math.max(1, looksBefore)) / HOLDS;
  return { radius, more, isReal: binomialTail(seen + before, seen, share) < CHANCE };
}

/** Distances of tracks from the places foretold, with the frames between left out. */
function missesOf({ detections: { x, y }, followed: { previous, next }, predict }: Scene, span: number): number[] {
  const misses: number[] = [];
  for (let i = 0; i < x.length; i++) {
    if (previous[i] < 0) continue;
    let j = i;
    for (let n = 0; n < span && j >= 0; n++) j = next[j];
    if (j < 0) continue;
    const [px, py] = predict(i, span);
    misses.push(Math.hypot(x[j] - px, y[j] - py));
  }
  return misses;
}

/** Each track that ends goes on with the start that lies nearest to where it would be, if that has none nearer. */
function joinTracks(scene: Scene, radii: readonly number[], longest: number): Int32Array {
  const { detections, track, followed, starts, predict } = scene;
  const { frames, x, y } = detections;
  const { previous, next, frame } = followed;
  const offers: { i: number; k: number; far: number }[] = [];
  for (let i = 0; i < x.length; i++) {
    if (previous[i] < 0 || next[i] >= 0) continue;
    for (let span = 2; span <= longest && frame[i] + span < frames; span++) {
      const [px, py] = predict(i, span);
      for (const k of starts[frame[i] + span]) {
        const far = Math.hypot(x[k] - px, y[k] - py) / radii[span - 2];
        if (far <= 1) offers.push({ i, k, far: far + span });
      }
    }
  }
  offers.sort((one, other) => one.far - other.far || one.i - other.i || one.k - other.k);
  const onward = new Map<number, number>();
  const continued = new Set<number>();
  for (const { i, k } of offers) {
    if (onward.has(i) || continued.has(k)) continue;
    onward.set(i, k);
    continued.add(k);
  }
  // Starts lie in later frames than the ends they continue, so one pass in order renames whole chains.
  const name = new Map<number, number>();
  const renamed = new Int32Array(x.length);
  for (let d = 0; d < x.length; d++) {
    renamed[d] = name.get(track[d]) ?? track[d];
    const k = onward.get(d);
    if (k !== undefined) name.set(track[k], renamed[d]);
  }
  return renamed;
}

/** The probability of `least` or more of n, each with probability p. */
export function binomialTail(n: number, least: number, p: number): number {
  // From the term of n on downwards, by logarithms: (n choose k) p^k (1 − p)^(n − k).
  let term = n * Math.log(p);
  let sum = 0;
  for (let k = n; k >= least; k--) {
    sum += Math.exp(term);
    term += Math.log(k / (n - k + 1)) + Math.log1p(-p) - Math.log(p);
  }
  return Math.min(1, sum);
}
