import { type KnownRun, linesOver } from "../factors.js";
import type { Figure, MissingFigure } from "../figure.js";
import { lineChart, type Measure } from "../line-chart.js";
import { leftOutNote, linesTable } from "../lines-table.js";
import { counted } from "../numbers.js";
import { binnedTable, type Quantity, scatterChart, scattered } from "../scatter.js";

const about = { id: "gaps", title: "The certified gap over size, noise and density" };
const floor = 1e-4;

export const gap: Measure = {
  title: "certified gap, %",
  of: ({ row }) => row.gapPercent,
  logFrom: floor,
};

/** Edges over pairs of detections, which starts and ends may make more than 100 %, and triplets over triples. */
const densities = {
  edges: {
    title: "edges (starts and ends too), % of all pairs in consecutive frames",
    of: ({ row }: KnownRun) => share(row.edges, row.detections, row.frames, 2),
    log: true,
  },
  triplets: {
    title: "triplets, % of all triples in consecutive frames",
    of: ({ row }: KnownRun) => share(row.triplets, row.detections, row.frames, 3),
    log: true,
  },
} satisfies Record<string, Quantity>;

/** Gap over N, T and σ, all else equal, and over the density of the gated problem. */
export function gapsFigure(runs: readonly KnownRun[]): Figure | MissingFigure {
  const known = runs.filter((run) => gap.of(run) !== null);
  const views = (["N", "T", "σ"] as const).map((x) => ({ x, lines: linesOver(known, x) }));
  const filled = views.filter(({ lines }) => lines.lines.length > 0);
  // A random design has no two runs that differ in one setting only.
  const loose = views.filter(({ lines }) => lines.lines.length === 0).flatMap(({ x }) => scattered(known, x) ?? []);
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
      ...[...loose, densities.edges, densities.triplets].map((x) => scatterChart(known, x, gap)),
    ],
    tables: [
      ...filled.map(({ x, lines }) => linesTable(`Gap over ${x}`, lines, x, [gap, iterations, seconds])),
      ...loose.map((x) => binnedTable(known, x, [gap, iterations, seconds])),
      binnedTable(known, densities.triplets, [densities.edges, gap]),
    ],
  };
}

export const iterations = { title: "iterations", of: ({ row }: KnownRun) => row.iterations };
export const seconds = { title: "seconds", of: ({ row }: KnownRun) => row.times.total ?? null };

/** Present ones over all combinations in percent, n detections in each of T frames: n^order (T − order + 1). */
function share(present: number, detections: number, frames: number, order: 2 | 3): number | null {
  const all = (detections / frames) ** order * (frames - order + 1);
  return all > 0 ? (100 * present) / all : null;
}
