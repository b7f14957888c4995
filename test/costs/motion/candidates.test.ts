import { expect, test } from "vitest";
import type { Detections } from "../../../src/core/detections.js";
import type { FixedLinks } from "../../../src/core/fixed-links.js";
import { randomStreams } from "../../../src/core/random.js";
import { evenly } from "../../../src/costs/density/student.js";
import { candidateLinks } from "../../../src/costs/motion/candidates.js";
import type { TrackCosts } from "../../../src/costs/motion/links.js";
import type { MotionModel } from "../../../src/costs/motion/model.js";
import { scattered } from "./scattered.js";

const SPANS = [1, 2, 3];
const EACH = 90;

/** Nothing is fixed, and all detections of a frame are looked at. */
const nothing = (detections: Detections): FixedLinks => ({
  next: new Int32Array(detections.x.length).fill(-1),
  previous: new Int32Array(detections.x.length).fill(-1),
  forbidden: new Map(),
  ...{ longest: 0, required: 0, ruledOut: 0 },
});

function modelOf(scale: number, velocityWeight: number): MotionModel {
  const of = (a: number) => ({ tail: 2.4, xx: scale * a, xy: -0.6 * scale * a, yy: 0.5 * scale * a });
  return {
    drift: [0.3, -0.1],
    velocityWeight,
    prior: SPANS.map(of),
    step: SPANS.map((a) => SPANS.map((b) => of(a + b))),
    persistence: SPANS.map((a) => SPANS.map((b) => evenly((0.9 * b) / a))),
    ...{ births: 0.01, ends: 0.05, missed: 0.1, clutter: 0.001 },
  };
}

function costsOf({ x }: Detections, end: number | null): TrackCosts {
  const of = (value: number) => new Float64Array(x.length).fill(value);
  const ends = end === null ? null : { birth: of(end), death: of(end) };
  return { ends, maxBirthCost: end ?? Number.NEGATIVE_INFINITY, goOn: SPANS.map(of), single: of(0) };
}

/** Velocities, of which a share is not known, along one axis or both. */
function moving(detections: Detections, seed: number, unknown = 0): Detections {
  const random = randomStreams(seed).next().value;
  const velocities = () =>
    Float64Array.from(detections.x, () => (random.uniform(0, 1) < unknown ? Number.NaN : random.uniform(-2, 2)));
  return { ...detections, vx: velocities(), vy: velocities() };
}

/** Far from the origin the coordinates are coarse. */
const moved = (detections: Detections, by: number): Detections => ({
  ...detections,
  x: detections.x.map((x) => x + by),
  y: detections.y.map((y) => y - by),
});

const places = scattered(5, EACH, 3);
/** The same with depths, and by a law in space. */
function deep(detections: Detections, seed: number): Detections {
  const random = randomStreams(seed).next().value;
  const of = (most: number) => Float64Array.from(detections.x, () => random.uniform(0, most));
  return { ...detections, z: of(0.5), ...(detections.vx && { vz: of(0.2) }) };
}
function inSpace(model: MotionModel, scale: number): MotionModel {
  const z = { xz: 0.2 * scale, yz: 0.1 * scale, zz: scale };
  const prior = model.prior.map((density) => ({ ...density, ...z }));
  return { ...model, drift: [0.3, -0.1, 0.05], prior, step: model.step.map(() => prior) };
}

const cases: [string, Detections, MotionModel, number | null, number | null][] = [
  ["narrow", places, modelOf(1e-3, 0), 4, null],
  ["wide", places, modelOf(0.05, 0), 6, null],
  ["by velocities", moving(places, 1), modelOf(1e-3, 0.8), 4, null],
  ["by velocities, some of them not known", moving(places, 1, 0.1), modelOf(1e-3, 0.8), 4, null],
  ["within a radius, by velocities", moving(places, 1), modelOf(0.05, 0.8), 6, 0.8],
  ["against velocities", moving(places, 2), modelOf(1e-3, -0.5), 4, null],
  ["far away", moved(places, 1e9), modelOf(1e-4, 0), 4, null],
  ["within a radius", places, modelOf(0.05, 0), 6, 0.8],
  ["without ends", places, modelOf(0.05, 0), null, null],
  ["in space", deep(places, 3), inSpace(modelOf(0.05, 0), 0.05), 6, null],
  ["in space, within a radius", deep(places, 3), inSpace(modelOf(0.05, 0), 0.05), 6, 0.8],
  ["in space, by velocities", deep(moving(places, 1), 4), inSpace(modelOf(0.05, 0.8), 0.05), 6, null],
  ["worth nothing", places, modelOf(0.05, 0), -20, null],
];

test.each(cases)("by the grid are those among all detections of a frame: %s", (_, detections, model, end, radius) => {
  const costs = costsOf(detections, end);
  const reach = radius === null ? null : new Float64Array(detections.x.length).fill(radius);
  const near = candidateLinks(detections, model, costs, SPANS, { reach, nearest: 12 });
  const all = candidateLinks(detections, model, costs, SPANS, { reach, nearest: 12, fixed: nothing(detections) });
  expect(near).toEqual(all);
  expect(near.tail.length === 0).toBe(end === -20);
});
