/** How the iterations of a level run on a device. tiled.ts is the scheme of the product; the lab has those of papers. */
import { InputError } from "../../../core/errors.js";
import type { Size } from "../../image.js";
import type { FlowPrecision } from "../options.js";

/** A level of the pyramid, and the device that a plan is made for. */
export interface FlowLevel {
  readonly size: Size;
  readonly pairs: number;
  /** Of a warp. */
  readonly iterations: number;
  readonly precision: FlowPrecision;
  /** Threads and bytes of memory that a workgroup of the device can have. */
  readonly threads: number;
  readonly bytes: number;
}

/** A kernel that reads the state and the linearization, as state.wgsl declares them. */
export interface IterationKernel {
  readonly file: URL;
  readonly constants: Readonly<Record<string, number>>;
  /** Pieces of the kernel that are made at run time. */
  readonly texts?: Readonly<Record<string, string>>;
}

export interface IterationPlan {
  /** Its name in results. */
  readonly name: string;
  /** Iterations of one round of dispatches at most. */
  readonly depth: number;
  /** Whether the kernels change u and p where they are; others write them to other buffers. */
  readonly inPlace?: boolean;
  /** Numbers of further buffers, by the names that the kernels give them. */
  readonly scratch?: Readonly<Record<string, number>>;
  readonly kernels: Readonly<Record<string, IterationKernel>>;
  /** The dispatches of a round: names of kernels, and workgroups along x, y and z. */
  round(iterations: number): readonly (readonly [kernel: string, groups: readonly [number, number, number]])[];
}

/** @throws InputError for a shape that does not fit the device, naming the limit */
export type FlowScheme = (level: FlowLevel) => IterationPlan;

/** Bytes of a pixel's u − u⁰ as the kernels store it; of p it is twice as much. */
export const PAIR_BYTES: Readonly<Record<FlowPrecision, number>> = { f32: 8, f16s: 4, f16: 4 };

/** @throws InputError where the workgroup has more threads than the device allows */
export function checkThreads([x, y]: readonly [number, number], { threads }: FlowLevel): void {
  if (x * y <= threads) return;
  throw new InputError(
    `flow: a workgroup of ${x} × ${y} threads is more than the device's ${threads}; give a smaller one`,
  );
}

/** @throws InputError where `depth` iterations a dispatch are not 1 to `most` */
export function checkDepth(name: string, depth: number, most: number, { precision }: FlowLevel): void {
  if (depth >= 1 && depth <= most) return;
  throw new InputError(
    `flow: ${depth} iterations a dispatch do not fit ${name} in ${precision} on this device; give --depth 1 to ${most}`,
  );
}
