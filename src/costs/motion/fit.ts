import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { type Divisions, findDivisions, NO_DIVISIONS } from "./divisions.js";
import { floorOf, medianSpacing } from "./first-estimate.js";
import { certaintyOf, fitDensity, fitStudentT } from "./fit-student.js";
import { type Followed, follow } from "./follow.js";
import { bindDeviation, type Field, fieldOf, type MotionModel } from "./model.js";
import { localDensity, localShares, squaresOf } from "./odds.js";
import type { StudentT } from "./student.js";

/** The cost of a track's start at each detection, in nats, and the probability of an end there; length detections. */
export interface Odds {
  readonly birth: Float64Array;
  readonly ends: Float64Array;
  /** The same at a place, for detections of other frames of the same field. */
  at(x: number, y: number): { readonly birth: number; readonly ends: number };
}

export interface Reestimate {
  readonly model: MotionModel;
  readonly odds: Odds;
  /** How many targets seem to divide. */
  readonly divisions: number;
  readonly notes: readonly string[];
}

export interface ReestimateOptions {
  /** Fit ρ as well. On poor tracks this fit fails, so it is not made from the first solution. */
  readonly persistence: boolean;
  /** The frames that a link may span, and the least probability of a miss that is used where that is more than 1. */
  readonly spans: number;
  readonly missed: number;
  /** Whether targets that divide are looked for, and whether their divisions are priced too. */
  readonly divisions: "none" | "seen" | "priced";
}

/** Values of ρ that are tried: with G_b of the later link as a factor. */
const PERSISTENCE = [1, 0.97, 0.9, 0.8, 0.6, 0.4, 0.2, 0, -0.2, -0.4];
/** ω that are tried where velocities are measured. */
const VELOCITY_WEIGHTS = [0, 0.5, 1];

/** Samples that a density is fitted to at most, evenly taken from all, and of these the ones that ρ is chosen by. */
const SAMPLES = 5_000;
const SAMPLES_OF_PERSISTENCE = 1_000;
/** By how many nats a sample another ρ must tell targets more surely than the likeliest, where by that one none keeps its displacement. */
const SURER = 0.1;
/** No division is taken for more certain. */
const MOST_CERTAIN = 0.9;
/** The number of samples below which nothing is fitted. */
const FEWEST = 12;

/**
 * The model that makes given tracks most likely, density by density, and what starts and ends cost where (odds.ts). Tracks are numbers,
 * one a detection, from 0; a track has at most one detection in a frame. Densities of links that span frames are fitted to the tracks
 * with frames left out.
 */
