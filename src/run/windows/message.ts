/** Windows and their solutions as text: data that another machine checks before it uses them, and nothing that it could execute. */
import { z } from "zod";
import { axesOf, frameOfDetections, velocityAxesOf } from "../../core/detections.js";
import { InputError, invariant } from "../../core/errors.js";
import type { OverLinks } from "../../costs/motion/stated-costs.js";
import { ASCENTS } from "../../map/dual/ascents.js";
import type { Found } from "../../map/window/piece.js";
import type { WindowJob } from "./job.js";

/** Characters of a message; a queue's server keeps it in memory. */
export const MOST_MESSAGE = 2 ** 28;

const count = z.int().min(0).max(0x7fffffff);
const matrix = {
  ...{ xx: z.number(), xy: z.number(), yy: z.number() },
  ...{ xz: z.number().optional(), yz: z.number().optional(), zz: z.number().optional() },
};
const studentT = z.strictObject({
  ...{ tail: z.number().positive(), ...matrix },
  wide: z.strictObject({ share: z.number(), times: z.number() }).optional(),
});
/** Frames that a link may span, as --max-gap allows them. */
const spans = <T extends z.ZodType>(each: T) => z.array(each).min(1).max(21);
const ends = z.strictObject({ birth: z.number(), death: z.number() });
/** The bytes of a typed array, base64. */
const bytes = z.string().max(MOST_MESSAGE);

const windowMessage = z.strictObject({
  first: count,
  from: count,
  to: count,
  timeStep: z.number().positive(),
  frameStart: bytes,
  x: bytes,
  y: bytes,
  vx: bytes.nullable(),
  vy: bytes.nullable(),
  z: bytes.optional(),
  vz: bytes.optional(),
  birth: bytes,
  ends: bytes,
  clutter: bytes.nullable(),
  over: z.strictObject({ tail: bytes, head: bytes }),
  extent: z.strictObject({ begins: z.boolean(), ends: z.boolean() }),
  statement: z.strictObject({
    model: z.strictObject({
      drift: z.array(z.number()).min(2).max(3),
      velocityWeight: z.number(),
      prior: spans(studentT),
      step: spans(spans(studentT)),
      persistence: spans(spans(z.strictObject(matrix))),
      births: z.number(),
      ends: z.number(),
      missed: z.number(),
      clutter: z.number(),
    }),
    birthDeath: z.union([ends, z.literal("auto")]),
    // JSON has no Infinity.
    radius: z.union([z.number(), z.literal("any"), z.null()]),
    maxBirthCost: z.number(),
  }),
  options: z.strictObject({
    ascent: z.enum(Object.keys(ASCENTS) as [keyof typeof ASCENTS]),
    iterations: count.min(1),
    gap: z.number().min(0),
    differencePerDetection: z.number().min(0),
  }),
});

/** How a solution numbers edges (src/map/instance/edges.ts). Earlier revisions numbered all links first, and their messages do not say so. */
const EDGES = "frame pair";
const foundMessage = z.strictObject({
  ...{ edgesBy: z.literal(EDGES), v: bytes, columnDual: bytes, tracks: bytes, iterations: count },
});

export function textOfWindow({ detections, odds, statement, ...job }: WindowJob): string {
  const { frameStart, x, y, z, vx, vy, vz, timeStep } = detections;
  const { radius } = statement;
  const { tail, head } = job.over;
  const message = {
    ...job,
    statement: { ...statement, radius: radius === Number.POSITIVE_INFINITY ? "any" : radius },
    timeStep,
    frameStart: base64(frameStart),
    ...{ x: base64(x), y: base64(y), vx: vx && base64(vx), vy: vy && base64(vy) },
    ...(z && { z: base64(z) }),
    ...(vz && { vz: base64(vz) }),
    ...{ birth: base64(odds.birth), ends: base64(odds.ends), clutter: odds.clutter && base64(odds.clutter) },
    over: { tail: base64(tail), head: base64(head) },
  };
  return JSON.stringify(message, (key, value) => {
    invariant(typeof value !== "number" || Number.isFinite(value), () => `a window's ${key} is ${value}`);
    return value;
  });
}

