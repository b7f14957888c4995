import { group } from "d3-array";
import type { FeaturesRow } from "../../rows/kinds/features.js";
import { logAxis, seriesMarks } from "../chart-style.js";
import type { Chart, Figure, MissingFigure, Table } from "../figure.js";
import { latestOfEach } from "../latest.js";
import { formatNumber } from "../numbers.js";

const about = { id: "features", title: "Features of images on a GPU" };

interface Timed {
  readonly what: string;
  readonly size: string;
  readonly milliseconds: number;
}

/** Device time of each method over the size of the image, one chart a device; rows that did not agree with the twin have no time. */
export function featuresFigure(rows: readonly FeaturesRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of bench/features/gpu.mjs" };
  const last = latestOfEach(
    rows,
    ({ what, size, device }) => [what, size, device.actual],
    ({ date }) => date,
  );
  const devices = [...group(last, ({ device }) => device.actual)];
  const failed = last.filter(({ milliseconds }) => milliseconds === null).length;
  return {
    ...about,
    text: [
      `Milliseconds by the device's clock, image and results on the device: the median of the repetitions. Every answer was compared with its twin on the CPU first, and ${failed === 0 ? "all of them agree" : `${failed} did not agree and have no time`}.`,
    ],
    charts: devices.map(([device, own]) => ({
      caption: `Time by size of the image on ${device}, logarithmic`,
      chart: timeChart(own),
    })),
    tables: devices.map(([device, own]) => tableOf(device, own)),
  };
}

const pixelsOf = (size: string) => size.split("x").reduce((product, side) => product * Number(side), 1);

function timeChart(rows: readonly FeaturesRow[]): Chart {
  const points: Timed[] = rows.flatMap(({ what, size, milliseconds }) =>
    size === null || milliseconds === null ? [] : [{ what, size, milliseconds: milliseconds.median }],
  );
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

function tableOf(device: string, rows: readonly FeaturesRow[]): Table {
  const numbers = ["milliseconds", "least", "greatest", "found", "agreement with the twin, %"];
  const sorted = [...rows].sort(
    (a, b) => a.what.localeCompare(b.what) || pixelsOf(a.size ?? "0") - pixelsOf(b.size ?? "0"),
  );
  return {
    caption: `Features on ${device}`,
    columns: [{ title: "what" }, { title: "image" }, ...numbers.map((title) => ({ title, number: true }))],
    rows: sorted.map(({ what, size, milliseconds, keypoints, corners, points, agreement }) => [
      what,
      size ?? "–",
      ...[
        milliseconds?.median,
        milliseconds?.min,
        milliseconds?.max,
        keypoints ?? corners ?? points,
        100 * agreement,
      ].map((value) => (typeof value === "number" ? formatNumber(value) : "–")),
    ]),
  };
}
