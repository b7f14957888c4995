import type { Figure, MissingFigure } from "../../dist/report/figure.js";
import { formatNumber } from "../../dist/report/numbers.js";
import type { TbdSpeedRow } from "../rows/tbd.js";
import { seriesChart } from "./series-chart.js";

const about = { id: "tbd-variants", title: "Track-before-detect: the variants over the decimation" };

/** The best time over workgroups for each variant and decimation: Mazurek 2010, Fig. 3 and 4. */
export function tbdVariantsFigure(rows: readonly TbdSpeedRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/tbd/variants.mjs" };
  const devices = [...new Set(rows.map((row) => `${row.device}, ${row.width} × ${row.height}`))];
  const parts = devices.map((device) => {
    const own = rows.filter((row) => `${row.device}, ${row.width} × ${row.height}` === device);
    const schemes = [...new Set(own.map(({ scheme }) => scheme))];
    const decimations = [...new Set(own.map(({ decimation }) => decimation))].sort((a, b) => a - b);
    const best = (scheme: string, decimation: number) =>
      own
        .filter((row) => row.scheme === scheme && row.decimation === decimation)
        .reduce((least, row) => Math.min(least, row.milliseconds.median), Number.POSITIVE_INFINITY);
    return { device, schemes, decimations, best };
  });
  return {
    ...about,
    text: [
      "Milliseconds an input frame by the device's clock, the best of the workgroups that were tried, over the number of frames D of a pass. Every state was compared with the twin's before it was timed.",
    ],
    charts: parts.flatMap(({ device, schemes, decimations, best }) =>
      ["constant", "argument"].map((kernel) => {
        // Ours beside each half of the paper's sixteen.
        const shown = schemes.filter((scheme) => scheme.startsWith(kernel) || /^(all|in-place)/.test(scheme));
        const points = shown.flatMap((series) =>
          decimations.map((x) => ({ x, y: best(series, x), series })).filter(({ y }) => Number.isFinite(y)),
        );
        const name = kernel === "constant" ? "A kernel per vector" : "The vector as an argument";
        return {
          caption: `${name}, and ours: ${device}`,
          chart: seriesChart(points, "D, frames a pass", "ms a frame"),
        };
      }),
    ),
    tables: parts.map(({ device, schemes, decimations, best }) => ({
      caption: `Ms an input frame, ${device}`,
      columns: [{ title: "variant" }, ...decimations.map((d) => ({ title: `D = ${d}`, number: true }))],
      rows: schemes.map((scheme) => [scheme, ...decimations.map((d) => formatNumber(best(scheme, d)))]),
    })),
  };
}
