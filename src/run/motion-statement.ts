import type { BirthDeath } from "../costs/births.js";
import { type Matrix, type StudentT, scaleOf, traceOf } from "../costs/density/student.js";
import type { DivisionLaw } from "../costs/motion/division-law.js";
import type { Evidence, MotionFit } from "../costs/motion/fit.js";
import type { Gaps } from "../costs/motion/gaps.js";
import type { MotionModel } from "../costs/motion/model.js";
import { type CostRange, type Odds, rangeOf } from "../costs/motion/odds.js";
import type { PricedMotion } from "../costs/motion/price-motion.js";
import { WORTH_A_TRY } from "../costs/motion/reduced-costs.js";
import { priorWords, type StatedPriors } from "../costs/motion/stated-priors.js";

/** The problem that was priced by a fit, as far as words speak of it. */
export interface Told {
  readonly pass: number;
  /** Whether velocities are not measured. */
  readonly positionsAlone: boolean;
  readonly birthDeath: BirthDeath;
  /** Whether gaps are to be closed, and are not yet. */
  readonly gapsOpen: boolean;
  /** Candidates a detection; null where a gate was stated. */
  readonly nearest: number | null;
  /** Candidates of one frame, and over several, and the pass in which the latter were chosen; null where there are none. */
  readonly near: number;
  readonly over: { readonly considered: number; readonly pass: number } | null;
  readonly priced: PricedMotion;
  /** The part of the recording that the first passes were about; null where that was all. */
  readonly learned: { readonly detections: number; readonly frames: number } | null;
  /** What the user states. */
  readonly priors: StatedPriors;
}

/** The choices, a line each: how targets move, where tracks start and end, and which links take part. */
export interface MotionChoices {
  readonly motion: string;
  readonly ends: string;
  readonly candidates: string;
}

