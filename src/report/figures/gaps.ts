import { logAxis, palette, shapes } from "../chart-style.js";
import { type FactorName, labelOf, varyingFactors } from "../factors.js";
import type { Chart, Figure, MissingFigure } from "../figure.js";
import { evenly, lineChart, type Measure } from "../line-chart.js";
import { type KnownRun, linesOver } from "../lines.js";
import { leftOutNote, linesTable } from "../lines-table.js";
import { counted, formatNumber, formatSummary, summarise } from "../numbers.js";

const about = { id: "gaps", title: "The certified gap over size, noise and density" };
const floor = 1e-4;

export const gap: Measure = {
  title: "certified gap, %",
  of: ({ row }) => (row.status === "optimal" ? 0 : row.gapPercent),
  logFrom: floor,
};

/** Densities in percent: edges over possible pairs, and triplets over possible ones. */
const densities = {
  edges: ({ row }: KnownRun) => share(row.edges, row.detections, row.frames, 2),
  triplets: ({ row }: KnownRun) => share(row.triplets, row.detections, row.frames, 3),
};

/** Gap over N, T and σ, all else equal, and over the density of the gated problem. */
export function gapsFigure(runs: readonly KnownRun[]): Figure | MissingFigure {
  const known = runs.filter((run) => gap.of(run) !== null);
  const views = (["N", "T", "σ"] as const).map((x) => ({ x, lines: linesOver(known, x) }));
  const filled = views.filter(({ lines }) => lines.lines.length > 0);
  if (known.length < 2) return { ...about, needs: "two or more runs with a certified gap" };
  const proved = known.filter(({ row }) => row.status === "optimal").length;
  return {
    ...about,
    text: [
      `The gap is how far the tracks can be above the least possible cost; 0 is a proof of optimality, which ${proved} of the ${counted(known.length, "run")} here reached. A run stops when it reaches the gap that was asked for, so points just below that value say nothing about what a longer run would reach. Gaps of ${floor} % or less stand on the lowest line.`,
    ],
    charts: [
      ...filled.map(({ x, lines }) => {
        const { chart, leftOut } = lineChart(lines, x, gap);
        return { caption: `Certified gap over ${x}${leftOutNote(leftOut)}`, chart };
      }),
      ...densityCharts(known),
    ],
    tables: [
      ...filled.map(({ x, lines }) => linesTable(`Gap over ${x}`, lines, x, [gap, iterations, seconds])),
      densityTable(known),
    ],
  };
}

const iterations = { title: "iterations", of: ({ row }: KnownRun) => row.iterations };
const seconds = { title: "seconds", of: ({ row }: KnownRun) => row.times.total ?? null };

/** Most points drawn; the table counts all. */
const mostPoints = 1500;

function densityCharts(runs: readonly KnownRun[]) {
  const names = categoriesOf(runs);
  const shown = evenly(runs, mostPoints);
  const series = [...new Set(shown.map(({ factors }) => labelOf(factors, names)))].slice(0, palette.length);
  const note = shown.length < runs.length ? ` (${mostPoints} of ${runs.length} runs, evenly taken)` : "";
  return (["edges", "triplets"] as const).map((kind) => {
    const values = shown.flatMap((run) => {
      const x = densities[kind](run);
      const y = gap.of(run);
      const name = labelOf(run.factors, names);
      if (x === null || x <= 0 || y === null || !series.includes(name)) return [];
      return { x, y: Math.max(floor, y), name };
    });
    const color = {
      field: "name",
      type: "nominal",
      title: names.join(" · "),
      scale: { domain: series, range: palette },
    } as const;
    const chart: Chart = {
      width: 420,
      height: 250,
      data: { values },
      mark: { type: "point", filled: true, opacity: 0.6, size: 36, aria: false },
      encoding: {
        x: {
          field: "x",
          type: "quantitative",
          title: `${kind} in the gate, % of the possible ones`,
          ...logAxis(values.map(({ x }) => x)),
        },
        y: {
          field: "y",
          type: "quantitative",
          title: gap.title,
          ...logAxis(
            values.map(({ y }) => y),
            floor,
          ),
        },
        ...(series.length > 1 && { color, shape: { ...color, scale: { domain: series, range: shapes } } }),
      },
    };
    return { caption: `Certified gap over the density of ${kind}, a point per run${note}`, chart };
  });
}

/** The wordy settings that few levels tell apart. */
function categoriesOf(runs: readonly KnownRun[]): FactorName[] {
  const factors = runs.map((run) => run.factors);
  const wordy: FactorName[] = ["input", "cost", "ascent", "device"];
  const names = varyingFactors(factors).filter((name) => wordy.includes(name));
  while (names.length > 1 && new Set(factors.map((f) => labelOf(f, names))).size > palette.length) names.shift();
  return names;
}

/** Runs by the triplet density, two bins to a power of ten, 100 % in the last. */
function densityTable(runs: readonly KnownRun[]) {
  const bins = new Map<number, KnownRun[]>();
  for (const run of runs) {
    const density = densities.triplets(run);
    if (density === null || density <= 0) continue;
    const bin = Math.min(3, Math.floor(2 * Math.log10(density) + 1e-9));
    bins.set(bin, [...(bins.get(bin) ?? []), run]);
  }
  const edge = (bin: number) => formatNumber(10 ** (bin / 2), 2);
  const rows = [...bins]
    .sort(([a], [b]) => a - b)
    .map(([bin, own]) => {
      const of = (value: (run: KnownRun) => number | null) =>
        formatSummary(summarise(own.map(value).filter((one) => one !== null)));
      return [`${edge(bin)} – ${edge(bin + 1)} %`, String(own.length), of(densities.edges), of(gap.of)];
    });
  return {
    caption:
      "Gap by density: median (first – third quartile) of all runs whose triplets are this share of the possible ones",
    columns: [
      { title: "triplets in the gate" },
      { title: "runs", number: true },
      { title: "edges, % of possible", number: true },
      { title: "certified gap, %", number: true },
    ],
    rows,
  };
}

/** Present over possible ones in percent, n detections in each of T frames: n^order (T − order + 1). */
function share(present: number, detections: number, frames: number, order: 2 | 3): number | null {
  const possible = (detections / frames) ** order * (frames - order + 1);
  return possible > 0 ? (100 * present) / possible : null;
}
