import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { floorOf, medianSpacing } from "./first-estimate.js";
import { bindExpectation, type Field, fieldOf, type MotionModel } from "./model.js";
import { localDensity, localShares } from "./odds.js";
import { fitStudentT, type StudentT } from "./student.js";

/** What a start and an end of a track cost at each detection, and a track of one; nats, length detections. */
export interface Odds {
  readonly birth: Float64Array;
  readonly death: Float64Array;
}

export interface Reestimate {
  readonly model: MotionModel;
  readonly odds: Odds;
  readonly notes: readonly string[];
}

export interface ReestimateOptions {
  /** Fit ρ as well; on poor tracks it goes astray, so not from the first solution. */
  readonly persistence: boolean;
}

/** Values of ρ that are tried: with G_b of the later link as a factor. */
const PERSISTENCE = [1, 0.97, 0.9, 0.8, 0.6, 0.4, 0.2, 0, -0.2, -0.4];
/** ω that are tried where velocities are measured. */
const VELOCITY_WEIGHTS = [0, 0.5, 1];

/** Samples that a density is fitted to at most, evenly taken from all. */
const SAMPLES = 20_000;
/** From fewer samples nothing is fitted. */
const FEWEST = 12;

/** Two links of a track in a row, by their three detections. */
interface Chain {
  readonly i: number;
  readonly j: number;
  readonly k: number;
}

/**
 * The model that makes given tracks most likely, density by density, and what starts and ends cost where (odds.ts). Tracks are numbers,
 * one a detection, from 0; a track has at most one detection in a frame.
 */
export function reestimate(
  detections: Detections,
  track: Int32Array,
  before: MotionModel,
  { persistence }: ReestimateOptions,
): Reestimate {
  const { frames, x, y, vx } = detections;
  const { previous, next, frame } = follow(detections, track);
  const pairs: [number, number][] = [];
  const chains: Chain[] = [];
  for (let j = 0; j < x.length; j++) {
    const i = previous[j];
    if (i < 0 || frame[j] !== frame[i] + 1) continue;
    pairs.push([i, j]);
    const k = next[j];
    if (k >= 0 && frame[k] === frame[j] + 1) chains.push({ i, j, k });
  }
  if (pairs.length < FEWEST) {
    const notes = [`Too few links to learn from (${pairs.length}): the estimate of the pass before stays.`];
    return { model: before, odds: constantOdds(before, x.length), notes };
  }

  const drift: [number, number] = [
    quantile(pairs, 0.5, ([i, j]) => x[j] - x[i]) ?? 0,
    quantile(pairs, 0.5, ([i, j]) => y[j] - y[i]) ?? 0,
  ];
  const typical = quantile(pairs, 0.5, ([i, j]) => Math.hypot(x[j] - x[i], y[j] - y[i])) ?? 0;
  const spacing = medianSpacing(detections);
  const floor = floorOf(typical, spacing);

  /** Fits step to z_jk − ρ z_ij for one ω and all ρ that are tried. */
  const fitStep = (velocityWeight: number) => {
    const z = bindDeviation(detections, { drift, velocityWeight }, frame);
    const sampled = thinned(chains).map(({ i, j, k }) => [...z(i, j), ...z(j, k)]);
    const tried = persistence ? PERSISTENCE : [velocityWeight > 0 ? 0 : 1];
    const fits = tried.map((rho) => ({
      velocityWeight,
      rho,
      ...fitStudentT(
        sampled.map(([ax, , bx]) => bx - rho * ax),
        sampled.map(([, ay, , by]) => by - rho * ay),
        floor,
      ),
    }));
    return fits.reduce((best, fit) => (fit.logLikelihood > best.logLikelihood ? fit : best));
  };
  const weights = vx === null ? [0] : VELOCITY_WEIGHTS;
  const enough = chains.length >= FEWEST;
  const step = enough
    ? weights.map(fitStep).reduce((best, fit) => (fit.logLikelihood > best.logLikelihood ? fit : best))
    : null;
  const velocityWeight = step?.velocityWeight ?? before.velocityWeight;
  const z = bindDeviation(detections, { drift, velocityWeight }, frame);
  const first = thinned(pairs).map(([i, j]) => z(i, j));
  const prior = fitStudentT(
    first.map(([dx]) => dx),
    first.map(([, dy]) => dy),
    floor,
  ).density;

  const field = fieldOf(detections, spacing > 0 ? spacing : 1);
  const counts = countEnds(detections, previous, next);
  const area = field.width * field.height;
  const model: MotionModel = {
    drift,
    velocityWeight,
    prior: [prior],
    step: [[step?.density ?? (before.step[0][0] as StudentT)]],
    persistence: [[step?.rho ?? before.persistence[0][0]]],
    births: (counts.starts + 0.5) / (Math.max(1, frames - 1) * area),
    ends: (counts.ends + 0.5) / (counts.mayEnd + 20),
    missed: before.missed,
    clutter: (counts.singles + 0.5) / (Math.max(1, frames - 2) * area),
  };
  const { odds, notes } = localOdds(detections, field, track, previous, next);
  return {
    model,
    odds,
    notes: [
      `Motion estimated from ${pairs.length} links and ${chains.length} chains of two of the pass before.`,
      ...notes,
    ],
  };
}

