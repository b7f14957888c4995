/** How a recording is cut into windows, in frames. Window k decides the frame pairs k · size … (k + 1) · size − 1. */
export interface WindowPlan {
  readonly size: number;
  /** Frames that a window sees beyond its own on either side. */
  readonly overlap: number;
  /** Frame pairs on either side of a border that are decided once both windows are solved. */
  readonly half: number;
  /** Frames around a window and its overlaps that its prices depend on. */
  readonly context: number;
}

/** Detections of a window unless the user says otherwise: enough that overlaps are a small part, few enough that several fit in memory. */
const DETECTIONS = 10_000;
const FEWEST_FRAMES = 20;
const OVERLAP = 20;
const HALF = 10;

/**
 * @param size frames, null for what suits so many detections a frame
 * @param overlap null for as many as a window has, but at most 20
 */
export function planWindows(
  size: number | null,
  overlap: number | null,
  detectionsPerFrame: number,
  context: number,
): WindowPlan {
  const frames = size ?? Math.max(FEWEST_FRAMES, Math.round(DETECTIONS / Math.max(1, detectionsPerFrame)));
  const beyond = overlap ?? Math.max(2, Math.min(OVERLAP, frames));
  return { size: frames, overlap: beyond, half: Math.min(HALF, Math.floor(frames / 2), beyond - 1), context };
}

/** Frames by which the decision on a frame may lag behind the latest one read, where windows are solved as soon as they can be. */
export function delayOf({ size, overlap, context }: WindowPlan): number {
  return 2 * size + overlap + context;
}

/** What window k sees. `last` is the recording's last frame, null while it goes on. */
export function windowFrames({ size, overlap, half, context }: WindowPlan, k: number, last: number | null) {
  const end = last ?? Number.POSITIVE_INFINITY;
  const border = k * size;
  const next = Math.min(border + size, end);
  const from = Math.max(0, border - overlap);
  const to = Math.min(next + overlap, end);
  return {
    /** The frame pairs that it decides. */
    border,
    next,
    from,
    to,
    /** Frames that its prices depend on. */
    priced: [Math.max(0, from - context), Math.min(to + context, end)] as const,
    /** The seam to the window before. */
    seam: k === 0 ? null : ([border - half, Math.min(border + half, end)] as const),
  };
}
