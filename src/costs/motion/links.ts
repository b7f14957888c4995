import { axesOf, type Detections, frameOfDetections } from "../../core/detections.js";
import { longer, picked } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import { bindStudentT, minusLogDensity } from "../density/student.js";
import { bindExpectation, type MotionModel } from "./model.js";

/** Links, in order of (tail, span, head), with the deviations and priors that their costs are made of. */
export interface Links {
  readonly tail: Int32Array;
  readonly head: Int32Array;
  /** Frames from tail to head, from 1. */
  readonly span: Uint8Array;
  /** −ln prior of z. */
  readonly prior: Float64Array;
  /** z. */
  readonly zx: Float64Array;
  readonly zy: Float64Array;
  /** In space. */
  readonly zz?: Float64Array;
}

/** The costs of starts, ends and continuations at each detection, in nats (docs/explanation/motion.md §1). */
export interface TrackCosts {
  /** Costs of births and deaths as edges; null where every detection must be linked in every frame pair. */
  readonly ends: { readonly birth: Float64Array; readonly death: Float64Array } | null;
  /** No start costs more, as far as the choice of links goes; −Infinity without starts. */
  readonly maxBirthCost: number;
  /** −ln of the probability to be seen again `span` frames later: by span − 1, then detection. */
  readonly goOn: readonly Float64Array[];
  /** The saving of a track of one against a birth and a death, since it may be a false detection. */
  readonly single: Float64Array;
}

/** Links with the deviations and priors of a model. */
export function linksBy(
  detections: Detections,
  model: MotionModel,
  { tail, head }: Pick<Links, "tail" | "head">,
): Links {
  const frame = frameOfDetections(detections.frameStart);
  const expectation = bindExpectation(detections, model);
  const priors = model.prior.map(bindStudentT);
  const count = tail.length;
  const [span, prior] = [new Uint8Array(count), new Float64Array(count)];
  const axes = axesOf(detections);
  const z = axes.map(() => new Float64Array(count));
  const [x, y, deep] = axes;
  const u = new Float64Array(3);
  for (let e = 0; e < count; e++) {
    const [i, j] = [tail[e], head[e]];
    span[e] = frame[j] - frame[i];
    expectation(i, j, u);
    z[0][e] = x[j] - x[i] - span[e] * u[0];
    z[1][e] = y[j] - y[i] - span[e] * u[1];
    if (deep !== undefined) z[2][e] = deep[j] - deep[i] - span[e] * u[2];
    prior[e] = minusLogDensity(priors[span[e] - 1], z[0][e], z[1][e], z[2]?.[e]);
  }
  return { tail, head, span, prior, zx: z[0], zy: z[1], ...(z.length === 3 && { zz: z[2] }) };
}

/** All arrays of links, each made anew. */
function eachArray(links: Links, make: (key: keyof Links) => Links[keyof Links]): Links {
  return Object.fromEntries(Object.keys(links).map((key) => [key, make(key as keyof Links)])) as unknown as Links;
}

/** The links at increasing places. */
export function pickLinks(links: Links, places: Uint32Array): Links {
  return eachArray(links, (key) => picked(links[key] as Float64Array, places));
}

/** Links of one frame, and links over several, in one and in order. */
export function mergeLinks(near: Links, over: Links): Links {
  const all = eachArray(near, (key) => {
    const joined = longer(near[key] as Float64Array, near.tail.length + over.tail.length);
    joined.set(over[key] as Float64Array, near.tail.length);
    return joined;
  });
  const detections = 1 + all.tail.reduce((most, i) => Math.max(most, i), -1);
  return pickLinks(all, byRow(all.tail, detections).item);
}

/** C_e as the problem stores it: the prior, the chance to be seen again, and half of the saving of a single at either end. */
export function linkCosts({ tail, head, span, prior }: Links, { goOn, single }: TrackCosts): Float64Array {
  return prior.map((value, e) => value + goOn[span[e] - 1][tail[e]] + 0.5 * (single[tail[e]] + single[head[e]]));
}
