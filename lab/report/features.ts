import { group } from "d3-array";
import type { Chart, Figure, MissingFigure, Table } from "../../dist/report/figure.js";
import { latestOfEach } from "../../dist/report/latest.js";
import { formatNumber } from "../../dist/report/numbers.js";
import { peerTime } from "../features/peers.js";
import type { FeaturesRow } from "../rows/features.js";
import { pixelsOf, sizeChart } from "./size-chart.js";

const about = { id: "features", title: "Features of images on a GPU" };

/** Device time of each method over the size of the image, one chart a device; rows that did not agree with the twin have no time. */
export function featuresFigure(rows: readonly FeaturesRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/features/bench.ts --figure cudasift" };
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

function timeChart(rows: readonly FeaturesRow[]): Chart {
  return sizeChart(
    rows.flatMap(({ what, size, milliseconds }) =>
      size === null || milliseconds === null ? [] : [{ what, size, milliseconds: milliseconds.median }],
    ),
  );
}

function tableOf(device: string, rows: readonly FeaturesRow[]): Table {
  const numbers = ["milliseconds", "least", "greatest", "found", "agreement with the twin, %"];
  const sorted = [...rows].sort(
    (a, b) => a.what.localeCompare(b.what) || pixelsOf(a.size ?? "0") - pixelsOf(b.size ?? "0"),
  );
  return {
    caption: `Features on ${device}`,
    columns: [
      { title: "what" },
      { title: "image" },
      ...numbers.map((title) => ({ title, number: true })),
      { title: "others', ms" },
    ],
    rows: sorted.map((row) => {
      const { what, size, milliseconds, keypoints, corners, points, agreement } = row;
      const peer = peerTime(row);
      return [
        what,
        size ?? "–",
        ...[
          milliseconds?.median,
          milliseconds?.min,
          milliseconds?.max,
          keypoints ?? corners ?? points,
          100 * agreement,
        ].map((value) => (typeof value === "number" ? formatNumber(value) : "–")),
        peer === null ? "–" : `${formatNumber(peer.milliseconds)}, ${peer.who}`,
      ];
    }),
  };
}
