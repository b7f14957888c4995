import { median, range } from "d3-array";
import { axesOf, type Detections, distanceBetween } from "../../core/detections.js";
import { bindStudentT, lessTimes, minusLogDensity, scaleOf } from "../density/student.js";
import { bindLaw, type DivisionLaw, squareTo, TAIL } from "./division-law.js";
import { bindExpected, type Followed, isNext } from "./follow.js";
import type { Links, TrackCosts } from "./links.js";
import { bindDeviation, bindExpectation, type MotionModel } from "./model.js";

/** A target that seems to divide in tracks that know of no divisions: it is last seen as `mother`, and two new ones are first seen in the next frame. */
export interface Division {
  readonly mother: number;
  readonly daughters: readonly [number, number];
}

export interface Divisions {
  readonly all: readonly Division[];
  /** null where targets do not seem to divide. */
  readonly law: DivisionLaw | null;
}

export const NO_DIVISIONS: Divisions = { all: [], law: null };

/** Detections near a start that may be its sister, and ends near both that may be their mother. */
const NEAR = 6;
/**
 * Divisions are believed in only if this number of them is to be expected, if they are this share of all starts, and if they make the tracks
 * e^EVIDENCE times likelier: where targets divide, most tracks that start inside the field do so by that.
 */
const FEWEST = 5;
const LEAST_SHARE = 0.2;
const EVIDENCE = 10;
const ITERATIONS = 40;
/** The least scales of that, and of a daughter's distance from the middle, in scales of a step: one pair that fits exactly is no law. */
const LEAST_MIDDLE = 0.25;
const LEAST_APART = 0.5;
/** The least share of starts that are of no division. */
const LEAST_OTHERS = 0.05;

interface Candidate {
  readonly mother: number;
  readonly start: number;
  readonly sister: number;
  /** Cost of the mother's link to a daughter, less that of a first link after it. */
  readonly linked: number;
  /** Squared distance of both daughters' middle from the place where the mother would be; and half their distance. */
  readonly middle: number;
  readonly apart: number;
  probability: number;
}

/**
 * Whether targets divide (docs/explanation/motion.md §6). In tracks without divisions one daughter continues her mother's track by an odd step, and the other one
 * starts beside her. A division has the middle of both where the mother would be, by a law of its own, and both on either side of it. Its rate
 * and the two scales come from all starts by EM, each start being of a division of one of a few mothers or of none.
 */
export function findDivisions(detections: Detections, followed: Followed, model: MotionModel): Divisions {
  const { byStart, starts } = candidates(detections, followed, model);
  // EM comes to nothing from a scale far below the truth: where it does, it begins again from that of the likeliest mothers.
  const likely = byStart.map((some) => some.reduce((a, b) => (b.middle < a.middle ? b : a)).apart);
  for (const apart of [2 * scaleOf(model.step[0][0]), median(likely) ?? 0]) {
    const law = fitLaw(byStart, starts, apart, model, followed.previous);
    if (law !== null) return { all: likeliest(byStart.flat()), law };
  }
  return NO_DIVISIONS;
}

/** The law by EM from a first scale of the daughters' distance; null where targets do not seem to divide. The candidates have its costs and probabilities. */
function fitLaw(
  byStart: readonly (readonly Candidate[])[],
  starts: number,
  firstApart: number,
  model: MotionModel,
  previous: Int32Array,
): DivisionLaw | null {
  const [count, scale] = [previous.length, scaleOf(model.step[0][0])];
  let law: DivisionLaw = { rate: (0.5 * byStart.length) / count, middle: scale, apart: firstApart, evidence: 0 };
  /** The share of starts that are of no division: their rate is the cost of a start otherwise. */
  let others = 1;
  let expected = 0;
  for (let n = 0; n < ITERATIONS; n++) {
    const sums = weigh(byStart, law, others, model, previous);
    expected = sums.expected;
    if (expected < 1) return null;
    others = Math.max(LEAST_OTHERS, 1 - sums.daughters / starts);
    law = {
      rate: expected / count,
      middle: Math.max(LEAST_MIDDLE * scale, Math.sqrt(sums.middle / expected)),
      apart: Math.max(LEAST_APART * scale, Math.sqrt(sums.apart / expected)),
      evidence: sums.evidence,
    };
  }
  if (expected < Math.max(FEWEST, LEAST_SHARE * starts) || law.evidence < EVIDENCE) return null;
  // Daughters lie on either side of their mother: two that start side by side somewhere else are a group that enters.
  return law.middle > law.apart ? null : law;
}

