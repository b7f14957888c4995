import { logAxis, seriesMarks } from "../../dist/report/chart-style.js";
import type { Chart } from "../../dist/report/figure.js";
import { formatNumber } from "../../dist/report/numbers.js";

export interface TimedSize {
  readonly what: string;
  /** WIDTHxHEIGHT. */
  readonly size: string;
  readonly milliseconds: number;
}

export const pixelsOf = (size: string) => size.split("x").reduce((product, side) => product * Number(side), 1);

/** Milliseconds, logarithmic, over the size of the image; a line for each `what`. */
export function sizeChart(points: readonly TimedSize[]): Chart {
  const names = [...new Set(points.map(({ what }) => what))];
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => pixelsOf(a) - pixelsOf(b));
  const { color, shape } = seriesMarks("what", names);
  const { scale, axis } = logAxis(points.map(({ milliseconds }) => milliseconds));
  const says = points.map((one) => ({
    ...one,
    says: `${one.what}, ${one.size}: ${formatNumber(one.milliseconds)} ms`,
  }));
  const x = {
    field: "size",
    type: "ordinal",
    sort: sizes,
    title: "pixels of the image",
    axis: { labelAngle: 0 },
  } as const;
  const y = { field: "milliseconds", type: "quantitative", title: "milliseconds", scale, axis } as const;
  return {
    width: 560,
    height: 340,
    data: { values: says },
    layer: [
      { mark: { type: "line", strokeWidth: 1.5, aria: false }, encoding: { x, y, color } },
      {
        mark: { type: "point", filled: true, opacity: 1, size: 70 },
        encoding: {
          x,
          y,
          color,
          shape,
          description: { field: "says", type: "nominal" },
        },
      },
    ],
  };
}
