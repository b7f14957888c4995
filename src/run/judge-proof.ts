/** What a proof says of itself, and what it shows when it is computed again. */
import type { ReadProof } from "../formats/proof.js";
import { withRebuiltCores } from "../map/exact/rebuilt-cores.js";
import type { Graph } from "../map/instance/instance.js";
import { checkExactly, checkProof, type ExactlyChecked } from "../map/proof/check.js";
import { fromFile, partFromFile } from "../map/proof/file-order.js";
import { roundDown } from "../map/proof/numbers.js";

/** Triplets up to which a check without rounding takes seconds. */
export const EXACT_TRIPLETS = 200_000;

/** Relative difference of the stated and the computed numbers that the roundings of another version of rmap may make. */
const SAME = 2 ** -40;

/** The bound without rounding, rounded down to f64, and how far below the tracks it is. */
export type Exact =
  | { readonly valid: true; readonly lowerBound: number; readonly optimal: boolean; readonly apart: number }
  | Extract<ExactlyChecked, { valid: false }>;

export interface Judged {
  readonly checked: ReturnType<typeof checkProof>;
  /** null where it was not asked for, or the proof does not hold in f64. */
  readonly exact: Exact | null;
  /** Whether the bound is the one that the proof states, whether the cost of the tracks is, and whether both are. */
  readonly verdict: { readonly bounded: boolean; readonly priced: boolean; readonly holds: boolean };
}

export interface JudgeOptions {
  /** Check also without any rounding [up to EXACT_TRIPLETS]. */
  readonly exactly?: boolean | undefined;
  readonly progress?: (phase: string, done: number, total: number) => void;
}

/** @param graph the instance that the proof is about */
export function judgeProof(graph: Graph, file: ReadProof, { exactly, progress = () => {} }: JudgeOptions = {}): Judged {
  const { tracks, proof: named } = fromFile(graph, file);
  const stored = file.hasCores ? named : withRebuiltCores(graph, tracks, file.proof, partFromFile);
  const told = (phase: string) => (done: number, total: number) => progress(phase, done, total);
  const checked = checkProof(graph, tracks, stored, told("stages"));
  const exact =
    checked.valid && (exactly ?? graph.triplets.count <= EXACT_TRIPLETS)
      ? roundedDown(checkExactly(graph, tracks, stored, told("stages without rounding")))
      : null;
  return { checked, exact, verdict: verdictOf(file, checked, exact) };
}

function roundedDown(checked: ExactlyChecked): Exact {
  if (!checked.valid) return checked;
  const { lowerBound, upperBound, shift } = checked;
  return {
    valid: true,
    lowerBound: roundDown(lowerBound, shift),
    optimal: lowerBound === upperBound,
    apart: -roundDown(lowerBound - upperBound, shift),
  };
}

function verdictOf(file: ReadProof, checked: Judged["checked"], exact: Exact | null): Judged["verdict"] {
  if (!checked.valid) return { bounded: false, priced: false, holds: false };
  const least = file.lowerBound - SAME * Math.abs(file.lowerBound);
  const holdsExactly = exact === null || (exact.valid && exact.lowerBound >= least);
  const bounded = holdsExactly && checked.lowerBound >= least;
  // Earlier versions rounded a cost of 0 up, too.
  const size = Math.max(Math.abs(file.upperBound), checked.grain ?? 0);
  const priced = Math.abs(checked.upperBound - file.upperBound) <= SAME * size;
  return { bounded, priced, holds: bounded && priced };
}
