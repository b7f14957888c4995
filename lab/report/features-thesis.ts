import { group } from "d3-array";
import type { Figure, MissingFigure, Table } from "../../dist/report/figure.js";
import { latestOfEach } from "../../dist/report/latest.js";
import { formatNumber } from "../../dist/report/numbers.js";
import { peerTime } from "../features/peers.js";
import type { FeaturesThesisRow } from "../rows/features-thesis.js";
import { pixelsOf, sizeChart, type TimedSize } from "./size-chart.js";

const about = { id: "features-thesis", title: "The measurements of Mücke 2007 made again" };

const COLUMNS: readonly { readonly title: string; readonly of: (row: FeaturesThesisRow) => string | number | null }[] =
  [
    { title: "figure", of: ({ figure }) => figure },
    { title: "what", of: ({ what }) => what },
    { title: "image", of: ({ size }) => size },
    { title: "device, ms", of: ({ deviceMilliseconds }) => deviceMilliseconds },
    { title: "end to end, ms", of: ({ wallMilliseconds }) => wallMilliseconds },
    { title: "CPU twin, ms", of: ({ cpuMilliseconds }) => cpuMilliseconds },
    { title: "bytes back", of: ({ bytesBack }) => bytesBack },
    { title: "found", of: ({ found }) => found },
    { title: "error, px", of: ({ error }) => error },
    { title: "of f32's, %", of: ({ kept }) => (kept === undefined ? null : 100 * kept) },
    { title: "GB/s", of: ({ gigabytesPerSecond }) => gigabytesPerSecond },
    { title: "agreement with the twin, %", of: ({ agreement }) => agreement && 100 * agreement },
  ];

/** A table of all, and a chart of each figure and device of what depends on the size, with the thesis's own times of 2007 where it has them. */
export function featuresThesisFigure(rows: readonly FeaturesThesisRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/features/bench.ts" };
  const last = latestOfEach(
    rows,
    (row) => [row.figure, nameOf(row), row.size, row.device.actual],
    ({ date }) => date,
  );
  const devices = [...group(last, ({ device }) => device.actual)];
  return {
    ...about,
    text: [
      "Milliseconds by the device's clock, image and results on the device, or where there is none from the image on the host to the answer there. Every answer was compared with its twin on the CPU, or with the known motion, first.",
      "The times of 2007 are those of a GeForce 7900 GT and a GeForce 6, of other images and with other implementations: they show what two decades made of it, not whose algorithm is better.",
    ],
    charts: devices.flatMap(([device, own]) =>
      [...group(own, ({ figure }) => figure)].flatMap(([figure, rows]) => {
        const points = pointsOf(rows);
        const caption = `${figure}: time by size of the image on ${device}, logarithmic`;
        return points.length === 0 ? [] : [{ caption, chart: sizeChart(points) }];
      }),
    ),
    tables: devices.map(([device, own]) => tableOf(device, own)),
  };
}

/** Older rows also say how many features there were. */
const nameOf = ({ what }: FeaturesThesisRow): string => what.replace(/, \d+ there$/, "");

/** By the device's clock, but end to end where suppression runs is what matters (5.2); with the times of 2007. */
function pointsOf(rows: readonly FeaturesThesisRow[]): TimedSize[] {
  return rows.flatMap((row) => {
    const { figure, size, deviceMilliseconds, wallMilliseconds } = row;
    const isWall = deviceMilliseconds === null || figure === "5.2";
    const milliseconds = isWall ? wallMilliseconds : deviceMilliseconds;
    if (size === null || milliseconds === null) return [];
    const peer = peerTime(row);
    const name = nameOf(row);
    const theirs = peer === null ? [] : [{ what: `${name}: ${peer.who}`, size, milliseconds: peer.milliseconds }];
    return [{ what: isWall ? `${name}, end to end` : name, size, milliseconds }, ...theirs];
  });
}

function tableOf(device: string, rows: readonly FeaturesThesisRow[]): Table {
  const sorted = [...rows].sort(
    (a, b) =>
      a.figure.localeCompare(b.figure, "en", { numeric: true }) ||
      a.what.localeCompare(b.what) ||
      pixelsOf(a.size ?? "0") - pixelsOf(b.size ?? "0"),
  );
  const cells = sorted.map((row) => COLUMNS.map(({ of }) => of(row)));
  const peers = sorted.map((row) => peerTime(row));
  return {
    caption: `The thesis's measurements on ${device}`,
    columns: [
      ...COLUMNS.map(({ title }, n) => ({ title, number: cells.some((row) => typeof row[n] === "number") })),
      { title: "others', ms" },
    ],
    rows: cells.map((row, n) => {
      const peer = peers[n];
      return [
        ...row.map((cell) => (typeof cell === "number" ? formatNumber(cell) : (cell ?? "–"))),
        peer === null ? "–" : `${formatNumber(peer.milliseconds)}, ${peer.who}`,
      ];
    }),
  };
}