/** @throws InputError for text that is no window */
export function windowOfText(text: string): WindowJob {
  const { timeStep, frameStart: startBytes, x, y, z, vx, vy, vz, ...all } = parsed(text, windowMessage, "window");
  const { birth, ends, clutter, ...job } = all;
  const frameStart = uint32(startBytes);
  const detections = {
    frames: frameStart.length - 1,
    frameStart,
    x: float64(x),
    y: float64(y),
    vx: vx === null ? null : float64(vx),
    vy: vy === null ? null : float64(vy),
    ...(z !== undefined && { z: float64(z) }),
    ...(vz !== undefined && { vz: float64(vz) }),
    timeStep,
  };
  const odds = { birth: float64(birth), ends: float64(ends), clutter: clutter === null ? null : float64(clutter) };
  const { radius, birthDeath, ...statement } = job.statement;
  const { prior, step, persistence } = statement.model;
  const square = [step, persistence].every(
    (rows) => rows.length === prior.length && rows.every((row) => row.length === prior.length),
  );
  const over = { tail: int32(job.over.tail), head: int32(job.over.head) };
  const { frames } = detections;
  const [from, to] = [job.from - job.first, job.to - job.first];
  const fits =
    square &&
    isInOrder(over, frameStart, prior.length) &&
    frameStart[0] === 0 &&
    frameStart.every((at, p) => p === 0 || at >= frameStart[p - 1]) &&
    [...axesOf(detections), odds.birth, odds.ends, odds.clutter ?? odds.ends].every(
      (values) => values.length === frameStart[frames] && values.every(Number.isFinite),
    ) &&
    (velocityAxesOf(detections) ?? []).every((values) => values.length === frameStart[frames]) &&
    (vx === null) === (vy === null) &&
    (vz === undefined) === (z === undefined || vx === null) &&
    [0 <= from, from < to, to < frames].every(Boolean);
  if (!fits) throw new InputError("this is no window: its frames and detections do not fit together");
  return {
    ...job,
    detections,
    odds,
    over,
    statement: { ...statement, birthDeath, radius: radius === "any" ? Number.POSITIVE_INFINITY : radius },
  };
}

/** Whether links over 2 to `spans` frames come each once, in order of (tail, span, head). */
function isInOrder({ tail, head }: OverLinks, frameStart: Uint32Array, spans: number): boolean {
  const frame = frameOfDetections(frameStart);
  // The heads of a detection's links go up, since those of a later frame do.
  return (
    tail.length === head.length &&
    tail.every((i, e) => {
      const span = frame[head[e]] - frame[i];
      return span >= 2 && span <= spans && (e === 0 || i > tail[e - 1] || (i === tail[e - 1] && head[e] > head[e - 1]));
    })
  );
}

export function textOfFound({ v, columnDual, tracks, iterations }: Found): string {
  const numbers = { v: base64(v), columnDual: base64(columnDual), tracks: base64(tracks) };
  return JSON.stringify({ edgesBy: EDGES, ...numbers, iterations });
}

/** Whether it fits a window is for faultOfFound. @throws InputError for text that is no solution */
export function foundOfText(text: string): Found {
  const { v, columnDual, tracks, iterations } = parsed(text, foundMessage, "solution of a window");
  return { v: float64(v), columnDual: float64(columnDual), tracks: int32(tracks), iterations };
}

function parsed<T>(text: string, schema: z.ZodType<T>, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(`this is no ${what}: it is no JSON`);
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0];
  throw new InputError(`this is no ${what}: ${path.map(String).join(".")} ${message}`);
}

/** Bytes in the order of the machine, which is the same on all that Node supports but one; what arrives swapped fits no window. */
function base64({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array | Int32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function float64(text: string): Float64Array {
  return new Float64Array(wholeBuffer(text, 8));
}

function uint32(text: string): Uint32Array {
  return new Uint32Array(wholeBuffer(text, 4));
}

function int32(text: string): Int32Array {
  return new Int32Array(wholeBuffer(text, 4));
}

/** A buffer of its own, aligned; without the bytes that make no whole element, so that lengths differ where bytes are missing. */
function wholeBuffer(text: string, size: number): ArrayBuffer {
  const bytes = Buffer.from(text, "base64");
  const buffer = new ArrayBuffer(size * Math.floor(bytes.length / size));
  new Uint8Array(buffer).set(bytes.subarray(0, buffer.byteLength));
  return buffer;
}
