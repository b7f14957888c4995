/** Counts that are known before anything is allocated. */
export interface Sizes {
  readonly detections: number;
  readonly links: number;
  /** Those that are stored; null while they are not counted, or computed where they are needed. */
  readonly triplets: number | null;
}

/** Told of the arrays that are about to be stored; throws where there is no room for them. */
export type Counted = (sizes: Sizes) => void;