export function reestimate(
  detections: Detections,
  track: Int32Array,
  before: MotionModel,
  { persistence, spans, missed, divisions: wanted }: ReestimateOptions,
): Reestimate {
  const { frames, x, y, vx } = detections;
  const followed = follow(detections, track);
  const { previous, next, frame } = followed;
  const pairs = samplePairs(followed, 1);
  if (pairs.length < FEWEST) {
    const notes = [`Too few links to learn from (${pairs.length}): the estimate of the pass before stays.`];
    return { model: before, odds: constantOdds(before, x.length), divisions: 0, notes };
  }
  const drift: [number, number] = [
    quantile(pairs, 0.5, ([i, j]) => x[j] - x[i]) ?? 0,
    quantile(pairs, 0.5, ([i, j]) => y[j] - y[i]) ?? 0,
  ];
  const typical = quantile(pairs, 0.5, ([i, j]) => Math.hypot(x[j] - x[i], y[j] - y[i])) ?? 0;
  const spacing = medianSpacing(detections);
  const changes = sampleChains(followed, 1, 1).map(([i, j, k]) =>
    Math.hypot(x[i] - 2 * x[j] + x[k], y[i] - 2 * y[j] + y[k]),
  );
  const floor = floorOf(detections, spacing, typical, changes);

  // As many per unit of area as have this median distance to the nearest.
  const rivals = spacing > 0 ? Math.LN2 / (Math.PI * spacing * spacing) : 0;
  /** Fits step_ab to z_b − ρ_ab z_a / a for one ω and all ρ that are tried. */
  const fitStep = (velocityWeight: number, a: number, b: number) => {
    const chains = sampleChains(followed, a, b);
    if (chains.length < FEWEST) return null;
    const z = bindDeviation(detections, { drift, velocityWeight });
    const sampled = chains.map(([i, j, k]) => [...z(i, j, a), ...z(j, k, b)]);
    const left = (some: typeof sampled, rho: number): [number[], number[]] => [
      some.map(([ax, , bx]) => bx - (rho * b * ax) / a),
      some.map(([, ay, , by]) => by - (rho * b * ay) / a),
    ];
    // One t and a part of the samples find ρ; a mixture costs many times as much to fit, and is fitted once ρ is known.
    const few = thinned(sampled, SAMPLES_OF_PERSISTENCE);
    const tried = (persistence ? PERSISTENCE : [velocityWeight > 0 ? 0 : 1]).map((rho) => {
      const [x, y] = left(few, rho);
      const { density, logLikelihood } = fitStudentT(x, y, floor);
      return { rho, logLikelihood, certainty: certaintyOf(density, x, y, rivals) };
    });
    const likeliest = tried.reduce((best, fit) => (fit.logLikelihood > best.logLikelihood ? fit : best));
    const surest = tried.reduce((best, fit) => (fit.certainty > best.certainty ? fit : best));
    const surer = likeliest.rho <= 0 && surest.certainty > likeliest.certainty + SURER * few.length;
    const { rho } = surer ? surest : likeliest;
    const [x, y] = left(sampled, rho);
    return { velocityWeight, rho: rho * b, chains: chains.length, ...fitDensity(x, y, floor) };
  };
  const steps = (vx === null ? [0] : VELOCITY_WEIGHTS).flatMap((weight) => fitStep(weight, 1, 1) ?? []);
  const one = steps.length > 0 ? steps.reduce((a, b) => (b.logLikelihood > a.logLikelihood ? b : a)) : null;
  const velocityWeight = one?.velocityWeight ?? before.velocityWeight;
  const base = one?.density ?? before.step[0][0];
  const rho = one?.rho ?? before.persistence[0][0];
  const z = bindDeviation(detections, { drift, velocityWeight });
  const prior: StudentT[] = [];
  const step: StudentT[][] = [];
  const persistences: number[][] = [];
  for (let a = 1; a <= spans; a++) {
    const first = samplePairs(followed, a).map(([i, j]) => z(i, j, a));
    const fitted =
      first.length < FEWEST
        ? null
        : fitDensity(
            first.map(([dx]) => dx),
            first.map(([, dy]) => dy),
            floor,
          );
    prior.push(fitted?.density ?? stretched(prior[0], a));
    const fits = Array.from({ length: spans }, (_, n) => (a + n === 1 ? one : fitStep(velocityWeight, a, n + 1)));
    // Without samples a step grows as white noise of the acceleration has it: the variance of z_b − z_a b / a goes with b² (a + b).
    step.push(fits.map((fit, n) => fit?.density ?? stretched(base, (n + 1) * Math.sqrt((a + n + 1) / 2))));
    persistences.push(fits.map((fit, n) => fit?.rho ?? rho * (n + 1)));
  }

  const field = fieldOf(detections, spacing > 0 ? spacing : 1);
  const counts = countEnds(detections, previous, next, frame);
  const area = field.width * field.height;
  const model: MotionModel = {
    drift,
    velocityWeight,
    prior,
    step,
    persistence: persistences,
    births: (counts.starts + 0.5) / (Math.max(1, frames - 1) * area),
    ends: (counts.ends + 0.5) / (counts.mayEnd + 20),
    missed: spans === 1 ? 0 : Math.max(missed, counts.missed / (counts.mayEnd + 1)),
    clutter: (counts.singles + 0.5) / (Math.max(1, frames - 2) * area),
  };
  const seen = wanted === "none" ? NO_DIVISIONS : findDivisions(detections, followed, model);
  const divisions = wanted === "priced" ? seen : NO_DIVISIONS;
  const { odds, notes } = localOdds(detections, field, track, followed, divisions);
  return {
    model,
    odds: withDivisions(odds, divisions),
    divisions: seen.all.length,
    notes: [
      `Motion estimated from ${pairs.length} links and ${one?.chains ?? 0} chains of two of the pass before.`,
      ...notes,
      ...(divisions.note === "" ? [] : [divisions.note]),
    ],
  };
}

/**
 * Odds where some targets divide: the last detection before a division ends its track by the probability of that, and the starts of both daughters cost
 * the rest, so that end and starts together are the division's cost.
 */
export function withDivisions(odds: Odds, { all }: Divisions): Odds {
  const [birth, ends] = [odds.birth.slice(), odds.ends.slice()];
  for (const { mother, daughters, cost, probability } of all) {
    ends[mother] = Math.max(ends[mother], Math.min(MOST_CERTAIN, probability));
    for (const d of daughters) birth[d] = Math.min(birth[d], 0.5 * (cost + Math.log(ends[mother])));
  }
  return { ...odds, birth, ends };
}

function stretched(density: StudentT, factor: number): StudentT {
  const { xx, xy, yy } = density;
  const square = factor * factor;
  return { ...density, xx: xx * square, xy: xy * square, yy: yy * square };
}