/** The same everywhere. */
export function constantOdds({ births, ends }: MotionModel, detections: number): Odds {
  return {
    birth: new Float64Array(detections).fill(-Math.log(births)),
    death: new Float64Array(detections).fill(-Math.log(ends)),
  };
}

/** The detections before and after each one in its track, −1 for none, and each one's frame. */
function follow({ frames, frameStart }: Detections, track: Int32Array) {
  const previous = new Int32Array(track.length).fill(-1);
  const next = new Int32Array(track.length).fill(-1);
  const frame = new Uint32Array(track.length);
  const last = new Map<number, number>();
  for (let p = 0; p < frames; p++) {
    frame.fill(p, frameStart[p], frameStart[p + 1]);
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const before = last.get(track[d]);
      if (before !== undefined) {
        previous[d] = before;
        next[before] = d;
      }
      last.set(track[d], d);
    }
  }
  return { previous, next, frame };
}

/** z of the link from i to j. */
function bindDeviation(
  detections: Detections,
  model: Pick<MotionModel, "drift" | "velocityWeight">,
  frame: Uint32Array,
): (i: number, j: number) => [number, number] {
  const { x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const u = new Float64Array(2);
  return (i, j) => {
    expectation(i, j, u);
    const span = frame[j] - frame[i];
    return [x[j] - x[i] - span * u[0], y[j] - y[i] - span * u[1]];
  };
}

function thinned<T>(all: readonly T[]): readonly T[] {
  const every = Math.ceil(all.length / SAMPLES);
  return every <= 1 ? all : all.filter((_, n) => n % every === 0);
}

/** Tracks of one are neither starts nor ends. */
function countEnds({ frames, frameStart }: Detections, previous: Int32Array, next: Int32Array) {
  const counts = { starts: 0, ends: 0, singles: 0, mayEnd: 0 };
  const lastFrame = frameStart[frames - 1];
  for (let d = 0; d < previous.length; d++) {
    const alone = previous[d] < 0 && next[d] < 0;
    if (alone) {
      if (d >= frameStart[1] && d < lastFrame) counts.singles++;
      continue;
    }
    if (d >= frameStart[1] && previous[d] < 0) counts.starts++;
    if (d >= lastFrame) continue;
    counts.mayEnd++;
    if (next[d] < 0) counts.ends++;
  }
  return counts;
}

/** −ln of the local birth density and of the local chance to end. */
function localOdds(
  detections: Detections,
  field: Field,
  track: Int32Array,
  previous: Int32Array,
  next: Int32Array,
): { odds: Odds; notes: string[] } {
  const { frames, frameStart } = detections;
  const linked = previous.map((before, d) => (before >= 0 || next[d] >= 0 ? 1 : 0));
  const among = (isEvent: (d: number) => boolean, mayBe: (d: number) => boolean) =>
    localShares(
      detections,
      field,
      track,
      Uint8Array.from(track, (_, d) => (isEvent(d) ? 1 : 0)),
      Uint8Array.from(track, (_, d) => (linked[d] === 1 && mayBe(d) ? 1 : 0)),
    );
  const start = among(
    (d) => previous[d] < 0,
    (d) => d >= frameStart[1],
  );
  const end = among(
    (d) => next[d] < 0,
    (d) => d < frameStart[frames - 1],
  );
  const density = localDensity(detections, field, track);
  const birth = start.share.map((share, d) => -Math.log(share * density[d]));
  const death = end.share.map((share) => -Math.log(share));
  const range = (values: Float64Array) =>
    [0.05, 0.95].map((q) => (quantile(values, q) ?? 0).toPrecision(3)).join(" to ");
  return {
    odds: { birth, death },
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
