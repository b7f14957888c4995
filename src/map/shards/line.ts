import type { ReadState } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";

/** Carries messages both ways, in order: between processes of one machine, or of several. */
export interface Line<Sent, Heard> {
  send(message: Sent): void;
  /** Calls `hear` for each message, and `lost` once, with the reason, when there will be none any more. */
  listen(hear: (message: Heard) => void, lost: (why: string) => void): void;
}

/** The frame pairs of a shard in its stretch, and the sides at which it has a neighbour. */
export interface ShardShape {
  readonly first: number;
  readonly end: number;
  readonly sides: readonly Side[];
}

export type Side = "left" | "right";

/** Numbers in the precision of the device that made them: they make up nearly all of what is sent. */
export type Packed = Float64Array | Float32Array;

/** The state of a shard's own pairs, edges numbered as in its stretch. */
export type ShardState = Readonly<
  Record<Exclude<keyof ReadState, "linkOfRow" | "exclusions" | "cliques" | "isGiven">, Packed>
> &
  Pick<ReadState, "linkOfRow">;

/** The steps of an ascent that all shards make when they are told to. */
export type ShardStep =
  | ("price" | "assign" | "evaluate" | "pushReducedCosts" | "visit" | "subgradient" | "follow" | "reset")
  | ("setMultipliers" | "keep" | "restore" | "beginBundle" | "collectPlanes" | "refine" | "refineKept")
  | ("evaluateBundle" | "stand" | "finished" | "read" | "close");

/** To the process of a shard. Each request but `border` is answered; `border` has multipliers from the neighbour at that side. */
export type ToShard =
  | { readonly kind: "open"; readonly graph: Graph; readonly shape: ShardShape }
  | { readonly kind: "step"; readonly step: ShardStep; readonly values: readonly (number | Float64Array)[] }
  | { readonly kind: "border"; readonly side: Side; readonly v: Packed };

/** From the process of a shard; `border` has multipliers for the neighbour at that side. */
export type FromShard =
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "failure"; readonly name: string; readonly message: string }
  | { readonly kind: "border"; readonly side: Side; readonly v: Packed };

/** What a shard tells of itself when it is open. */
export interface Opened {
  readonly precision: "f64" | "f32";
  readonly boundEvery: number;
  /** Where it runs: "cpu", or the adapter's name. */
  readonly actual: string;
}
