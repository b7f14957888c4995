/** How a recording is cut into windows, in frames. Window k decides the frame pairs k · size … (k + 1) · size − 1. */
export interface WindowPlan {
  readonly size: number;
  /** Frames that a window sees on either side of its interior. */
  readonly overlap: number;
  /** Frame pairs on either side of a border that are decided once both windows are solved; fewer than half of a window's, so that no seam depends on another. */
  readonly half: number;
  /** Frames around a window and its overlaps that its prices depend on. */
  readonly context: number;
  /** Frames that a link may span. */
  readonly spans: number;
}

/** Detections of a window unless the user says otherwise: enough that overlaps are a small part, few enough that several fit in memory. */
export const DETECTIONS = 10_000;
export const FEWEST_FRAMES = 20;
const OVERLAP = 20;
const HALF = 10;

/**
 * @param size frames, at least 3; null for a number that suits the detections of a frame
 * @param overlap null for as many as a window has, but at most 20
 */
export function planWindows(
  size: number | null,
  overlap: number | null,
  detectionsPerFrame: number,
  context: number,
  spans: number,
): WindowPlan {
  const frames = size ?? Math.max(FEWEST_FRAMES, Math.round(DETECTIONS / Math.max(1, detectionsPerFrame)));
  const beyond = overlap ?? Math.max(2, Math.min(OVERLAP, frames));
  return {
    size: frames,
    overlap: beyond,
    half: Math.min(HALF, Math.floor((frames - 1) / 2), beyond - 1),
    context,
    spans,
  };
}

/** Windows of a recording. */
export function windowsOf({ size }: WindowPlan, frames: number): number {
  return Math.ceil((frames - 1) / size);
}

/** Frames whose links over missed detections are chosen for window k, and those around them that the choice depends on. */
export function choiceFrames({ size, overlap, spans }: WindowPlan, k: number, last: number | null) {
  const end = last ?? Number.POSITIVE_INFINITY;
  const next = Math.min((k + 1) * size, end);
  return {
    choose: [k * size, next - 1] as const,
    stretch: [Math.max(0, k * size - overlap), Math.min(next + overlap + spans, end)] as const,
  };
}

/** Frames of window k, and around it. `last` is the recording's last frame, null while it goes on. */
export function windowFrames(plan: WindowPlan, k: number, last: number | null) {
  const { size, overlap, half, context, spans } = plan;
  const end = last ?? Number.POSITIVE_INFINITY;
  const border = k * size;
  const next = Math.min(border + size, end);
  const from = Math.max(0, border - overlap);
  const to = Math.min(next + overlap, end);
  const priced = [Math.max(0, from - context), Math.min(to + context, end)] as const;
  const choices = [Math.floor(priced[0] / size), spans === 1 ? -1 : Math.floor((priced[1] - 2) / size)] as const;
  return {
    /** The frame pairs that it decides. */
    border,
    next,
    from,
    to,
    /** Frames that its prices depend on. */
    priced,
    /** The first and the last window whose choices of links over missed detections it needs. */
    choices,
    /** The last frame that has to be read before. */
    read: Math.max(priced[1], choiceFrames(plan, choices[1], last).stretch[1]),
    /** The seam to the window before, where there is one. */
    seam: [border - half, Math.min(border + half, end)] as const,
  };
}
