/** Detections of all frames, numbered from 0 over all frames: those of frame p are frameStart[p] … frameStart[p + 1] − 1. */
export interface Detections {
  /** Number of frames T, empty ones included. */
  readonly frames: number;
  /** Length frames + 1. */
  readonly frameStart: Uint32Array;
  /** Positions, in the input's length unit. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Measured velocities (length unit per time unit), NaN for a detection that has none; null where the input has none. */
  readonly vx: Float64Array | null;
  readonly vy: Float64Array | null;
  /** True identity of each detection (any non-negative integer; −1 for a false detection), or null when unknown. */
  readonly target: Int32Array | null;
  /** Further numbers of each detection by name (area, brightness, …), which costs may read; each array has one number per detection. */
  readonly attributes?: ReadonlyMap<string, Float64Array>;
  /** Time between consecutive frames, δt. */
  readonly timeStep: number;
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
  /** NaN where there is none. */
  readonly vx: number;
  readonly vy: number;
  /** −1: a false one. */
  readonly target: number;
}

/** Detections given frame by frame, in their order. */
export function joinFrames(all: readonly (readonly Detection[])[], timeStep: number): Detections {
  const frameStart = new Uint32Array(all.length + 1);
  all.forEach((own, p) => {
    frameStart[p + 1] = frameStart[p] + own.length;
  });
  const flat = all.flat();
  const pick = (key: "x" | "y" | "vx" | "vy") => Float64Array.from(flat, (one) => one[key]);
  return {
    frames: all.length,
    frameStart,
    x: pick("x"),
    y: pick("y"),
    vx: pick("vx"),
    vy: pick("vy"),
    target: Int32Array.from(flat, ({ target }) => target),
    timeStep,
  };
}

/** The detections of frames begin … end − 1, as views of the same arrays. */
export function frameRange(detections: Detections, begin: number, end: number): Detections {
  const { frameStart, x, y, vx, vy, target, attributes, timeStep } = detections;
  const [first, last] = [frameStart[begin], frameStart[end]];
  return {
    frames: end - begin,
    frameStart: frameStart.slice(begin, end + 1).map((start) => start - first),
    x: x.subarray(first, last),
    y: y.subarray(first, last),
    vx: vx?.subarray(first, last) ?? null,
    vy: vy?.subarray(first, last) ?? null,
    target: target?.subarray(first, last) ?? null,
    ...(attributes && {
      attributes: new Map(Array.from(attributes, ([name, values]) => [name, values.subarray(first, last)])),
    }),
    timeStep,
  };
}
