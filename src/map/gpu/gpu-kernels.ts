/** The ascent's kernels: which files they are, what phase their time counts to, and the constants that fit an instance. */
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { StepTimes } from "../dual/steps.js";
import { type TripletRuleSource, tripletRule } from "../instance/triplet-rules.js";
import type { Range } from "./gpu-lists.js";

/** Arguments of each kernel, as struct Run of its file has them; null where it has none. */
export interface KernelArguments {
  readonly price: Range;
  readonly "price-stored": Range & { readonly firstTriplet: number };
  readonly raise: Range & { readonly share: number };
  readonly "raise-stored": Range & { readonly share: number; readonly firstTriplet: number };
  readonly "raise-keys": Range & { readonly read: 0 | 1 };
  readonly "push-left": Range & { readonly share: number };
  readonly limits: null;
  readonly "choose-births": Range;
  readonly choose: Range;
  readonly subgradient: { readonly step: number; readonly first: number; readonly end: number };
  readonly "store-plane": Range & { readonly empty: 0 | 1 };
  readonly "store-plane-stored": Range & { readonly empty: 0 | 1 };
  readonly move: Range & { readonly tau: number; readonly begin: 0 | 1 };
  readonly "plane-values": Range;
  readonly measure: Range & { readonly kept: 0 | 1 };
  readonly stand: { readonly tau: number };
  readonly between: Range & Sides;
  readonly "begin-tracks": Range & Sides;
}

/** Whether the tracks behind and ahead of a frame pair are fixed (1), or stand as multipliers in its costs (0). */
export interface Sides {
  readonly behind: 0 | 1;
  readonly ahead: 0 | 1;
}

export type KernelName = keyof KernelArguments;

/** The part of the ascent a kernel's time is added to. */
export const PHASE: Record<KernelName, keyof StepTimes> = {
  price: "yLsap",
  "price-stored": "yLsap",
  raise: "distribution",
  "raise-stored": "distribution",
  "raise-keys": "distribution",
  "push-left": "distribution",
  limits: "xLap",
  "choose-births": "xLap",
  choose: "xLap",
  subgradient: "update",
  "store-plane": "update",
  "store-plane-stored": "update",
  move: "update",
  "plane-values": "update",
  measure: "update",
  stand: "update",
  between: "tracks",
  "begin-tracks": "tracks",
};

/** Kernels for triplets of one kind. */
const OF_COMPUTED: readonly KernelName[] = ["price", "raise", "store-plane", "between", "begin-tracks"];
const OF_STORED: readonly KernelName[] = ["price-stored", "raise-stored", "raise-keys", "store-plane-stored"];

/**
 * @param rule of computed triplets, null for stored ones
 * @param width that all rows of stored triplets have, 0 where they differ
 */
export async function loadKernels(
  session: GpuSession,
  rule: TripletRuleSource | null,
  width: number,
): Promise<Map<KernelName, Kernel>> {
  const texts = rule === null ? {} : { "triplet-cost": tripletCostText(rule) };
  const rows = { COMPLETE: width > 0 ? 1 : 0 };
  const constants: Partial<Record<KernelName, Record<string, number>>> = {
    "price-stored": { ...rows, TILE: Math.max(1, width) },
    "raise-stored": rows,
  };
  const unused = rule === null ? OF_COMPUTED : OF_STORED;
  const names = (Object.keys(PHASE) as KernelName[]).filter((name) => !unused.includes(name));
  const load = async (name: KernelName) => {
    const file = new URL(`./${name}.wgsl`, import.meta.url);
    return [name, await loadKernel(session, file, { constants: constants[name] ?? {}, texts })] as const;
  };
  return new Map(await Promise.all(names.map(load)));
}

/** The text that rule.wgsl imports: the numbers of a link and the rule's cost. */
export function tripletCostText(rule: TripletRuleSource): string {
  const { width, wgsl } = tripletRule(rule);
  const numbers = Array.from({ length: width }, (_, k) => `perEdge[${width}u * e + ${k}u]`);
  if (width === 1) numbers.push("0");
  return [
    `alias Numbers = ${width <= 2 ? "vec2f" : `array<f32, ${width}>`};`,
    `fn numbersOf(e: u32) -> Numbers { return Numbers(${numbers.join(", ")}); }`,
    wgsl,
  ].join("\n");
}
