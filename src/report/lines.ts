import { group } from "d3-array";
import type { RunRow } from "../rows/results.js";
import {
  compareFactors,
  compareLevels,
  FACTOR_NAMES,
  type FactorName,
  type Factors,
  type Levels,
  varyingFactors,
} from "./factors.js";
import { latestOfEach } from "./latest.js";

/** A run with its settings read. */
export interface KnownRun {
  readonly row: RunRow;
  readonly factors: Factors;
}

/** Runs that differ in one setting and the seed only, by that setting. */
export interface Line {
  readonly factors: Levels;
  readonly points: readonly { readonly x: number | string; readonly runs: readonly KnownRun[] }[];
}

export interface Lines {
  readonly lines: readonly Line[];
  /** Settings that tell the lines apart. */
  readonly varying: readonly string[];
}

/** Groups of runs that agree in all settings but `free`, in order of the settings. */
export function groupRuns(runs: readonly KnownRun[], free: readonly FactorName[]): KnownRun[][] {
  const fixed = FACTOR_NAMES.filter((name) => !free.includes(name));
  const groups = group(runs, ({ factors }) => JSON.stringify(fixed.map((name) => factors[name])));
  return [...groups.values()].sort(([a], [b]) => compareFactors(a.factors, b.factors));
}

/** Lines over `x` with at least two of its values. Runs are never pooled over anything but the seed. */
export function linesOver(runs: readonly KnownRun[], x: FactorName): Lines {
  const lines = groupRuns(runs, [x])
    .map((own) => ({
      factors: own[0].factors,
      points: [...group(own, ({ factors }) => factors[x])]
        .map(([level, runs]) => ({ x: level, runs }))
        .sort((a, b) => compareLevels(a.x, b.x)),
    }))
    .filter(({ points }) => points.length > 1);
  return {
    lines,
    varying: varyingFactors(
      lines.map(({ factors }) => factors as Factors),
      [x],
    ),
  };
}

/** Of runs made more than once with the same settings and seed, the last. */
export function lastOfEach(runs: readonly KnownRun[]): KnownRun[] {
  return latestOfEach(
    runs,
    ({ row }) => [row.name, row.scenario, row.ascent, row.device.actual, row.precision, row.seed, row.stop],
    ({ row }) => row.date,
  );
}