/** The expectation of EM: writes each candidate's probability, and sums for the next law. */
function weigh(
  byStart: readonly (readonly Candidate[])[],
  { rate, middle, apart }: DivisionLaw,
  others: number,
  model: MotionModel,
  previous: Int32Array,
) {
  const axes = model.drift.length;
  const law = bindLaw({ rate, middle, apart, evidence: 0 }, axes);
  // Otherwise one daughter goes on with the mother's track, or that ends; in each case there are starts.
  const birth = -Math.log(model.births * others);
  const death = -Math.log(model.ends);
  const sums = { middle: 0, apart: 0, daughters: 0, expected: 0, evidence: 0 };
  for (const some of byStart) {
    const odds = some.map((one) => {
      // Of both daughters' places: a start beside a target that goes on as usual is no reason to believe in divisions.
      const cost = law.both(one.middle, one.apart * one.apart);
      return Math.exp(Math.min(100, Math.min(birth + one.linked, 2 * birth + death) - cost));
    });
    const total = 1 + odds.reduce((sum, value) => sum + value, 0);
    sums.evidence += Math.log(total);
    some.forEach((one, at) => {
      one.probability = odds[at] / total;
      sums.expected += one.probability;
      sums.daughters += one.probability * (previous[one.sister] < 0 ? 2 : 1);
      const weight = (TAIL + axes) / (TAIL + one.middle / (middle * middle));
      sums.middle += (one.probability * weight * one.middle) / axes;
      sums.apart += (one.probability * one.apart * one.apart) / axes;
    });
  }
  return sums;
}

/** Each detection is part of one division at most, the likeliest one. */
function likeliest(all: Candidate[]): Division[] {
  const used = new Set<number>();
  const found: Division[] = [];
  for (const { mother, start, sister, probability } of all.sort((a, b) => b.probability - a.probability)) {
    if (probability <= 0.5) break;
    if ([mother, start, sister].some((d) => used.has(d))) continue;
    for (const d of [mother, start, sister]) used.add(d);
    found.push({ mother, daughters: [start, sister] });
  }
  return found;
}

/** The divisions that each start may be of, and the number of starts. */
function candidates(detections: Detections, followed: Followed, model: MotionModel) {
  const { frames, frameStart } = detections;
  const axes = axesOf(detections);
  const { previous, next } = followed;
  const candidate = bindCandidate(detections, followed, model);
  const isStart = (d: number) => previous[d] < 0 && next[d] >= 0;
  /** The detections nearest to a place, a few. */
  const nearest = (some: readonly number[], place: readonly number[]): number[] =>
    some
      .map((d) => ({ d, far: Math.hypot(...axes.map((axis, n) => axis[d] - place[n])) }))
      .sort((one, other) => one.far - other.far)
      .slice(0, NEAR)
      .map(({ d }) => d);
  const byStart: Candidate[][] = [];
  let starts = 0;
  for (let p = 0; p + 1 < frames; p++) {
    const inFrame = (q: number) => range(frameStart[q], frameStart[q + 1]);
    const ended = inFrame(p).filter((i) => next[i] < 0);
    for (let one = frameStart[p + 1]; one < frameStart[p + 2]; one++) {
      if (!isStart(one)) continue;
      starts++;
      const sisters = inFrame(p + 1).filter(
        (other) => other !== one && (isNext(followed, previous[other], other) || (isStart(other) && other > one)),
      );
      const at = axes.map((axis) => axis[one]);
      const some = nearest(sisters, at).flatMap((other) => {
        const middle = axes.map((axis) => 0.5 * (axis[one] + axis[other]));
        const mothers = previous[other] >= 0 ? [previous[other]] : nearest(ended, middle);
        return mothers.map((mother) => candidate(mother, one, other));
      });
      if (some.length > 0) byStart.push(some);
    }
  }
  return { byStart, starts };
}

