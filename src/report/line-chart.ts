import { METRICS, type MetricName } from "../scores/metrics.js";
import { logAxis, palette, shapes } from "./chart-style.js";
import { compareLevels, type KnownRun, type Line, type Lines, labelOf } from "./factors.js";
import type { Chart } from "./figure.js";
import { counted, formatSummary, summarise } from "./numbers.js";

export interface Measure {
  readonly title: string;
  readonly of: (run: KnownRun) => number | null;
  /** Smallest value of a logarithmic axis; values below it are drawn on it. Without it the axis is linear and begins at 0. */
  readonly logFrom?: number;
}

/** A metric as charts and tables measure it. */
export function measureOf(name: MetricName): Measure {
  const { label, unit, title } = METRICS[name];
  return { title: `${label}${unit === "" ? "" : `, ${unit}`}: ${title}`, of: ({ row }) => row.scores?.[name] ?? null };
}

/** Most lines and panels that can be told apart. */
const most = { lines: 8, panels: 4 };
/** More levels than these get an axis of numbers. */
const mostLevels = 14;

export interface DrawnLines {
  readonly chart: Chart;
  /** How many of the lines did not fit. */
  readonly leftOut: number;
}

/** Medians of a measure with the middle half over seeds, a line per settings, a panel per level of one of them. */
export function lineChart({ lines, varying }: Lines, x: string, measure: Measure): DrawnLines {
  const panel = panelFactor(lines, varying);
  const inLegend = varying.filter((name) => name !== panel);
  const named = lines.map((line) => ({
    line,
    name: labelOf(line.factors, inLegend),
    panel: panel === null ? "" : labelOf(line.factors, [panel]),
  }));
  const names = [...new Set(named.map(({ name }) => name))];
  const kept = evenly(names, most.lines);
  const drawn = named.filter(({ name }) => kept.includes(name));
  const levels = levelsOf(drawn.map(({ line }) => line));
  const ordinal = levels.length <= mostLevels || levels.some((level) => typeof level === "string");
  const apart = Math.min(0.08, 0.4 / kept.length);
  // Lines that coincide stand beside each other.
  const beside = (name: string) => apart * (kept.indexOf(name) - (kept.length - 1) / 2);
  const values = drawn.flatMap(({ line, name, panel }) =>
    line.points.flatMap((point) => {
      const of = pointOf(point, measure);
      if (of === null) return [];
      const at = ordinal ? levels.indexOf(point.x) + beside(name) : point.x;
      const { summary, ...drawnAt } = of;
      const says = `${name}, ${x} ${point.x}: ${measure.title} ${formatSummary(summary)}, ${counted(summary.count, "run")}`;
      return { beside: at, x: point.x, line: name, panel, ...drawnAt, runs: summary.count, says };
    }),
  );
  const color = {
    field: "line",
    type: "nominal",
    title: inLegend.join(" · "),
    sort: names,
    scale: { domain: kept, range: palette },
    legend: { columns: legendColumns(kept) },
  } as const;
  const many = kept.length > 1;
  const panels = [...new Set(values.map((value) => value.panel))];
  const header = panels.length === 1 && { header: { labels: false } };
  const chart: Chart = {
    data: { values },
    facet: { column: { field: "panel", type: "nominal", title: null, sort: panels, ...header } },
    spec: {
      width: [0, 400, 420, 275, 200][panels.length],
      height: 250,
      encoding: {
        x: {
          field: "beside",
          type: "quantitative",
          title: axisTitle(x),
          ...(ordinal ? levelAxis(levels.map(String)) : { scale: { zero: false } }),
        },
        color: many ? color : { value: palette[0] },
      },
      layer: [
        {
          mark: { type: "rule", strokeWidth: 2, opacity: 0.45 },
          encoding: { y: { field: "low", type: "quantitative" }, y2: { field: "high" } },
        },
        { mark: { type: "line", opacity: 0.8 }, encoding: { y: { field: "median", type: "quantitative" } } },
        {
          mark: { type: "point", filled: true, opacity: 1 },
          encoding: {
            y: { field: "median", type: "quantitative", title: measure.title, ...measureAxis(values, measure) },
            ...(many && { shape: { ...color, scale: { domain: kept, range: shapes } } }),
            description: { field: "says", type: "nominal" },
          },
        },
      ],
    },
  };
  return { chart, leftOut: names.length - kept.length };
}

/** Median and middle half of a measure at one point; null where no run has it. */
function pointOf({ runs }: Line["points"][number], { of, logFrom }: Measure) {
  const summary = summarise(runs.map(of).filter((value) => value !== null));
  if (summary === null) return null;
  const at = (value: number) => (logFrom === undefined ? value : Math.max(logFrom, value));
  return { summary, median: at(summary.median), low: at(summary.low), high: at(summary.high) };
}

function measureAxis(values: readonly { readonly high: number }[], { logFrom }: Measure) {
  const highs = values.map(({ high }) => high);
  if (logFrom !== undefined) return logAxis(highs, logFrom);
  return { scale: { domain: [0, 1.04 * Math.max(1e-9, ...highs)], nice: true }, axis: { tickCount: 5 } };
}

/** Letters that a row of a legend holds. */
const LEGEND_LETTERS = 130;

/** As many as fit the page's width; a wider chart would be scaled down until it is unreadable. */
function legendColumns(names: readonly string[]): number {
  const longest = Math.max(1, ...names.map((name) => name.length + 4));
  return Math.min(4, Math.max(1, Math.floor(LEGEND_LETTERS / longest)));
}

const axisTitles: Readonly<Record<string, string>> = {
  N: "N, targets",
  T: "T, frames",
  σ: "σ, noise of the positions",
  ε: "ε, gate: links up to speed · δt · ε",
};

export const axisTitle = (name: string): string => axisTitles[name] ?? name;

function levelsOf(lines: readonly Line[]): (number | string)[] {
  return [...new Set(lines.flatMap(({ points }) => points.map((point) => point.x)))].sort(compareLevels);
}

/** Levels at 0, 1, 2, … with their names below. */
function levelAxis(names: readonly string[]) {
  return {
    scale: { domain: [-0.5, names.length - 0.5], nice: false },
    axis: { values: names.map((_, n) => n), labelExpr: `${JSON.stringify(names)}[datum.value]` },
  };
}

/** The setting whose levels become panels: of two or more, the one with the fewest; null where one legend does. */
function panelFactor(lines: readonly Line[], varying: readonly string[]): string | null {
  if (varying.length < 2) return null;
  const levels = (name: string) => new Set(lines.map(({ factors }) => factors[name])).size;
  const [fewest] = [...varying].sort((a, b) => levels(a) - levels(b));
  return levels(fewest) <= most.panels ? fewest : null;
}

/** At most `count` of the items, spread over all of them, the first and the last included. */
export function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, n) => items[Math.round((n * (items.length - 1)) / (count - 1))]);
}
