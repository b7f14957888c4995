/** The part of the frame pairs that an ascent of several processes has here; the pairs around it are computed as well, since its own need them, and count nowhere. */
export interface AscentPart {
  /** Frame pairs `first` … `end` − 1. */
  readonly first: number;
  readonly end: number;
  /** Awaited after the even and after the odd pairs where a step moves multipliers of both: those at the borders are to be exchanged. */
  readonly halved: () => Promise<void>;
}
