import { quantile } from "d3-array";
import { axesOf, type Detections } from "../../core/detections.js";
import { bindExpected, follow } from "./follow.js";
import type { MotionModel } from "./model.js";

/** The number of frames that a link may span, and how often a target that is there is not detected. */
export interface Gaps {
  readonly spans: number;
  readonly missed: number;
  /** Frames that may be missed in a row as the user says, null where that was estimated. */
  readonly asked: number | null;
  /** Tracks that come back after 1, 2, … missed frames, less those by chance; null where nobody looked. */
  readonly returns: readonly number[] | null;
  /** Whether they are more than chance explains, or gaps were asked for: then better tracks may say more. */
  readonly seen: boolean;
}

export const GAPS_NOT_SOUGHT: Gaps = { spans: 1, missed: 0, asked: null, returns: null, seen: false };

/** The most frames that a link spans unless the user chooses otherwise. */
const MOST_SPANS = 4;
/** A start counts as a return within the region that holds this share of the tracks' own steps with frames left out. */
const HOLDS = 0.8;
/**
 * The prior of a miss, a beta distribution: misses and detections that count beside those of the tracks. A gap of one frame is always admitted; where nothing
 * was missed in n detections it costs about ln 2 n, which pays only for a link that is clearly better than an end and a start. Chosen on opensky_uk_60s, ucy_zara02, cells and spheres: 1 to 8 misses
 * gain as much on aircraft, and lose 0.5 % of IDF1 on cells.
 */
const PRIOR_MISSED = { misses: 0.5, detections: 50 };
/** Frames up to that of an end in which chance is looked at. */
const FRAMES_BEFORE = 8;
/** Returns are no chance where their number has less than this probability, that of three standard deviations. */
const CHANCE = 0.00135;

type Scene = ReturnType<typeof sceneOf>;
type Returns = ReturnType<typeof countReturns>;

/**
 * Whether targets vanish for some frames and come back. Tracks of consecutive frames are looked at where they end: how many others start G
 * frames later where the track would be by then? Chance says how many start there in the frame of the end itself and in those before,
 * where none can be its continuation. The exact test of two Poisson rates, given their sum, says whether there are more.
 * @param asked frames that may be missed at most, null to find out
 * @param stated probability of a miss, above 0, where the user states it
 * @returns the gaps, and the tracks with those joined that seem to be one, for statistics only
 */
export function estimateGaps(
  detections: Detections,
  track: Int32Array,
  model: MotionModel,
  asked: number | null,
  stated?: number,
): { readonly gaps: Gaps; readonly track: Int32Array } {
  if (asked === 0) return { gaps: { spans: 1, missed: 0, asked, returns: [], seen: true }, track };
  const scene = sceneOf(detections, track, model);
  const links = scene.followed.next.reduce((sum, j) => sum + (j >= 0 ? 1 : 0), 0);
  const most = asked === null ? MOST_SPANS : asked + 1;
  const counted = Array.from({ length: most - 1 }, (_, n) => countReturns(scene, n + 2));
  const returns = counted.map(({ more }) => more);
  const misses = returns.reduce((sum, more, n) => sum + Math.max(0, more) * (n + 1), 0);
  const again = returns.reduce((sum, more) => sum + Math.max(0, more), links);
  const missed = stated ?? (misses + PRIOR_MISSED.misses) / (misses + again + PRIOR_MISSED.detections);
  if (asked === null && stated === undefined && !counted.some(({ isReal }) => isReal)) {
    const rare = PRIOR_MISSED.misses / (links + PRIOR_MISSED.detections);
    return { gaps: { spans: 2, missed: rare, asked, returns, seen: false }, track };
  }
  let spans = most;
  // A gap may be as long as one of that length is to be expected.
  while (asked === null && spans > 2 && links * missed ** (spans - 1) < 1) spans--;
  const gaps = { spans, missed, asked, returns, seen: true };
  return { gaps, track: joinTracks(scene, counted.slice(0, spans - 1)) };
}

