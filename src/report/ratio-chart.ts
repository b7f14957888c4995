import { logTicks, seriesMarks } from "./chart-style.js";
import type { Chart } from "./figure.js";
import { formatRatio } from "./numbers.js";

/** Of a letter of the axis, in pixels. */
const LETTER_WIDTH = 7;

export interface Ratio {
  readonly x: string;
  readonly series: string;
  readonly value: number;
  readonly range: readonly [number, number] | null;
}

/** Ratios by size on a logarithmic axis, the geometric mean of each series as a line with its value. */
export function ratioChart(
  ratios: readonly Ratio[],
  sizes: readonly string[],
  means: readonly { readonly series: string; readonly mean: number }[],
  xTitle: string,
): Chart {
  const names = means.map(({ series }) => series);
  const { color, shape } = seriesMarks("series", names);
  const points = ratios.map(({ range, ...ratio }) => ({
    ...ratio,
    low: range?.[0] ?? ratio.value,
    high: range?.[1] ?? ratio.value,
    says: `${ratio.series}, ${ratio.x}: ${formatRatio(ratio.value)}`,
  }));
  const lines = means.map(({ series, mean }) => ({ series, mean, text: formatRatio(mean) }));
  const least = Math.min(1, ...points.map(({ low }) => low));
  const most = Math.max(...points.map(({ high }) => high));
  const scale = { type: "log" as const, nice: false, domain: [least, Math.max(2, most * 1.15)] };
  const axis = { labelExpr: "format(datum.value, ',') + ' ×'", values: logTicks(scale.domain[0], scale.domain[1]) };
  const width = Math.max(560, 15 * sizes.length);
  return {
    width,
    height: 300,
    layer: [
      {
        data: { values: [{ one: 1 }] },
        mark: { type: "rule", color: "#888", aria: false },
        encoding: { y: { field: "one", type: "quantitative" } },
      },
      {
        data: { values: lines },
        mark: { type: "rule", strokeWidth: 1.2 },
        encoding: { y: { field: "mean", type: "quantitative" }, color },
      },
      {
        data: { values: lines },
        mark: { type: "text", align: "left", baseline: "middle", dx: 5, fontWeight: 600, fontSize: 12 },
        encoding: {
          x: { value: "width" },
          y: { field: "mean", type: "quantitative" },
          text: { field: "text", type: "nominal" },
          color,
        },
      },
      {
        data: { values: points },
        mark: { type: "rule", strokeWidth: 2.5, opacity: 0.45 },
        encoding: {
          x: { field: "x", type: "ordinal", sort: [...sizes] },
          y: { field: "low", type: "quantitative" },
          y2: { field: "high" },
          color,
        },
      },
      {
        data: { values: points },
        mark: { type: "point", filled: true, opacity: 1, size: 70 },
        encoding: {
          x: {
            field: "x",
            type: "ordinal",
            sort: [...sizes],
            title: xTitle,
            axis: {
              ...(sizes.length > 10 || LETTER_WIDTH * sizes.join(" ").length > width
                ? { labelAngle: sizes.length > 30 ? -90 : -45 }
                : { labelAngle: 0, labelAlign: "center", labelBaseline: "top" }),
              grid: true,
            },
          },
          y: { field: "value", type: "quantitative", title: "times faster", scale, axis },
          color,
          shape,
          description: { field: "says", type: "nominal" },
        },
      },
    ],
  };
}