/** A fit and its problem in words: the choices, and the evidence of each estimate in a sentence. */
export function statement(fit: MotionFit, told: Told): { choices: MotionChoices; estimates: string[] } {
  const { model, odds, gaps, divisions, evidence } = fit;
  const missed = model.missed > 0 ? `, ${(100 * model.missed).toPrecision(2)} % of detections being missed` : "";
  const dividing =
    divisions.priced && divisions.all.length > 0
      ? `; a second link out of a detection is a division, as ${divisions.all.length} targets seemed to divide`
      : "";
  const open = "gaps are left open, since the run was ended before they were closed";
  // A fit to too few links leaves the model of the pass before, which has links of one frame alone.
  const unknown = gaps.spans > 1 && model.prior.length === 1;
  const closed = unknown ? "gaps are left open, as there are too few links to learn from" : gapWords(gaps);
  return {
    choices: {
      motion: `${told.positionsAlone ? "positions alone, " : ""}pass ${told.pass}: ${modelWords(model)}`,
      ends: `${oddsWords(told.birthDeath, odds)}; ${told.gapsOpen ? open : closed}${missed}${dividing}`,
      candidates: candidateWords(told),
    },
    estimates: [
      ...priorWords(told.priors),
      ...evidenceWords(evidence),
      ...(divisions.priced && divisions.law !== null ? [divisionWords(divisions.all.length, divisions.law)] : []),
      ...(unknown ? [] : returnWords(gaps)),
      ...(told.learned === null
        ? []
        : [
            `Gaps, and the costs of the first passes, estimated from ${told.learned.detections} detections of the ${told.learned.frames} frames in the middle.`,
          ]),
    ],
  };
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function modelWords({ drift, velocityWeight, prior, step, persistence }: MotionModel): string {
  const density = (t: StudentT) => {
    const wide = t.wide && `, ${digits(100 * t.wide.share)} % of them ${digits(t.wide.times)} times as wide`;
    return `${digits(scaleOf(t))} (ν = ${t.tail}${wide ?? ""})`;
  };
  const expected =
    velocityWeight > 0
      ? `${velocityWeight} of the velocity in the input`
      : `the drift (${drift.map(digits).join(", ")}) a frame`;
  return `links about ${expected}, scale ${density(prior[0])}; each next one about ${digits(traceOf(persistence[0][0]) / drift.length)} of the one before, scale ${density(step[0][0])}`;
}

/** Starts and ends, as stated or by odds. */
function oddsWords(birthDeath: BirthDeath, { birth, ends }: Odds): string {
  if (birthDeath === "none") return "no track starts or ends inside";
  if (birthDeath !== "auto") return `starts cost ${birthDeath.birth}, ends ${birthDeath.death} as stated`;
  const range = (values: Float64Array) => {
    const { low, high } = rangeOf(values);
    const [from, to] = [low.toPrecision(3), high.toPrecision(3)];
    return from === to ? from : `${from} to ${to}`;
  };
  return `starts cost ${range(birth)}, ends ${range(ends.map((p) => -Math.log(p)))} nats by place`;
}

function gapWords({ spans, asked, returns, seen }: Gaps): string {
  if (returns === null) return "missed detections were not looked for, which takes two passes and tracks that may end";
  if (asked === 0) return "no gaps are closed, as asked";
  if (asked !== null) return `gaps of up to ${asked} ${asked === 1 ? "frame" : "frames"} are closed, as asked`;
  if (!seen)
    return "gaps of one frame are closed where that is far likelier, since tracks that end hardly ever come back";
  return `gaps of ${gapLength(spans)} are closed`;
}

function gapLength(spans: number): string {
  return spans === 2 ? "one frame" : `up to ${spans - 1} frames`;
}

function returnWords({ spans, asked, returns, seen }: Gaps): string[] {
  if (returns === null || asked === 0) return [];
  const counted = returns.map((more, n) => `${Math.max(0, more).toFixed(0)} after ${n + 1}`).join(", ");
  const came = `tracks that end come back ${counted} missed frames more often than by chance`;
  if (asked !== null) return [`Gaps of up to ${asked} frames as asked; ${came}.`];
  if (!seen) return [`Missed detections are assumed to be rare: ${came}.`];
  return [`Gaps of ${gapLength(spans)} are closed: ${came}.`];
}

function candidateWords({ nearest, near, over, priced }: Told): string {
  const { triplets, birthDeath, kept, considered } = priced;
  const far = kept.span.reduce((sum, span) => sum + (span > 1 ? 1 : 0), 0);
  // A placeholder has one triplet, which is no continuation of links.
  const placeholders = kept.span.reduce((sum, span) => sum + span - 1, 0);
  const stored = (triplets?.kind === "csr" ? triplets.cost.length : 0) - placeholders;
  const which = nearest === null ? "those within the gate" : `the ${nearest} likeliest of each detection`;
  const dropped = birthDeath === null ? "" : ", the rest being no cheaper than an end and a start";
  const chosen =
    over === null || over.considered === 0
      ? ""
      : `; ${far} of ${over.considered} links over missed frames, those within ${WORTH_A_TRY} nats of paying in pass ${over.pass}`;
  return `${kept.span.length - far} of ${near} links (${which}) and ${stored} of ${considered} triplets${dropped}${chosen}`;
}

function evidenceWords(evidence: Evidence): string[] {
  const { pairs } = evidence;
  if (evidence.from === "too few")
    return [`Too few links to learn from (${pairs}): the estimate of the pass before stays.`];
  const { chains } = evidence;
  if (evidence.from === "nearest") {
    const how = evidence.voted
      ? "the displacement that most pairs of detections share"
      : "the median of mutually nearest pairs";
    return [
      `First estimate of the motion from ${pairs} mutually nearest pairs and ${chains} chains of two; drift ${how}.`,
    ];
  }
  const { starts, ends } = evidence;
  const range = ({ low, high }: CostRange) => `${low.toPrecision(3)} to ${high.toPrecision(3)}`;
  const strength = ({ strength }: CostRange) =>
    strength === Number.POSITIVE_INFINITY
      ? "equal everywhere"
      : `with the weight of ${strength} detections for the place around`;
  return [
    `Motion estimated from ${pairs} links and ${chains} chains of two of the pass before.`,
    `Starts cost ${range(starts)} and ends ${range(ends)} nats (5 % to 95 % of the detections), by place: shares of starts ${strength(starts)}, of ends ${strength(ends)}.`,
  ];
}

function divisionWords(count: number, { rate, middle, apart, evidence }: DivisionLaw): string {
  return (
    `${count} targets seemed to divide: ${digits(100 * rate)} % a frame, daughters ${digits(apart)} (root mean square an axis) from their middle, ` +
    `which is ${digits(middle)} from where the mother would be; the tracks of the pass before are e^${evidence.toFixed(0)} times likelier with divisions.`
  );
}

/** The model's numbers, for result.json. */
export function motionNumbers(model: MotionModel): Record<string, number> {
  const numbers: Record<string, number> = {
    driftX: model.drift[0],
    driftY: model.drift[1],
    ...(model.drift.length === 3 && { driftZ: model.drift[2] }),
    velocityWeight: model.velocityWeight,
    births: model.births,
    ends: model.ends,
    missed: model.missed,
    clutter: model.clutter,
  };
  const addMatrix = (name: string, matrix: Matrix) => {
    for (const entry of ["xx", "xy", "yy", "xz", "yz", "zz"] as const) {
      const value = matrix[entry];
      if (value !== undefined) numbers[`${name}.${entry}`] = value;
    }
  };
  const add = (name: string, density: StudentT) => {
    const { tail, wide } = density;
    numbers[`${name}.tail`] = tail;
    addMatrix(name, density);
    Object.assign(numbers, wide && { [`${name}.wideShare`]: wide.share, [`${name}.wideTimes`]: wide.times });
  };
  model.prior.forEach((prior, a) => {
    add(`prior${a + 1}`, prior);
  });
  model.step.forEach((row, a) => {
    row.forEach((step, b) => {
      add(`step${a + 1}${b + 1}`, step);
      addMatrix(`persistence${a + 1}${b + 1}`, model.persistence[a][b]);
    });
  });
  return numbers;
}