/** Detections of one track that are `span` frames apart, with one in every frame between them. */
function samplePairs(followed: Followed, span: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < followed.next.length; i++) {
    const j = ahead(followed, i, span);
    if (j >= 0) pairs.push([i, j]);
  }
  return thinned(pairs);
}

/** Three detections of one track, a and b frames apart. */
function sampleChains(followed: Followed, a: number, b: number): [number, number, number][] {
  const chains: [number, number, number][] = [];
  for (let i = 0; i < followed.next.length; i++) {
    const j = ahead(followed, i, a);
    const k = j < 0 ? -1 : ahead(followed, j, b);
    if (k >= 0) chains.push([i, j, k]);
  }
  return thinned(chains);
}

function ahead({ next, frame }: Followed, i: number, span: number): number {
  let j = i;
  for (let n = 0; n < span; n++) {
    const k = next[j];
    if (k < 0 || frame[k] !== frame[j] + 1) return -1;
    j = k;
  }
  return j;
}

/** The same everywhere. */
export function constantOdds({ births, ends }: MotionModel, detections: number): Odds {
  return {
    birth: new Float64Array(detections).fill(-Math.log(births)),
    ends: new Float64Array(detections).fill(ends),
    at: () => ({ birth: -Math.log(births), ends }),
  };
}

function thinned<T>(all: T[], most = SAMPLES): T[] {
  const every = Math.ceil(all.length / most);
  return every <= 1 ? all : all.filter((_, n) => n % every === 0);
}

/** Tracks of one are neither starts nor ends; a frame that a track skips is a miss, and one in which it might have ended. */
function countEnds({ frames, frameStart }: Detections, previous: Int32Array, next: Int32Array, frame: Uint32Array) {
  const counts = { starts: 0, ends: 0, singles: 0, mayEnd: 0, missed: 0 };
  const lastFrame = frameStart[frames - 1];
  for (let d = 0; d < previous.length; d++) {
    const alone = previous[d] < 0 && next[d] < 0;
    if (alone) {
      if (d >= frameStart[1] && d < lastFrame) counts.singles++;
      continue;
    }
    if (d >= frameStart[1] && previous[d] < 0) counts.starts++;
    if (d >= lastFrame) continue;
    if (next[d] < 0) {
      counts.mayEnd++;
      counts.ends++;
    } else {
      counts.mayEnd += frame[next[d]] - frame[d];
      counts.missed += frame[next[d]] - frame[d] - 1;
    }
  }
  return counts;
}

/** −ln of the local birth density and of the local chance to end. */
function localOdds(
  detections: Detections,
  field: Field,
  track: Int32Array,
  { previous, next }: Followed,
  divisions: Divisions,
): { odds: Odds; notes: string[] } {
  const { frames, frameStart } = detections;
  // Divisions have odds of their own.
  const divides = new Set(divisions.all.flatMap(({ mother, daughters }) => [mother, ...daughters]));
  const squares = squaresOf(detections, field);
  const marked = (is: (d: number) => boolean): Uint8Array => {
    const marks = new Uint8Array(track.length);
    for (let d = 0; d < marks.length; d++) if (is(d)) marks[d] = 1;
    return marks;
  };
  const linked = (d: number) => previous[d] >= 0 || next[d] >= 0;
  const among = (isEvent: (d: number) => boolean, mayBe: (d: number) => boolean) =>
    localShares(
      squares,
      track,
      marked(isEvent),
      marked((d) => linked(d) && mayBe(d)),
    );
  const start = among(
    (d) => previous[d] < 0 && !divides.has(d),
    (d) => d >= frameStart[1],
  );
  const end = among(
    (d) => next[d] < 0 && !divides.has(d),
    (d) => d < frameStart[frames - 1],
  );
  const density = localDensity(squares, frames, field, track);
  const birth = start.share.map((share, d) => -Math.log(share * density.density[d]));
  const death = end.share.map((share) => -Math.log(share));
  const ends = end.share;
  const range = (values: Float64Array) =>
    [0.05, 0.95].map((q) => (quantile(values, q) ?? 0).toPrecision(3)).join(" to ");
  return {
    odds: { birth, ends, at: (x, y) => ({ birth: -Math.log(start.at(x, y) * density.at(x, y)), ends: end.at(x, y) }) },
    notes: [
      `Starts cost ${range(birth)} and ends ${range(death)} nats (5 % to 95 % of the detections), by place: shares of starts ${strengthText(start.strength)}, of ends ${strengthText(end.strength)}.`,
    ],
  };
}

function strengthText(strength: number): string {
  return strength === Number.POSITIVE_INFINITY
    ? "equal everywhere"
    : `with the weight of ${strength} detections for the place around`;
}
