import { group } from "d3-array";
import { logAxis, palette, seriesMarks } from "./chart-style.js";
import { type FactorName, type KnownRun, labelOf, varyingFactors } from "./factors.js";
import { type Chart, type Figure, numbered, type Table } from "./figure.js";
import { axisTitle, evenly, type Measure } from "./line-chart.js";
import { formatNumber, formatSummary, summarise } from "./numbers.js";

/** The quantity along x. */
export interface Quantity {
  readonly title: string;
  readonly of: (run: KnownRun) => number | null;
  readonly log: boolean;
}

/** Most points drawn; tables count all. */
const mostPoints = 1500;
/** More are hard to tell apart in a cloud. */
const mostColours = 6;
/** Settings in words, which few levels tell apart. */
const wordy: readonly FactorName[] = ["input", "cost", "ascent", "device"];

/** A point per run, coloured by the settings that are words; other settings may differ too. */
export function scatterChart(runs: readonly KnownRun[], x: Quantity, y: Measure): Figure["charts"][number] {
  const names = categoriesOf(runs);
  const shown = evenly(runs, mostPoints);
  const series = [...new Set(shown.map(({ factors }) => labelOf(factors, names)))].slice(0, palette.length);
  const floor = y.logFrom;
  const values = shown.flatMap((run) => {
    const [at, value] = [x.of(run), y.of(run)];
    const name = labelOf(run.factors, names);
    if (at === null || (x.log && at <= 0) || value === null || !series.includes(name)) return [];
    return { x: at, y: Math.max(floor ?? value, value), name };
  });
  const linear = { scale: { zero: false, padding: 8 }, axis: { tickCount: 6 } };
  const [xs, ys] = [values.map((value) => value.x), values.map((value) => value.y)];
  const chart: Chart = {
    width: 420,
    height: 250,
    data: { values },
    mark: { type: "point", filled: true, opacity: 0.6, size: 36, aria: false },
    encoding: {
      x: { field: "x", type: "quantitative", title: x.title, ...(x.log ? logAxis(xs) : linear) },
      y: { field: "y", type: "quantitative", title: y.title, ...(floor === undefined ? linear : logAxis(ys, floor)) },
      ...(series.length > 1 && seriesMarks("name", series, names.join(" · "))),
    },
  };
  const note = shown.length < runs.length ? ` (${mostPoints} of ${runs.length} runs, evenly taken)` : "";
  const caption = `${y.title}, over ${x.title}, a point per run${note}`;
  return { caption: caption[0].toUpperCase() + caption.slice(1), chart };
}

function categoriesOf(runs: readonly KnownRun[]): FactorName[] {
  const factors = runs.map((run) => run.factors);
  const names = varyingFactors(factors).filter((name) => wordy.includes(name));
  while (names.length > 1 && new Set(factors.map((f) => labelOf(f, names))).size > mostColours) names.shift();
  return names;
}

/** Most groups of a category, and the fewest runs in one. */
const bins = { most: 5, runs: 5 };

/** For each colour of the scatter its runs in order of a quantity, cut into groups of about the same number. */
export function binnedTable(
  runs: readonly KnownRun[],
  x: Quantity,
  measures: readonly Pick<Measure, "title" | "of">[],
): Table {
  const names = categoriesOf(runs);
  const categories = [...group(runs, ({ factors }) => labelOf(factors, names))];
  return {
    caption: `By ${x.title}: median (first – third quartile) of groups of runs`,
    columns: [
      { title: names.join(" · ") || "runs of" },
      ...numbered(x.title, "runs", ...measures.map(({ title }) => title)),
    ],
    rows: categories.flatMap(([label, members]) =>
      binned(members, x).map(({ from, to, own }) => [
        label,
        `${formatNumber(from)} – ${formatNumber(to)}`,
        String(own.length),
        ...measures.map(({ of }) => formatSummary(summarise(own.map(of).filter((one) => one !== null)))),
      ]),
    ),
  };
}

function binned(runs: readonly KnownRun[], x: Quantity) {
  const placed = runs
    .flatMap((run) => {
      const at = x.of(run);
      return at === null ? [] : [{ run, at }];
    })
    .sort((a, b) => a.at - b.at);
  const count = Math.max(1, Math.min(bins.most, Math.floor(placed.length / bins.runs)));
  return Array.from({ length: count }, (_, n) => {
    const part = placed.slice(Math.round((n * placed.length) / count), Math.round(((n + 1) * placed.length) / count));
    return { from: part[0]?.at, to: part.at(-1)?.at, own: part.map(({ run }) => run) };
  });
}

/** A setting as a quantity, where it has three levels or more that are numbers; else null. */
export function scattered(runs: readonly KnownRun[], name: FactorName): Quantity | null {
  const of = ({ factors }: KnownRun) => {
    const value = factors[name];
    return typeof value === "number" ? value : null;
  };
  const levels = new Set(runs.map(of).filter((value) => value !== null));
  return levels.size < 3 ? null : { title: axisTitle(name), of, log: false };
}
