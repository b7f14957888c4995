import { extent, group, min } from "d3-array";
import type { ResultFolder } from "../../rows/result-folder.js";
import { logAxis, seriesMarks } from "../chart-style.js";
import { type Chart, type Figure, type MissingFigure, numbered } from "../figure.js";
import { formatNumber, formatSeconds } from "../numbers.js";

/** Bounds over time of one run. */
export interface Convergence {
  /** Runs of the same problem share a chart. */
  readonly problem: string;
  /** The ascent, and what else tells the run from others of its problem. */
  readonly label: string;
  readonly history: NonNullable<ResultFolder["history"]>;
}

const about = { id: "convergence", title: "Bound and tracks over time" };
/** Most instants of a run that are drawn. */
const mostInstants = 400;
/** Gap on the lowest line, in percent. */
const floor = 1e-4;

/** Lower bound and cost of the best tracks against seconds, a colour per ascent, and the gap between them. */
export function convergenceFigure(runs: readonly Convergence[]): Figure | MissingFigure {
  const known = runs.filter(({ history }) => history.some(({ seconds }) => Number.isFinite(seconds)));
  if (known.length === 0) {
    return { ...about, needs: "folders that rmap solve -o wrote, or a history.csv of one" };
  }
  const problems = [...group(known, ({ problem }) => problem)];
  return {
    ...about,
    text: [
      "The lower bound rises and the cost of the best tracks found so far falls; no set of tracks can cost less than the bound. Time counts from the start of the ascent, on a logarithmic axis.",
    ],
    charts: problems.flatMap(([problem, own]) => [
      { caption: `${problem}: cost of the tracks (thin) and lower bound (thick)`, chart: boundsChart(own) },
      { caption: `${problem}: gap between the two, %`, chart: gapChart(own) },
    ]),
    tables: [
      {
        caption: "Where each run stood when",
        columns: [
          { title: "problem" },
          { title: "run" },
          ...numbered("gap ≤ 1 %", "gap ≤ 0.1 %", "gap ≤ 0.01 %", "last lower bound", "last tracks"),
          ...numbered("last gap, %", "iterations", "time"),
        ],
        rows: known.map(({ problem, label, history }) => {
          const last = history[history.length - 1];
          const when = (gap: number) => formatSeconds(history.find((row) => gapOf(row) <= gap)?.seconds);
          return [
            problem,
            label,
            ...[1, 0.1, 0.01].map(when),
            formatNumber(last.lowerBound, 7),
            formatNumber(last.upperBound, 7),
            formatNumber(gapOf(last)),
            String(last.iteration),
            formatSeconds(last.seconds),
          ];
        }),
      },
    ],
  };
}

/** Percent; infinite while one of the two is not known. */
export function gapOf({ lowerBound, upperBound }: { lowerBound: number; upperBound: number }): number {
  const difference = Math.max(0, upperBound - lowerBound);
  return difference === 0 ? 0 : (100 * difference) / Math.abs(upperBound);
}

function timeAxis(runs: readonly Convergence[]) {
  const seconds = runs.flatMap(({ history }) => history.map((row) => row.seconds));
  return { field: "seconds", type: "quantitative", title: "seconds", ...logAxis(seconds) } as const;
}

function boundsChart(runs: readonly Convergence[]): Chart {
  const values = runs.flatMap(({ label, history }) =>
    thinned(history).flatMap(({ seconds, lowerBound, upperBound }) =>
      [
        { seconds, run: label, kind: "lower bound", cost: lowerBound },
        { seconds, run: label, kind: "tracks", cost: upperBound },
      ].filter(({ cost }) => Number.isFinite(cost)),
    ),
  );
  return {
    width: 400,
    height: 260,
    data: { values },
    mark: { type: "line", interpolate: "step-after", clip: true },
    encoding: {
      x: timeAxis(runs),
      y: {
        field: "cost",
        type: "quantitative",
        title: "cost",
        scale: { zero: false, domain: costDomain(values), nice: false },
        axis: { tickCount: 6 },
      },
      color: colour(runs),
      strokeWidth: {
        field: "kind",
        type: "ordinal",
        sort: null,
        title: null,
        scale: {
          domain: ["lower bound", "tracks"],
          range: [3, 1.2],
        },
        legend: { symbolType: "stroke" },
      },
    },
  };
}

/** The axis from the last bounds to the tracks, with some room; a first bound far below would flatten the rest. */
function costDomain(
  values: readonly { readonly run: string; readonly kind: string; readonly cost: number }[],
): number[] {
  const [least = Number.POSITIVE_INFINITY, most = Number.NEGATIVE_INFINITY] = extent(values, ({ cost }) => cost);
  const best = min(values, ({ kind, cost }) => (kind === "tracks" ? cost : undefined));
  if (best === undefined || !Number.isFinite(best)) return [least, most];
  const last = [...group(values, ({ run, kind }) => `${kind} ${run}`).values()].map((own) => own[own.length - 1].cost);
  const room = Math.max(0.03 * Math.abs(best), 1.5 * (best - (min(last) ?? best)));
  const margin = 0.06 * room;
  return [Math.max(least, best - room) - margin, Math.min(most, best + room) + margin];
}

function gapChart(runs: readonly Convergence[]): Chart {
  const values = runs.flatMap(({ label, history }) =>
    thinned(history)
      .map((row) => ({ seconds: row.seconds, run: label, gap: Math.max(floor, gapOf(row)) }))
      .filter(({ gap }) => Number.isFinite(gap)),
  );
  return {
    width: 400,
    height: 260,
    data: { values },
    mark: { type: "line", interpolate: "step-after", clip: true },
    encoding: {
      x: timeAxis(runs),
      y: {
        field: "gap",
        type: "quantitative",
        title: "gap, %",
        ...logAxis(
          values.map(({ gap }) => gap),
          floor,
        ),
      },
      color: colour(runs),
    },
  };
}

function colour(runs: readonly Convergence[]) {
  const labels = [...new Set(runs.map(({ label }) => label))];
  return seriesMarks("run", labels, "ascent").color;
}

/** First and last instant and some between them, all after the start. */
function thinned(history: Convergence["history"]): Convergence["history"] {
  const timed = history.filter(({ seconds }) => seconds > 0);
  const step = Math.max(1, Math.ceil(timed.length / mostInstants));
  return timed.filter((_, n) => n % step === 0 || n === timed.length - 1);
}