/** Tracks of consecutive frames, those of one detection included, to be looked at where they end. */
function sceneOf(detections: Detections, track: Int32Array, model: MotionModel) {
  const axes = axesOf(detections);
  const followed = follow(detections, track);
  // Gaps are looked for before the law is fitted: targets keep their displacement, or deviate from measured ones by noise.
  const expected = bindExpected(detections, followed, model);
  /** The detections of each frame at which a track starts. */
  const starts = Array.from({ length: detections.frames }, () => [] as number[]);
  followed.previous.forEach((i, d) => {
    if (i < 0) starts[followed.frame[d]].push(d);
  });
  /** How far a detection is from where i is foretold to be `span` frames later, by the step from `before`; by the drift alone where that is −1. */
  const farFrom = (i: number, span: number, before = followed.previous[i]) => {
    const place = expected(i, span, before);
    return (k: number) => Math.hypot(...axes.map((axis, n) => axis[k] - place[n]));
  };
  return { detections, track, followed, starts, farFrom };
}

/** Tracks that come back `span` frames after their end: the distance within which a start counts as one, by detection, their number, less that by chance, and whether they are more than chance explains. */
function countReturns(scene: Scene, span: number) {
  const { detections, track, followed, starts, farFrom } = scene;
  const { previous, next, frame } = followed;
  const radius = radiusOf(scene, span);
  let [seen, looks] = [0, 0];
  let [before, looksBefore] = [0, 0];
  for (let i = 0; i < next.length; i++) {
    if (next[i] >= 0 || frame[i] < 1 || frame[i] + span >= detections.frames) continue;
    const within = radius(i);
    const far = farFrom(i, span);
    const near = (p: number) => (starts[p].some((d) => track[d] !== track[i] && far(d) <= within) ? 1 : 0);
    seen += near(frame[i] + span);
    looks++;
    // A start while the track is there is of another target.
    for (let d = i; d >= 0 && frame[d] >= Math.max(1, frame[i] - FRAMES_BEFORE + 1); d = previous[d]) {
      before += near(frame[d]);
      looksBefore++;
    }
  }
  // By chance all looks would find starts equally often.
  const share = looks / Math.max(1, looks + looksBefore);
  const more = (seen - (before * looks) / Math.max(1, looksBefore)) / HOLDS;
  return { span, radius, more, isReal: binomialTail(seen + before, seen, share) < CHANCE };
}

/** What the tracks' own detections miss by, with the frames between left out: after those with a last step, and with all before them left out too. */
function radiusOf({ followed: { previous, next }, farFrom }: Scene, span: number) {
  const [moving, single]: number[][] = [[], []];
  for (let i = 0; i < next.length; i++) {
    let j = i;
    for (let n = 0; n < span && j >= 0; n++) j = next[j];
    if (j < 0) continue;
    if (previous[i] >= 0) moving.push(farFrom(i, span)(j));
    single.push(farFrom(i, span, -1)(j));
  }
  const [afterStep, afterOne] = [moving, single].map((some) => quantile(some, HOLDS) ?? 0);
  return (i: number): number => (previous[i] < 0 ? afterOne : afterStep);
}

/** Each track that ends goes on with the start that lies nearest to where it would be, if that has none nearer. */
function joinTracks({ track, followed, starts, farFrom }: Scene, counted: readonly Returns[]): Int32Array {
  const { next, frame } = followed;
  const offers: { i: number; k: number; far: number }[] = [];
  for (let i = 0; i < next.length; i++) {
    for (const { span, radius } of next[i] < 0 ? counted : []) {
      const away = farFrom(i, span);
      for (const k of starts[frame[i] + span] ?? []) {
        const far = away(k) / radius(i);
        if (far <= 1) offers.push({ i, k, far: far + span });
      }
    }
  }
  offers.sort((one, other) => one.far - other.far || one.i - other.i || one.k - other.k);
  const [onward, continued] = [new Int32Array(next.length).fill(-1), new Set<number>()];
  for (const { i, k } of offers) {
    if (onward[i] >= 0 || continued.has(k)) continue;
    onward[i] = k;
    continued.add(k);
  }
  // Starts lie in later frames than the ends they continue, so one pass in order renames whole chains.
  const name = Int32Array.from(track.keys());
  return track.map((t, d) => {
    if (onward[d] >= 0) name[track[onward[d]]] = name[t];
    return name[t];
  });
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
