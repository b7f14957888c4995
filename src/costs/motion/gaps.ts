import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { follow } from "./follow.js";
import { bindExpectation, type MotionModel } from "./model.js";

/** How many frames a link may span, and how often a target that is there is not detected. */
export interface Gaps {
  readonly spans: number;
  readonly missed: number;
  readonly note: string;
  /** The choice in a few words. */
  readonly summary: string;
}

export interface SeenGaps extends Gaps {
  /** The tracks with those joined that seem to be one, for statistics only. */
  readonly track: Int32Array;
}

/** The most frames that a link spans unless the user chooses otherwise. */
const MOST_SPANS = 4;
/** Share of the tracks' own steps, with frames left out, that the region holds in which a start counts as a return. */
const HOLDS = 0.8;
/** Fewer misses than this count as none, since closing gaps that are none would do more harm. */
const LEAST_MISSED = 0.01;
/** Frames up to that of an end in which chance is looked at. */
const FRAMES_BEFORE = 8;
/** The probability at which so many returns are no chance any more: that of three standard deviations. */
const CHANCE = 0.00135;

/**
 * Whether targets vanish for some frames and come back. Tracks of consecutive frames are looked at where they end: how many others start G
 * frames later where the track would be by then? Chance says how many start there in the frame of the end itself and in those before,
 * where none can be its continuation; whether there are more is the exact test of two Poisson rates, given their sum.
 * @param asked frames that may be missed at most, null to find out
 */
export function estimateGaps(
  detections: Detections,
  track: Int32Array,
  model: MotionModel,
  asked: number | null,
): SeenGaps {
  const { frames, x, y } = detections;
  if (asked === 0) {
    const summary = "no gaps are closed, as asked";
    return { spans: 1, missed: 0, note: "", summary, track };
  }
  const { previous, next, frame } = follow(detections, track);
  const expectation = bindExpectation(detections, model);
  const u = new Float64Array(2);
  const links = next.reduce((sum, j) => sum + (j >= 0 ? 1 : 0), 0);
  const rho = model.persistence[0][0];
  /** Where i's track is `span` frames later. */
  const predict = (i: number, span: number): [number, number] => {
    const before = previous[i];
    expectation(before, i, u);
    const stay = rho < 1 ? (rho * (1 - rho ** span)) / (1 - rho) : span;
    return [
      x[i] + span * u[0] + stay * (x[i] - x[before] - u[0]),
      y[i] + span * u[1] + stay * (y[i] - y[before] - u[1]),
    ];
  };
  const starts = Array.from({ length: frames }, () => [] as number[]);
  for (let d = 0; d < x.length; d++) if (previous[d] < 0 && next[d] >= 0) starts[frame[d]].push(d);

  const excess: number[] = [];
  const radii: number[] = [];
  let spans = 1;
  const most = asked === null ? MOST_SPANS : asked + 1;
  for (let span = 2; span <= most; span++) {
    const misses: number[] = [];
    for (let i = 0; i < x.length; i++) {
      if (previous[i] < 0) continue;
      let j = i;
      for (let n = 0; n < span && j >= 0; n++) j = next[j];
      if (j < 0) continue;
      const [px, py] = predict(i, span);
      misses.push(Math.hypot(x[j] - px, y[j] - py));
    }
    const radius = quantile(misses, HOLDS) ?? 0;
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
    // By chance those that are found would fall on all looks alike.
    const share = looks / Math.max(1, looks + looksBefore);
    const more = (seen - (before * looks) / Math.max(1, looksBefore)) / HOLDS;
    excess.push(more);
    radii.push(radius);
    if (binomialTail(seen + before, seen, share) < CHANCE) spans = span;
  }
  const missed = excess.reduce((sum, more, n) => sum + Math.max(0, more) * (n + 1), 0) / Math.max(1, links);
  const counted = excess.map((more, n) => `${Math.max(0, more).toFixed(0)} after ${n + 1}`).join(", ");
  const seen = `tracks that end come back ${counted} missed frames more often than by chance`;
  if (asked !== null) {
    const note = `Gaps of up to ${asked} frames as asked; ${seen}.`;
    const summary = `gaps of up to ${asked} ${asked === 1 ? "frame" : "frames"} are closed, as asked`;
    return { spans: asked + 1, missed: Math.max(LEAST_MISSED, missed), note, summary, track: joined(asked + 1) };
  }
  if (spans === 1 || missed < LEAST_MISSED) {
    const summary = "no missed detections are assumed, since tracks that end hardly ever come back";
    return { spans: 1, missed: 0, note: `No missed detections are assumed: ${seen}.`, summary, track };
  }
  // A gap may be longer than those that show by themselves, as long as one such is to be expected.
  while (spans < MOST_SPANS && links * missed ** spans >= 1) spans++;
  while (spans > 2 && links * missed ** (spans - 1) < 1) spans--;
  const length = spans === 2 ? "one frame" : `up to ${spans - 1} frames`;
  const summary = `gaps of ${length} are closed`;
  return { spans, missed, note: `Gaps of ${length} are closed: ${seen}.`, summary, track: joined(spans) };

  /** Each track that ends goes on with the start that lies nearest to where it would be, if that has none nearer. */
  function joined(longest: number): Int32Array {
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
    const taken = new Set<number>();
    for (const { i, k } of offers) {
      if (onward.has(i) || taken.has(k)) continue;
      onward.set(i, k);
      taken.add(k);
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
