/** The part of track-before-detect that runs on a device: the state, which stays there, and its maxima. */
import type { Size } from "../image.js";
import type { RecursionOptions } from "./options.js";
import type { Peaks } from "./peaks.js";
import type { FrameValues } from "./samples.js";

export interface TbdSteps {
  /** "cpu", or the adapter's name. */
  readonly device: string;
  /** The state P(0) = 0 of images of that size. */
  begin(size: Size, options: RecursionOptions): Promise<void>;
  /** The recursion over frames k0 + 1, k0 + 2, …: `decimation` of them, or fewer at the end. */
  advance(frames: readonly FrameValues[], k0: number): Promise<void>;
  /**
   * Places where the largest P over the vectors exceeds `least` and all within `radius`. Where vectors are coupled it is the largest z, by the noise that each
   * has on its plane, about its median for the maximum, which is above 0.
   * @throws InputError where that noise cannot be measured
   */
  peaks(least: number, radius: number): Promise<Peaks>;
  /** P, of shape vectors × height × width. */
  state(): Promise<Float32Array>;
  destroy(): void;
}
