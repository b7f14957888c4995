import { squareBetween } from "../core/detections.js";
import type { Work } from "../core/team-work.js";
import { type CellGrid, gridsOfFrames } from "./cell-grid.js";
import { type BoundCost, type CostModel, type MovingDetections, ruleOf, tripletCostOf } from "./cost.js";
import { PENALTY } from "./gate.js";
import type { ModelSource } from "./model-source.js";
import type { ParameterValues } from "./parameters.js";

/** The input of every pass; plain data, so that it can be sent to a worker. */
export interface Pricing {
  readonly detections: MovingDetections;
  /** Length detections: a link i → j needs |p_i p_j| < reach_i. */
  readonly reach: Float64Array;
  /** Length detections: a triplet from i costs PENALTY more unless both legs are shorter; null: no triplet does. */
  readonly tripletReach: Float64Array | null;
  readonly cost: ModelSource;
  readonly constants: readonly number[];
  /** The values of all parameters of the cost. */
  readonly parameters: ParameterValues;
}

/** Links in order of (tail, head); those of detection i are outStart[i] … outStart[i + 1] − 1. */
export interface LinkArrays {
  readonly outStart: Uint32Array;
  readonly tail: Int32Array;
  readonly head: Int32Array;
  readonly cost: Float64Array;
  /** The numbers that the cost keeps per link. */
  readonly perLink: Float64Array;
}

export interface TripletArrays {
  /** Length links + 1. */
  readonly rowStart: Uint32Array;
  readonly successor: Uint32Array;
  readonly cost: Float64Array;
}

/**
 * One of the three passes that price a problem: over `size` detections in the first two, over links in the third. Every detection and every
 * link writes to its own places, so neither blocks nor their order change a byte.
 */
export type PricingPass = Pricing & { readonly size: number } & (
    | { readonly pass: "count"; readonly outDegree: Uint32Array }
    | { readonly pass: "links"; readonly links: LinkArrays }
    | { readonly pass: "triplets"; readonly links: LinkArrays; readonly triplets: TripletArrays }
  );

/** A part of a pass, over first … last − 1. */
interface Part extends Pricing {
  readonly first: number;
  readonly last: number;
  readonly gridOf: (frame: number) => CellGrid;
}

/** Blocks of detections or links in each pass: many more than threads, since the first frames are crowded. */
export const BLOCKS = 256;

/**
 * A pass on one thread: an item is a block.
 * @param model named by `pass.cost`
 */
export function price(pass: PricingPass, model: CostModel): Work {
  const bound = model.bind(pass.detections, pass.constants, pass.parameters);
  const gridOf = gridsOfFrames(pass.detections);
  const rule = ruleOf(model, pass.parameters, pass.detections.timeStep);
  return (_, block) => {
    const [first, last] = [block, block + 1].map((k) => Math.floor((k * pass.size) / BLOCKS));
    const part = { ...pass, first, last, gridOf };
    if (pass.pass === "count") countLinks(part, pass.outDegree);
    else if (pass.pass === "links") fillLinks(part, bound, model.width, pass.links);
    else fillTriplets(part, tripletCostOf(rule, bound), model.width, pass.links, pass.triplets);
  };
}

/** Pass 1: the number of links that leave each detection. */
function countLinks(task: Part, outDegree: Uint32Array): void {
  outDegree.fill(0, task.first, task.last);
  forEachLink(task, (i) => outDegree[i]++);
}

/** Pass 2: the links that leave each detection, in order of their heads. */
function fillLinks(task: Part, { link }: BoundCost, width: number, links: LinkArrays): void {
  const { tail, head, cost, perLink } = links;
  let e = links.outStart[task.first];
  forEachLink(task, (i, j) => {
    tail[e] = i;
    head[e] = j;
    cost[e] = link(i, j, perLink, e * width);
    e++;
  });
}

/** Pass 3: each link goes on with every link out of its head. */
function fillTriplets(
  { first, last, detections, tripletReach }: Part,
  triplet: NonNullable<BoundCost["triplet"]>,
  width: number,
  { outStart, tail, head, perLink }: LinkArrays,
  { rowStart, successor, cost }: TripletArrays,
): void {
  const square = squareBetween(detections);
  const within = (link: number, reach: number) => square(tail[link], head[link]) < reach * reach;
  for (let e = first; e < last; e++) {
    let t = rowStart[e];
    const end = outStart[head[e] + 1];
    const reach = tripletReach === null ? Number.POSITIVE_INFINITY : tripletReach[tail[e]];
    const gated = !within(e, reach);
    for (let f = outStart[head[e]]; f < end; f++) {
      successor[t] = f;
      cost[t] = triplet(perLink, e * width, f * width) + (gated || !within(f, reach) ? PENALTY : 0);
      t++;
    }
  }
}

/** Visits the links of the task's detections that the gate lets pass, in order of (tail, head). */
function forEachLink({ detections, reach, first, last, gridOf }: Part, visit: (i: number, j: number) => void): void {
  const { frames, frameStart, x, y, z } = detections;
  let p = 0;
  for (let i = first; i < last; i++) {
    while (frameStart[p + 1] <= i) p++;
    if (p + 1 === frames) return;
    const grid = gridOf(p + 1);
    const square = reach[i] * reach[i];
    const count = grid.near(x[i], y[i], z?.[i] ?? 0, reach[i]);
    for (let n = 0; n < count; n++) {
      const j = grid.found[n];
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const dz = z === undefined ? 0 : z[j] - z[i];
      if (dx * dx + dy * dy + dz * dz < square) visit(i, j);
    }
  }
}
