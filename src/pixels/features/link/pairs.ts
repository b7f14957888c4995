/** Candidates for links between two frames, the evidence for each, and their cost: minus the log odds that the link is true. */
import { medianOf } from "../../../core/select.js";
import { KLT_STATUS, type KltTracks } from "../klt-options.js";
import type { Displacements } from "./camera.js";
import { type Appearance, compareAppearance, type Places } from "./places.js";

export interface Candidate {
  readonly i: number;
  readonly j: number;
  /** Of the descriptors, of 512-normalised bytes. */
  readonly distance: number;
  /** |Δ log₂ σ|. */
  readonly scale: number;
  /** |turn − the frame pair's median turn|, degrees. */
  readonly turn: number;
  /** |x_j − KLT(x_i)| in pixels; null where KLT lost x_i. */
  readonly residual: number | null;
  /** Pixels from where the camera's motion takes x_i; null where it is not known. */
  readonly camera: number | null;
  /** Least distance of another candidate of i, and of another of j: a pair that looks as much like a third is less sure. +∞ where there is none. */
  readonly rival: number;
  readonly rivalBack: number;
}

export interface CandidateOptions {
  /** Largest move, pixels. */
  readonly gate: number;
  /** Nearest descriptors within the gate that are candidates. */
  readonly nearest: number;
}

export const CANDIDATE_DEFAULTS: CandidateOptions = { gate: 40, nearest: 8 };
/** The camera's turn is estimated from pairs nearer than this. */
const SURE = 150;
/** Distances below it are as good as 0, and logarithms of ratios beyond the other are alike. */
const CLEAR = 10;
const MOST_CLEAR = 2;
/** Pixels from which on all candidates are as far off. */
const MOST_OFF = 12;
/** A rival further away than this, or none, is as one here: descriptors that have nothing in common are about so far apart. */
const FAR = 400;

/** Of all pairs within the gate; rows by place of the first frame, in the order of its places. */
export function gatedPairs(a: Places, b: Places, gate: number): { readonly j: number; readonly look: Appearance }[][] {
  return Array.from({ length: a.count }, (_, i) => {
    const row: { j: number; look: Appearance }[] = [];
    for (let j = 0; j < b.count; j++) {
      if ((a.x[i] - b.x[j]) ** 2 + (a.y[i] - b.y[j]) ** 2 > gate * gate) continue;
      const look = compareAppearance(a, i, b, j);
      if (look.distance < Number.POSITIVE_INFINITY) row.push({ j, look });
    }
    return row;
  });
}

/**
 * @param moved where KLT finds the places of the first frame in the second
 * @param camera their displacement by the camera's motion
 */
export function findCandidates(
  a: Places,
  b: Places,
  moved: KltTracks,
  options: CandidateOptions,
  camera: Displacements | null = null,
): Candidate[] {
  const rows = gatedPairs(a, b, options.gate).map((row) =>
    row.sort((p, q) => p.look.distance - q.look.distance || p.j - q.j).slice(0, options.nearest),
  );
  const sure = rows.flatMap((row) =>
    row.length > 0 && row[0].look.distance < SURE ? [wrapped(row[0].look.turn)] : [],
  );
  const common = sure.length === 0 ? 0 : medianOf(sure);
  const pairs = rows.flatMap((row, i) => row.map(({ j, look }) => ({ i, j, look, distance: look.distance })));
  const rival = rivals(pairs, a.count, ({ i }) => i);
  const rivalBack = rivals(pairs, b.count, ({ j }) => j);
  return pairs.map(({ i, j, look, distance }, k) => ({
    i,
    j,
    distance,
    scale: Math.abs(Math.log2(b.sigma[j] / a.sigma[i])),
    turn: (Math.abs(wrapped(look.turn - common)) * 180) / Math.PI,
    residual: moved.status[i] === KLT_STATUS.tracked ? Math.hypot(b.x[j] - moved.x[i], b.y[j] - moved.y[i]) : null,
    camera: camera === null ? null : Math.hypot(b.x[j] - a.x[i] - camera.x[i], b.y[j] - a.y[i] - camera.y[i]),
    rival: rival[k],
    rivalBack: rivalBack[k],
  }));
}

/** For each pair the least distance of the others of its place. */
function rivals<Pair extends { readonly distance: number }>(
  pairs: readonly Pair[],
  count: number,
  placeOf: (pair: Pair) => number,
): Float64Array {
  const least = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const second = least.slice();
  for (const pair of pairs) {
    const place = placeOf(pair);
    second[place] = Math.min(second[place], Math.max(least[place], pair.distance));
    least[place] = Math.min(least[place], pair.distance);
  }
  return Float64Array.from(pairs, (pair) => {
    const place = placeOf(pair);
    return pair.distance === least[place] ? second[place] : least[place];
  });
}

const wrapped = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/**
 * The log odds are linear in these terms: 1, d/100, (d/100)², s = min(|Δlog₂σ|, 1.5), s², min(turn/30°, 3), and with KLT's residual r: lost
 * (0 or 1), min(r, 12), min(r, 3)², log(1 + min(r, 12)), the last three 0 where it is lost; and log((R + 10)/(distance + 10)) within ±2, R the distance of the
 * nearest rival of i, then of j, 400 at most: Lowe's ratio, which weighs a distance by the texture around it; and with the lesser m of r, the distance
 * from where the camera takes x_i, and 12: m, min(m, 3)², log(1 + m). A place that KLT loses or mistakes may still move as the whole picture does.
 */
export function termsOf({ distance, scale, turn, residual, camera, rival, rivalBack }: Candidate): number[] {
  const d = distance / 100;
  const s = Math.min(scale, 1.5);
  const r = Math.min(residual ?? 0, MOST_OFF);
  const m = Math.min(residual ?? MOST_OFF, camera ?? MOST_OFF, MOST_OFF);
  const still = Math.min(m, 3);
  const near = Math.min(r, 3);
  const lost = residual === null ? 1 : 0;
  const clear = [rival, rivalBack].map((other) =>
    Math.min(Math.max(Math.log((Math.min(other, FAR) + CLEAR) / (distance + CLEAR)), -MOST_CLEAR), MOST_CLEAR),
  );
  return [
    1,
    d,
    d * d,
    s,
    s * s,
    Math.min(turn / 30, 3),
    lost,
    r,
    near * near,
    Math.log1p(r),
    ...clear,
    m,
    still * still,
    Math.log1p(m),
  ];
}

/** Weights of the terms, in their order. */
export type LinkWeights = readonly number[];

/**
 * Fitted by lab/features/fit_weights.py to 475,847 candidates, 34,819 of them true, of six sequences of 20 frames made from scikit-image's textures: planes of
 * brick (seed 103) and camera (100), 400 places of SIFT a frame, and movers of brick (111), gravel (112), grass (113) and astronaut (114), 600 places.
 */
export const LINK_WEIGHTS: LinkWeights = [
  -1.1775, 2.1054, -0.2714, -0.5697, -8.1609, -0.9611, 1.9646, 0.0167, -0.177, 0.7253, 1.8166, 1.8992, 0.3805, -0.1673,
  -3.3354,
];

/** Minus the log odds that the link is true, and `bias` on top. */
export function pairCost(candidate: Candidate, weights: LinkWeights, bias: number): number {
  return bias - termsOf(candidate).reduce((sum, term, k) => sum + term * weights[k], 0);
}
