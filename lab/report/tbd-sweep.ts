import type { Figure, MissingFigure } from "../../dist/report/figure.js";
import { formatNumber } from "../../dist/report/numbers.js";
import type { TbdSweepRow } from "../rows/tbd.js";
import { seriesChart } from "./series-chart.js";

const about = { id: "tbd-sweep", title: "Track-before-detect: the variants over the decimation" };

/** Mazurek's groups, which his figures compare, with ours beside each. */
const GROUPS = [
  ["texture", "Frames from a texture"],
  ["storage", "Frames from memory"],
] as const;

/** The best time over workgroups for each variant and decimation: Mazurek 2010, Fig. 3 and 4. */
export function tbdSweepFigure(rows: readonly TbdSweepRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/tbd/sweep.mjs" };
  const placeOf = ({ device, width, height }: TbdSweepRow) => `${device}, ${width} × ${height}`;
  const parts = [...new Set(rows.map(placeOf))].map((place) => {
    const those = rows.filter((row) => placeOf(row) === place);
    const schemes = [...new Set(those.map(({ scheme }) => scheme))].sort();
    const best = new Map(schemes.map((scheme) => [scheme, bestOf(those.filter((row) => row.scheme === scheme))]));
    return { place, best };
  });
  return {
    ...about,
    text: [
      "Milliseconds an input frame by the device's clock, the best of all workgroups, over the number of frames D of a pass. At every point the state was compared with the twin's.",
    ],
    charts: parts.flatMap(({ place, best }) =>
      GROUPS.map(([input, name]) => {
        const shown = [...best].filter(([scheme]) => scheme.includes(`, ${input}, `) || /^(all|in-place)/.test(scheme));
        const points = shown.flatMap(([series, times]) => times.map((y, n) => ({ x: n + 1, y, series })));
        return { caption: `${name}, and ours: ${place}`, chart: seriesChart(points, "D, frames a pass", "ms a frame") };
      }),
    ),
    tables: parts.map(({ place, best }) => ({
      caption: `Ms an input frame, ${place}`,
      columns: [
        { title: "variant" },
        ...([...best.values()][0] ?? []).map((_, n) => ({ title: `D = ${n + 1}`, number: true })),
      ],
      rows: [...best].map(([scheme, times]) => [scheme, ...times.map((time) => formatNumber(time))]),
    })),
  };
}

const bestOf = (rows: readonly TbdSweepRow[]) =>
  rows[0].milliseconds.map((_, n) => Math.min(...rows.map(({ milliseconds }) => milliseconds[n])));
