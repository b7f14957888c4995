import type { FlowField } from "../../core/flow-field.js";
import type { Plane, Size } from "../image.js";
import type { FlowOptions, FlowPrecision } from "./options.js";

export interface ImagePair {
  readonly first: Plane;
  readonly second: Plane;
}

/** (value − minus) · factor, in f32. */
export interface Scale {
  readonly minus: number;
  readonly factor: number;
}

/** Images whose values are scaled where they are computed with. */
export interface ScaledPair extends ImagePair {
  readonly scale: Scale;
}

/** The steps of the flow, on the CPU or a GPU; computeFlow calls them one after the other for all pairs of a batch. */
export interface FlowSteps {
  /** "cpu", or the adapter's name. */
  readonly device: string;
  readonly precision: FlowPrecision;
  /** How the iterations run on each level, the finest first; known after `begin`. */
  readonly schemes: readonly string[];
  /** Takes the pairs, all of the size sizes[0], and builds their pyramids. */
  begin(pairs: readonly ScaledPair[], sizes: readonly Size[], options: FlowOptions): Promise<void>;
  /** Goes to a level: u from the coarser one, or 0 at the coarsest; p = 0. */
  enter(level: number): Promise<void>;
  /** Median of u, u⁰ = u, and the images linearized there. */
  warp(): Promise<void>;
  iterate(count: number): Promise<void>;
  /** The largest mean of |Δu|² over the pairs, px², of one more iteration. */
  iterateMeasured(): Promise<number>;
  finish(): Promise<FlowField[]>;
  /** Seconds by part of the work since `begin`. */
  times(): Readonly<Record<string, number>>;
  destroy(): void;
}
