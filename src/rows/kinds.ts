import type { RowKind } from "./kind.js";
import { ascentKind } from "./kinds/ascent.js";
import { auctionKind } from "./kinds/auction.js";
import { baselinesKind } from "./kinds/baselines.js";
import { benchKinds } from "./kinds/bench.js";
import { exactKind } from "./kinds/exact.js";
import { exactValidationKind } from "./kinds/exact-validation.js";
import { featuresKind } from "./kinds/features.js";
import { featuresThesisKind } from "./kinds/features-thesis.js";
import { flowAccuracyKind } from "./kinds/flow-accuracy.js";
import { flowSpeedKind } from "./kinds/flow-speed.js";
import { flowTrackingKind } from "./kinds/flow-tracking.js";
import { gatesKind } from "./kinds/gates.js";
import { knownCostsKind } from "./kinds/known-costs.js";
import { lapChainsKind } from "./kinds/lap-chains.js";
import { lapCpuKind } from "./kinds/lap-cpu.js";
import { lapGpuKind } from "./kinds/lap-gpu.js";
import { lapWarmKind } from "./kinds/lap-warm.js";
import { marginsKind } from "./kinds/margins.js";
import { pricingKind } from "./kinds/pricing.js";
import { relaxationKind } from "./kinds/relaxation.js";
import { runKind } from "./kinds/run.js";
import { tbdDetectionKind, tbdSpeedKind, tbdTrackingKind, tbdUploadKind, tbdVariantsKind } from "./kinds/tbd.js";
import { tbdPassKind } from "./kinds/tbd-pass.js";
import { truthKind } from "./kinds/truth.js";
import { truthAttackKind } from "./kinds/truth-attacks.js";
import { warmStartsKind } from "./kinds/warm-starts.js";

/** A kind whose row type the caller does not know. */
export type AnyKind = Omit<RowKind<unknown>, "columns"> & { readonly columns: readonly AnyColumn[] };

interface AnyColumn {
  readonly title: string;
  readonly of: (row: never) => string | number | null;
}

/** Every kind of row that the report takes. Runs come last: any row that names no benchmark and is of no other kind is one. */
export const ROW_KINDS: readonly AnyKind[] = [
  ...benchKinds,
  lapCpuKind,
  ascentKind,
  exactKind,
  exactValidationKind,
  flowAccuracyKind,
  flowSpeedKind,
  flowTrackingKind,
  featuresKind,
  featuresThesisKind,
  auctionKind,
  baselinesKind,
  lapChainsKind,
  lapGpuKind,
  lapWarmKind,
  marginsKind,
  gatesKind,
  knownCostsKind,
  pricingKind,
  relaxationKind,
  tbdDetectionKind,
  tbdPassKind,
  tbdSpeedKind,
  tbdTrackingKind,
  tbdUploadKind,
  tbdVariantsKind,
  truthKind,
  truthAttackKind,
  warmStartsKind,
  runKind,
];

/** The kind of a row, found by its `benchmark`, or for runs and old rows by their fields. */
export function kindOf(row: object): AnyKind | null {
  const named = "benchmark" in row ? ROW_KINDS.find(({ name }) => name === row.benchmark) : undefined;
  return named ?? ROW_KINDS.find((kind) => kind.recognises?.(row) === true) ?? null;
}
