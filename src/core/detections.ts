import { InputError } from "./errors.js";
import { MAX_LENGTH } from "./range.js";
import { startsOf } from "./rows.js";

/** Detections of all frames, numbered from 0 over all frames: those of frame p are frameStart[p] … frameStart[p + 1] − 1. */
export interface Detections {
  /** Number of frames T, empty ones included. */
  readonly frames: number;
  /** Length frames + 1. */
  readonly frameStart: Uint32Array;
  /** Positions, in the input's length unit. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Depth, in the same unit; absent where all detections are in one plane. */
  readonly z?: Float64Array;
  /** Measured velocities (length unit per time unit), NaN for a detection that has none; null where the input has none. vz is there where z and vx are, and means nothing beside null. */
  readonly vx: Float64Array | null;
  readonly vy: Float64Array | null;
  readonly vz?: Float64Array;
  /** True identity of each detection (any non-negative integer; −1 for a false detection), or null when unknown. */
  readonly target: Int32Array | null;
  /** Further numbers of each detection by name (area, brightness, …), which costs may read; each array has one number per detection. */
  readonly attributes?: ReadonlyMap<string, Float64Array>;
  /** Time between consecutive frames, δt. */
  readonly timeStep: number;
}

/** The coordinates, axis by axis: two of them, or three. */
export function axesOf<Of>({
  x,
  y,
  z,
}: {
  readonly x: Of;
  readonly y: Of;
  readonly z?: Of | undefined;
}): readonly Of[] {
  return z === undefined ? [x, y] : [x, y, z];
}

/** Positions by axis, as detections, tracks and truths have them. */
export type Places = Pick<Detections, "x" | "y" | "z">;

/** The distance from one of some places to one of others, which have the same axes. */
export function distanceBetween(from: Places, to: Places): (a: number, b: number) => number {
  const [u, v] = [from.z, to.z];
  return u === undefined || v === undefined
    ? (a, b) => Math.hypot(to.x[b] - from.x[a], to.y[b] - from.y[a])
    : (a, b) => Math.hypot(to.x[b] - from.x[a], to.y[b] - from.y[a], v[b] - u[a]);
}

/** The squared distance of two of some places. */
export function squareBetween({ x, y, z }: Places): (a: number, b: number) => number {
  return (a, b) => {
    const dx = x[b] - x[a];
    const dy = y[b] - y[a];
    const dz = z === undefined ? 0 : z[b] - z[a];
    return dx * dx + dy * dy + dz * dz;
  };
}

/** The measured velocities, axis by axis; null where there are none. */
export function velocityAxesOf({ vx, vy, vz }: Pick<Detections, "vx" | "vy" | "vz">): readonly Float64Array[] | null {
  return vx === null || vy === null ? null : axesOf({ x: vx, y: vy, z: vz });
}

/** The detections with other numbers in the place of positions and velocities. */
export function mapAxes<Of extends Pick<Detections, "x" | "y" | "z" | "vx" | "vy" | "vz">>(
  detections: Of,
  of: (values: Float64Array) => Float64Array,
): Of {
  const { x, y, z, vx, vy, vz } = detections;
  return {
    ...detections,
    ...{ x: of(x), y: of(y), vx: vx && of(vx), vy: vy && of(vy) },
    ...(z && { z: of(z) }),
    ...(vz && { vz: of(vz) }),
  };
}

/** Whether not all values are the same. */
export function varies(values: ArrayLike<number>): boolean {
  for (let n = 1; n < values.length; n++) if (values[n] !== values[0]) return true;
  return false;
}

/** @throws InputError for positions so near to each other that the squares of their distances are no numbers */
export function requireSpan(places: Places): void {
  const least = 1 / MAX_LENGTH;
  // Of most inputs the first two detections tell.
  if (axesOf(places).some((axis) => axis.some((value) => Math.abs(value - axis[0]) >= least))) return;
  const span = Math.max(
    ...axesOf(places).map(
      (axis) => axis.reduce((a, b) => Math.max(a, b), -Infinity) - axis.reduce((a, b) => Math.min(a, b), Infinity),
    ),
  );
  if (!(span > 0 && span < least)) return;
  throw new InputError(
    `positions: all are within ${span} of each other; give them in a unit that makes it ${least} or more`,
  );
}

/** @throws InputError for positions in space, which some methods do not know */
export function requirePlane({ z }: Partial<Places>, what: string): void {
  if (z === undefined) return;
  const [low, high] = [z.reduce((a, b) => Math.min(a, b)), z.reduce((a, b) => Math.max(a, b))];
  const remedy = "leave z out (--z-scale 0), so that x and y are solved alone";
  throw new InputError(`${what}: takes positions in the plane, and these have z from ${low} to ${high}; ${remedy}`);
}

/** Frame of each detection. */
export function frameOfDetections(frameStart: Uint32Array): Uint32Array {
  const frame = new Uint32Array(frameStart[frameStart.length - 1]);
  for (let p = 0; p + 1 < frameStart.length; p++) frame.fill(p, frameStart[p], frameStart[p + 1]);
  return frame;
}

/** One detection with all that the arrays have of it. */
export interface Detection {
  readonly x: number;
  readonly y: number;
  /** In all or in none. */
  readonly z?: number;
  /** NaN where there is none. */
  readonly vx: number;
  readonly vy: number;
  readonly vz?: number;
  /** −1: a false one. */
  readonly target: number;
}

/** Detections given frame by frame, in their order. */
export function joinFrames(all: readonly (readonly Detection[])[], timeStep: number): Detections {
  const frameStart = startsOf(all.map(({ length }) => length));
  const flat = all.flat();
  const pick = (key: "x" | "y" | "z" | "vx" | "vy" | "vz") => Float64Array.from(flat, (one) => one[key] ?? Number.NaN);
  return {
    frames: all.length,
    frameStart,
    x: pick("x"),
    y: pick("y"),
    vx: pick("vx"),
    vy: pick("vy"),
    ...(flat[0]?.z !== undefined && { z: pick("z"), vz: pick("vz") }),
    target: Int32Array.from(flat, ({ target }) => target),
    timeStep,
  };
}

/** The detections of frames begin … end − 1, as views of the same arrays. */
export function frameRange(detections: Detections, begin: number, end: number): Detections {
  const { frameStart, target, attributes } = detections;
  const [first, last] = [frameStart[begin], frameStart[end]];
  return {
    ...mapAxes(detections, (values) => values.subarray(first, last)),
    frames: end - begin,
    frameStart: frameStart.slice(begin, end + 1).map((start) => start - first),
    target: target?.subarray(first, last) ?? null,
    ...(attributes && {
      attributes: new Map(Array.from(attributes, ([name, values]) => [name, values.subarray(first, last)])),
    }),
  };
}
