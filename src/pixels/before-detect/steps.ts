/** The part of track-before-detect that runs on a device: the state, which stays there, and its maxima. */
import type { RecursionOptions } from "./options.js";
import type { Field, Peaks } from "./peaks.js";
import type { FrameValues } from "./samples.js";

export interface TbdSteps {
  /** "cpu", or the adapter's name. */
  readonly device: string;
  /** The variant that ran, such as "all" or "texture, register, unrolled". */
  readonly scheme: string;
  /** The state P(0) = 0 of that size. */
  begin(field: Field, options: RecursionOptions): Promise<void>;
  /** The recursion over frames k0 + 1, k0 + 2, …: `decimation` of them, or fewer at the end. */
  advance(frames: readonly FrameValues[], k0: number): Promise<void>;
  /** Places where the largest P over the vectors exceeds `least` and all within `radius`. */
  peaks(least: number, radius: number): Promise<Peaks>;
  /** P, of shape vectors × height × width. */
  state(): Promise<Float32Array>;
  /** Seconds by part of the work. */
  times(): Readonly<Record<string, number>>;
  destroy(): void;
}
