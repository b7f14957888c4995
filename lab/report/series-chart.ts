import { logAxis, palette, shapes } from "../../dist/report/chart-style.js";
import type { Chart } from "../../dist/report/figure.js";

export interface SeriesPoint {
  readonly x: number;
  readonly y: number;
  readonly series: string;
}

/** More lines than these are told apart by their shape and dash as well. */
const COLOURS = palette.length;

/** Measured points, a line per series, both axes logarithmic. */
export function seriesChart(points: readonly SeriesPoint[], xTitle: string, yTitle: string): Chart {
  const names = [...new Set(points.map(({ series }) => series))];
  const colour = (n: number) => palette[n % COLOURS];
  const dash = (n: number) => (n < COLOURS ? [1, 0] : [5, 3]);
  const scaled = <T>(range: readonly T[]) =>
    ({ field: "series", type: "nominal", title: null, scale: { domain: names, range: [...range] } }) as const;
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return {
    width: 460,
    height: 300,
    data: { values: points.map((point) => ({ ...point })) },
    layer: [
      { mark: { type: "line" }, encoding: { strokeDash: scaled(names.map((_, n) => dash(n))) } },
      {
        mark: { type: "point", filled: true, opacity: 1, size: 60 },
        encoding: { shape: scaled(names.map((_, n) => shapes[(n + Math.floor(n / COLOURS)) % shapes.length])) },
      },
    ],
    encoding: {
      x: { field: "x", type: "quantitative", title: xTitle, ...logAxis(xs) },
      y: { field: "y", type: "quantitative", title: yTitle, ...logAxis(ys) },
      color: scaled(names.map((_, n) => colour(n))),
    },
  };
}
