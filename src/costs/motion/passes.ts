import type { Detections } from "../../core/detections.js";
import { sharedFloat64 } from "../../core/shared-arrays.js";
import type { BirthDeathCosts, PricedProblem } from "../../map/instance/priced.js";
import { type BirthDeath, constantBirthDeath } from "../births.js";
import { type Gate, gateReach } from "../gate.js";
import { estimateVelocities } from "../velocity.js";
import { constantOdds, type Odds, reestimate } from "./estimate.js";
import { firstEstimate } from "./first-estimate.js";
import type { MotionModel } from "./model.js";
import { priceMotion } from "./price-motion.js";
import { type StudentT, scaleOf } from "./student.js";

/** Passes that are made where nothing else is asked for: with ρ = 1 until the second has found tracks. */
export const DEFAULT_PASSES = 3;

/** A problem priced by a motion model, and the way to the next. */
export interface MotionPass extends PricedProblem {
  /** From 1. */
  readonly pass: number;
  readonly model: MotionModel;
  /** What was estimated or left out, for the user to read. */
  readonly notes: readonly string[];
  /** The problem priced anew by what tracks of this one tell; `track` numbers them, one a detection, from 0. */
  refine(track: Int32Array): MotionPass;
}

export interface MotionParameters {
  readonly gate: Gate;
  readonly birthDeath: BirthDeath;
}

/** The first pass: a model from detections alone. */
export function firstPass(detections: Detections, parameters: MotionParameters): MotionPass {
  const { model, notes } = firstEstimate(detections);
  return pricePass(detections, parameters, 1, model, constantOdds(model, detections.x.length), notes);
}

function pricePass(
  detections: Detections,
  parameters: MotionParameters,
  pass: number,
  model: MotionModel,
  odds: Odds,
  estimated: readonly string[],
): MotionPass {
  const birthDeath = birthDeathOf(parameters.birthDeath, odds);
  const { links, triplets, considered } = priceMotion(
    detections,
    model,
    birthDeath,
    reachOf(detections, parameters.gate),
  );
  const dropped = considered.links - links.tail.length;
  const notes = [
    ...(detections.vx === null ? ["Velocities not measured: positions alone tell how targets move."] : []),
    `Pass ${pass}: ${describe(model)}`,
    ...estimated,
    `${dropped} of ${considered.links} links and ${considered.triplets - triplets.cost.length} of ${considered.triplets} triplets were dropped, since ending and starting tracks there is never dearer.`,
  ];
  return {
    links,
    triplets,
    birthDeath,
    pass,
    model,
    notes: birthDeath === null ? notes.slice(0, -1) : notes,
    refine(track) {
      const next = reestimate(detections, track, model, { persistence: pass >= 2 });
      return pricePass(detections, parameters, pass + 1, next.model, next.odds, next.notes);
    },
  };
}

function birthDeathOf(asked: BirthDeath, { birth, death }: Odds): BirthDeathCosts | null {
  if (asked === "none") return null;
  if (asked !== "auto") return constantBirthDeath(birth.length, asked.birth, asked.death);
  const shared = { birth: sharedFloat64(birth.length), death: sharedFloat64(death.length) };
  shared.birth.set(birth);
  shared.death.set(death);
  return shared;
}

/** Greatest length of a link from each detection where the user states a gate; null leaves it to the model. */
function reachOf(detections: Detections, gate: Gate): Float64Array | null {
  if (gate === "auto") return null;
  const { vx, vy } = detections;
  if (vx !== null && vy !== null) return gateReach({ ...detections, vx, vy }, gate);
  const { detections: moving, typicalSpeed } = estimateVelocities(detections);
  return gateReach(moving, gate, typicalSpeed);
}

/** The model in a line. */
function describe({ drift, velocityWeight, prior, step, persistence }: MotionModel): string {
  const digits = (value: number) => String(Number(value.toPrecision(3)));
  const density = (t: StudentT) => `${digits(scaleOf(t))} (tail ν = ${t.tail})`;
  const expected =
    velocityWeight > 0
      ? `${velocityWeight} of the measured velocity`
      : `the drift (${drift.map(digits).join(", ")}) a frame`;
  return `links about ${expected} with scale ${density(prior[0])}; each next one about ${digits(persistence[0][0])} of the one before with scale ${density(step[0][0])}.`;
}

/** The model's numbers, for result.json. */
export function motionNumbers(model: MotionModel): Record<string, number> {
  const numbers: Record<string, number> = {
    driftX: model.drift[0],
    driftY: model.drift[1],
    velocityWeight: model.velocityWeight,
    births: model.births,
    ends: model.ends,
    missed: model.missed,
    clutter: model.clutter,
  };
  const add = (name: string, { tail, xx, xy, yy }: StudentT) =>
    Object.assign(numbers, { [`${name}.tail`]: tail, [`${name}.xx`]: xx, [`${name}.xy`]: xy, [`${name}.yy`]: yy });
  model.prior.forEach((prior, a) => {
    add(`prior${a + 1}`, prior);
  });
  model.step.forEach((row, a) => {
    row.forEach((step, b) => {
      add(`step${a + 1}${b + 1}`, step);
      numbers[`persistence${a + 1}${b + 1}`] = model.persistence[a][b];
    });
  });
  return numbers;
}