function bindCandidate(detections: Detections, followed: Followed, model: MotionModel) {
  const axes = axesOf(detections);
  const distance = distanceBetween(detections, detections);
  const { previous, next } = followed;
  const [prior, step] = [bindStudentT(model.prior[0]), bindStudentT(model.step[0][0])];
  const rho = model.persistence[0][0];
  const expected = bindExpected(detections, followed, model);
  const deviation = bindDeviation(detections, model);
  /** −ln of the density of the link from i to j, after h. */
  const move = (h: number, i: number, j: number): number => {
    const [x, y, z] = deviation(i, j, 1);
    if (!isNext(followed, h, i)) return minusLogDensity(prior, x, y, z);
    return minusLogDensity(step, ...lessTimes([x, y, z ?? 0], rho, deviation(h, i, 1)));
  };
  const linked = (i: number, k: number): number => {
    const j = next[k];
    const onward = isNext(followed, k, j) ? move(i, k, j) - move(-1, k, j) : 0;
    return move(previous[i], i, k) + onward - Math.log1p(-model.ends);
  };
  return (mother: number, one: number, other: number): Candidate => {
    const at = expected(mother, 1, previous[mother], mother);
    const middle = squareTo(
      axes.map((axis) => 0.5 * (axis[one] + axis[other])),
      at,
    );
    const apart = 0.5 * distance(other, one);
    const isLinked = previous[other] === mother;
    const least = isLinked ? linked(mother, other) : Math.min(linked(mother, other), linked(mother, one));
    return { mother, start: one, sister: other, linked: least, middle, apart, probability: 0 };
  };
}

/** Links of second daughters, in order of mothers and daughters. */
export interface PricedDivisions {
  readonly mother: Int32Array;
  readonly daughter: Int32Array;
  readonly cost: Float64Array;
}

/**
 * What a second daughter costs beside her mother's link to the first one, along each link to the next frame, where that is less than a start. The first one is taken to be at the end of the likeliest other link, so that
 * it depends on the two frames alone. (Who follows the mother in the tracks before is no better a guess: lab/notes/lineages.md.)
 * @param links of one frame
 */
export function priceDivisions(
  detections: Detections,
  { tail, head, prior }: Pick<Links, "tail" | "head" | "prior">,
  model: MotionModel,
  { ends, single }: TrackCosts,
  law: DivisionLaw,
): PricedDivisions | null {
  if (ends === null) return null;
  const axes = axesOf(detections);
  const distance = distanceBetween(detections, detections);
  const density = bindLaw(law, axes.length);
  const expectation = bindExpectation(detections, model);
  const u = new Float64Array(3);
  const found: { mother: number; daughter: number; cost: number }[] = [];
  for (let from = 0, to = 0; from < tail.length; from = to) {
    const i = tail[from];
    while (to < tail.length && tail[to] === i) to++;
    const [first, other] = range(from, to).sort((e, f) => prior[e] - prior[f]);
    if (other === undefined) continue;
    expectation(i, i, u);
    const at = axes.map((axis, n) => axis[i] + u[n]);
    for (let e = from; e < to; e++) {
      const [j, k] = [head[e === first ? other : first], head[e]];
      const placeOf = (d: number) => axes.map((axis) => axis[d]);
      const middle = axes.map((axis) => 0.5 * (axis[j] + axis[k]));
      const both = density.both(squareTo(middle, at), 0.25 * distance(j, k) ** 2);
      const cost = both - density.one(squareTo(placeOf(j), at));
      if (cost - 0.5 * single[k] < ends.birth[k]) found.push({ mother: i, daughter: k, cost });
    }
  }
  return {
    mother: Int32Array.from(found, ({ mother }) => mother),
    daughter: Int32Array.from(found, ({ daughter }) => daughter),
    cost: Float64Array.from(found, ({ cost }) => cost),
  };
}
