import { InputError } from "../errors.js";
import type { BirthDeathCosts, PricedProblem, PricedTriplets } from "../map/priced.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../parallel/shared-arrays.js";
import type { MovingDetections } from "./cost.js";
import { COST_MODELS, type CostName } from "./cost-models.js";
import type { Detections } from "./detections.js";
import { type Gate, gateReach } from "./gate.js";
import { countLinks, fillLinks, fillTriplets } from "./price.js";
import type { Noise } from "./trajectories.js";

export interface ScoringParameters {
  readonly cost: CostName;
  readonly gate: Gate;
  /** Costs of a track's start and end, "none" when every detection must be linked in every frame pair. */
  readonly birthDeath: { readonly birth: number; readonly death: number } | "none";
  /** Noise of the measurements where it is known. */
  readonly noise?: Noise;
}

export interface ScoredProblem extends PricedProblem {
  readonly triplets: PricedTriplets;
  /** ℓ_e of each link when D_ef = |ℓ_e − ℓ_f|, else null. */
  readonly linkLength: Float64Array | null;
  /** What was assumed or estimated on the way, for the user to read. */
  readonly notes: readonly string[];
}

/** Largest index a Uint32Array can hold. */
const MOST = 0xffffffff;

/**
 * Prices every gated link and every continuation of two links. All arrays lie in shared memory.
 *
 * @throws InputError when the detections lack what the cost needs, or links or triplets do not fit 32-bit numbering
 */
export async function scoreDetections(detections: Detections, parameters: ScoringParameters): Promise<ScoredProblem> {
  const { vx, vy, frames, frameStart } = detections;
  if (vx === null || vy === null) throw new InputError(`cost ${parameters.cost}: the detections have no velocities`);
  const moving: MovingDetections = { ...detections, vx, vy };
  const model = COST_MODELS[parameters.cost];
  const candidates = { detections: moving, reach: gateReach(moving, parameters.gate) };
  const cost = model.bind(moving, []);

  const outDegree = sharedUint32(frameStart[frames]);
  countLinks(candidates, 0, frames - 1, outDegree);
  const outStart = runningSum(outDegree, "links");
  const count = outStart[outDegree.length];
  const links = {
    outStart,
    tail: sharedInt32(count),
    head: sharedInt32(count),
    cost: sharedFloat64(count),
    perLink: sharedFloat64(count * model.width),
  };
  fillLinks(candidates, cost, model.width, 0, frames - 1, links);

  const start = runningSum(links.head, "triplets", (j) => outDegree[j]);
  const triplets = { start, successor: sharedUint32(start[count]), cost: sharedFloat64(start[count]) };
  fillTriplets(cost, model.width, 0, count, links, triplets);
  return {
    links: { frameStart, tail: links.tail, head: links.head, cost: links.cost },
    triplets,
    birthDeath: birthDeathCosts(parameters, outDegree.length),
    linkLength: model.factors ? links.perLink : null,
    notes: [],
  };
}

function birthDeathCosts({ birthDeath }: ScoringParameters, detections: number): BirthDeathCosts | null {
  if (birthDeath === "none") return null;
  return {
    birth: sharedFloat64(detections).fill(birthDeath.birth),
    death: sharedFloat64(detections).fill(birthDeath.death),
  };
}

/** 0, then the sums of the first 1, 2, … values. */
function runningSum(values: ArrayLike<number>, what: string, value = (v: number) => v): Uint32Array {
  const sums = sharedUint32(values.length + 1);
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += value(values[i]);
    if (sum > MOST) throw new InputError(`more than ${MOST} ${what} pass the gate: choose a narrower one`);
    sums[i + 1] = sum;
  }
  return sums;
}
