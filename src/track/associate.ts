import type { GatedFrame } from "./gate.js";

export interface Association {
  /** The measurement of each track, −1 for none. */
  readonly measurementOfTrack: Int32Array;
  /** Of an auction. */
  readonly rounds?: number;
  /** The limit on rounds was reached, and the exact solver on the CPU made this association. */
  readonly capped?: true;
}

/** Links the tracks and the measurements of a frame. */
export interface Associator {
  readonly name: string;
  /** The device and the precision that it ran in. */
  readonly ran: string;
  associate(frame: GatedFrame): Association | Promise<Association>;
  close(): Promise<void>;
}
