import { areCounted, type FrameNumbers } from "../../core/frame-numbers.js";
import { withParameters } from "../../costs/choice.js";
import type { Reading } from "../../formats/reading.js";
import { relativeGap } from "../../map/certificate/gap.js";
import { DEFAULT_ASCENT } from "../../map/dual/ascents.js";
import { provenance } from "../../rows/provenance.js";
import { finiteOrNull, type ResultRow } from "../../rows/results.js";
import { plainPricing, warnOfSingles } from "../../run/run.js";
import type { WindowTotals } from "../../run/windows/windows.js";
import { METRIC_NAMES, METRICS } from "../../scores/metrics.js";
import type { WindowOutput } from "./output.js";
import type { WindowFlags } from "./refusals.js";

/** The end of a solve in windows, besides its totals. */
export interface WindowedEnd {
  readonly name: string;
  /** The input as the command line names it. */
  readonly file: string;
  readonly flags: WindowFlags;
  readonly limits: { readonly gapPercent: number; readonly iterations: number; readonly seconds: null };
  /** Gap a detection at which a window may stop, 0 where a gap was asked for. */
  readonly nats: number;
  readonly learned: Pick<ResultRow, "motion" | "choices" | "estimates">;
  readonly numbers: FrameNumbers;
  readonly reading: Reading | null;
  readonly warnings: readonly string[];
  readonly output: WindowOutput;
  readonly notes: readonly string[];
  /** Whether the same command goes on where this one was stopped. */
  readonly goesOn: boolean;
  /** Windows that had been found before. */
  readonly taken: number;
  readonly seconds: number;
}

/** The result of all windows that were closed. */
export function windowsRow(totals: WindowTotals, end: WindowedEnd): ResultRow {
  const { name, file, flags, limits, learned, numbers, output } = end;
  const { births = "auto", gate = "auto", ascent = DEFAULT_ASCENT } = flags;
  const { ended, lowerBound, upperBound, plan, detections } = totals;
  const counts = output.lengths.counts();
  const tracks = { ...counts, ...(totals.divisions > 0 && { divisions: totals.divisions }) };
  const scores = output.scores();
  const gap = ended ? relativeGap(lowerBound, upperBound) : Number.POSITIVE_INFINITY;
  const nats = end.nats * detections;
  const notes = [...end.notes, ...end.warnings, ...warnOfSingles(tracks, detections), ...notesOf(totals, end, scores)];
  return {
    name,
    status: ended ? statusOf(gap, limits.gapPercent / 100, upperBound - lowerBound, nats) : "stopped",
    lowerBound: ended ? finiteOrNull(lowerBound) : null,
    upperBound: ended ? finiteOrNull(upperBound) : null,
    gapPercent: finiteOrNull(100 * gap),
    iterations: totals.iterations,
    ascent,
    device: { requested: flags.device, actual: "cpu" },
    precision: "f64",
    threads: flags.threads,
    frames: totals.frames,
    ...(!areCounted(numbers) && { frameNumbers: numbers }),
    ...(end.reading && { reading: end.reading }),
    detections,
    edges: totals.edges,
    triplets: totals.triplets,
    storage: "csr",
    links: null,
    tracks,
    exact: null,
    scores,
    ...learned,
    ...(plan && {
      windows: {
        count: totals.windows,
        frames: plan.size,
        overlap: plan.overlap,
        learned: totals.learned,
        delay: totals.delay,
      },
    }),
    times: { total: end.seconds },
    seed: null,
    scenario: {
      source: { kind: "detections", file, velocitiesEstimated: flags.estimateVelocities === true },
      pricing: plainPricing({ cost: withParameters("motion", flags.prior ?? {}), gate, births }),
    },
    stop: end.nats > 0 ? { ...limits, nats } : limits,
    notes,
    ...provenance(new Date()),
  };
}

function notesOf(totals: WindowTotals, { goesOn, taken }: WindowedEnd, scores: ResultRow["scores"]): string[] {
  const { ended, windows, detections } = totals;
  const notes: string[] = [];
  if (!ended) {
    const more = goesOn ? " The same command goes on with what was found." : "";
    notes.push(
      `Interrupted: ${windows} windows were closed, with ${detections} detections; no bound of the whole.${more}`,
    );
  }
  if (taken > 0) notes.push(`Windows found before: ${taken}.`);
  const unscored = METRIC_NAMES.filter((name) => scores !== null && !(name in scores));
  if (unscored.length > 0)
    notes.push(`Not computed for windows: ${unscored.map((name) => METRICS[name].label).join(", ")}.`);
  return notes;
}

function statusOf(gap: number, asked: number, difference: number, nats: number): string {
  // Bounds are rounded down, costs up: with nothing between them the tracks are optimal.
  if (gap === 0) return "optimal";
  return gap <= asked || difference <= nats ? "gap" : "stalled";
}
