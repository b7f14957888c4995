import type { Figure, MissingFigure, Table } from "../../dist/report/figure.js";
import { formatNumber } from "../../dist/report/numbers.js";
import type { FlowSpeedRow } from "../rows/flow-speed.js";
import { type SeriesPoint, seriesChart } from "./series-chart.js";

const about = { id: "flow-speeds", title: "Optical flow: schemes and formats" };

/** Without the iterations of a dispatch. */
const schemeOf = ({ scheme }: FlowSpeedRow) => scheme.replace(/ \(\d+\)$/, "");
const depthOf = ({ scheme }: FlowSpeedRow) => Number(/\((\d+)\)$/.exec(scheme)?.[1] ?? Number.NaN);

/** Time a pixel over the size and over the iterations of a dispatch, and the error over the time: Romera et al. 2023, Fig. 8 and 11 and Table 2. */
export function flowSpeedsFigure(rows: readonly FlowSpeedRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/flow/speed.mjs" };
  const devices = [...new Set(rows.map(({ device }) => device))];
  const charts = devices.flatMap((device) => {
    const own = rows.filter((row) => row.device === device);
    const part = (...names: readonly string[]) => own.filter((row) => names.includes(row.part));
    const bySize = (["f32", "f16"] as const).map((precision) => ({
      caption: `Nanoseconds a pixel of ten iterations over the image's side, ${precision}, ${device}`,
      points: least(
        part("table", "sizes").filter((row) => row.precision === precision),
        (row) => ({ x: row.width, y: row.nanosecondsPerPixel, series: schemeOf(row) }),
      ),
      titles: ["side, px", "ns a pixel"] as const,
    }));
    return [
      ...bySize,
      {
        caption: `The same over the iterations of a dispatch, the best workgroup, ${device}`,
        points: least(
          part("depth").filter((row) => Number.isFinite(depthOf(row))),
          (row) => ({ x: depthOf(row), y: row.nanosecondsPerPixel, series: `${schemeOf(row)}, ${row.precision}` }),
        ),
        titles: ["iterations a dispatch", "ns a pixel"] as const,
      },
      {
        caption: `Error of a whole flow over its time, ${device}`,
        points: least(
          part("errors").filter(({ epe }) => epe !== null),
          (row) => ({ x: row.milliseconds.median, y: row.epe as number, series: row.precision }),
        ),
        titles: ["ms", "EPE, px"] as const,
      },
    ].filter(({ points }) => points.length > 0);
  });
  return {
    ...about,
    text: [
      "By the device's clock, but for the parts wall and power, which are by the host's; every answer was compared with that of the twin on the CPU or, above a megapixel, of scheme global.",
    ],
    charts: charts.map(({ caption, points, titles: [x, y] }) => ({ caption, chart: seriesChart(points, x, y) })),
    tables: [tableOf(rows)],
  };
}

/** The smallest y of each x and series, by x. */
function least(rows: readonly FlowSpeedRow[], pointOf: (row: FlowSpeedRow) => SeriesPoint): SeriesPoint[] {
  const found = new Map<string, SeriesPoint>();
  for (const point of rows.map(pointOf)) {
    const key = `${point.x} ${point.series}`;
    if (!((found.get(key)?.y ?? Number.POSITIVE_INFINITY) <= point.y)) found.set(key, point);
  }
  return [...found.values()].sort((a, b) => a.x - b.x);
}

/** All but the many of part depth, of which the best of each scheme and format. */
function tableOf(rows: readonly FlowSpeedRow[]): Table {
  const best = new Map<string, FlowSpeedRow>();
  for (const row of rows.filter(({ part }) => part === "depth")) {
    const key = [row.device, schemeOf(row), row.precision].join();
    if (!((best.get(key)?.milliseconds.median ?? Number.POSITIVE_INFINITY) <= row.milliseconds.median))
      best.set(key, row);
  }
  const shown = [...rows.filter(({ part }) => part !== "depth"), ...best.values()];
  return {
    caption: "Times; of part depth the best of each scheme and format",
    columns: [
      ...["part", "size", "scheme", "format", "timed"].map((title) => ({ title })),
      ...["iterations", "ms", "ns/px", "EPE, px"].map((title) => ({ title, number: true })),
      { title: "device" },
    ],
    rows: shown.map((row) => [
      row.part,
      `${row.width} × ${row.height}${row.pairs > 1 ? `, ${row.pairs} pairs` : ""}`,
      row.scheme,
      row.precision,
      row.whole ? "whole" : "iterations",
      `${row.levels} × ${row.warps} × ${row.iterations}`,
      formatNumber(row.milliseconds.median),
      formatNumber(row.nanosecondsPerPixel),
      formatNumber(row.epe),
      row.device,
    ]),
  };
}
