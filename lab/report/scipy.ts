import { group } from "d3-array";
import { palette } from "../../dist/report/chart-style.js";
import type { Figure, MissingFigure } from "../../dist/report/figure.js";
import { latestOfEach } from "../../dist/report/latest.js";
import { formatRatio, formatSeconds, geometricMean, summarise } from "../../dist/report/numbers.js";
import { type Ratio, ratioChart } from "../../dist/report/ratio-chart.js";
import type { LapCpuRow } from "../rows/lap-cpu.js";

const sciPy = { id: "lap-cpu", title: "The CPU's assignment solver against SciPy's" };

/** SciPy's time over ours by kind of matrix, one core each. */
export function lapCpuFigure(rows: readonly LapCpuRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...sciPy, needs: "rows of lab/lap/scipy.mjs" };
  const last = latestOfEach(
    rows,
    ({ kind, n }) => [kind, n],
    ({ date }) => date,
  );
  last.sort((a, b) => a.kind.localeCompare(b.kind) || a.n - b.n);
  const byKind = [...group(last, ({ kind }) => kind)].slice(0, palette.length);
  const means = byKind.map(([series, own]) => ({
    series,
    mean: geometricMean(own.map(({ ratio }) => 1 / ratio.median)),
  }));
  const ratios = byKind.flatMap(([series, own]) =>
    own.map(
      ({ n, ratio }): Ratio => ({
        x: String(n),
        series,
        value: 1 / ratio.median,
        range: [1 / ratio.max, 1 / ratio.min],
      }),
    ),
  );
  const sizes = [...new Set(last.map(({ n }) => n))].sort((a, b) => a - b).map(String);
  const milliseconds = (one: { median: number; min: number; max: number }) =>
    `${formatSeconds(one.median / 1000)} (${formatSeconds(one.min / 1000)} – ${formatSeconds(one.max / 1000)})`;
  const all = summarise(last.map(({ ratio }) => 1 / ratio.median));
  return {
    ...sciPy,
    text: [
      `How many times faster the Jonker–Volgenant solver of rmap is than SciPy's linear_sum_assignment, one core each, on the same matrices; from ${formatRatio(all && Math.min(...last.map(({ ratio }) => 1 / ratio.median)))} to ${formatRatio(all && Math.max(...last.map(({ ratio }) => 1 / ratio.median)))}. SciPy gets sparse matrices as dense ones with infinite entries.`,
    ],
    charts: [
      {
        caption:
          "SciPy's time over ours by size, logarithmic; bars are the range of the repetitions, lines geometric means",
        chart: ratioChart(ratios, sizes, means, "rows and columns"),
      },
    ],
    tables: [
      {
        caption: "One assignment problem: median (least – greatest) time; the last rows are geometric means",
        columns: [
          { title: "matrix" },
          ...["n", "rmap", "SciPy", "SciPy's over ours"].map((title) => ({ title, number: true })),
        ],
        rows: [
          ...last.map(({ kind, n, ours, scipy, ratio }) => [
            kind,
            String(n),
            milliseconds(ours),
            milliseconds(scipy),
            formatRatio(1 / ratio.median),
          ]),
          ...means.map(({ series, mean }) => [`geometric mean, ${series}`, "", "", "", formatRatio(mean)]),
        ],
      },
    ],
  };
}
