import { group } from "d3-array";
import { peerTime } from "../../rows/features-peers.js";
import { type FeaturesThesisRow, featuresThesisKind } from "../../rows/kinds/features-thesis.js";
import type { Chart, Figure, MissingFigure, Table } from "../figure.js";
import { latestOfEach } from "../latest.js";
import { formatNumber } from "../numbers.js";
import { pixelsOf, sizeChart } from "../size-chart.js";

const about = { id: "features-thesis", title: "The measurements of Mücke 2007 made again" };

/** A table of all, one chart a device of what depends on the size, with the thesis's own times of 2007 where it has them. */
export function featuresThesisFigure(rows: readonly FeaturesThesisRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of rmap bench features" };
  const last = latestOfEach(
    rows,
    ({ figure, what, size, device }) => [figure, what, size, device.actual],
    ({ date }) => date,
  );
  const devices = [...group(last, ({ device }) => device.actual)];
  return {
    ...about,
    text: [
      "Milliseconds by the device's clock, image and results on the device, or where there is none from the image on the host to the answer there. Every answer was compared with its twin on the CPU, or with the known motion, first.",
      "The times of 2007 are those of a GeForce 7900 GT and a GeForce 6, of other images and with other implementations: they show what two decades made of it, not whose algorithm is better.",
    ],
    charts: devices.map(([device, own]) => ({
      caption: `Time by size of the image on ${device}, and of 2007, logarithmic`,
      chart: chartOf(own),
    })),
    tables: devices.map(([device, own]) => tableOf(device, own)),
  };
}

/** Fig. 5.2 compares times end to end and has no line of its own here. */
function chartOf(rows: readonly FeaturesThesisRow[]): Chart {
  const points = rows.flatMap((row) => {
    const { figure, what, size, deviceMilliseconds, wallMilliseconds } = row;
    const milliseconds = deviceMilliseconds ?? wallMilliseconds;
    if (size === null || milliseconds === null || figure === "5.2") return [];
    const peer = peerTime(row);
    const theirs = peer === null ? [] : [{ what: `${what}: ${peer.who}`, size, milliseconds: peer.milliseconds }];
    const name = deviceMilliseconds === null ? `${what}, end to end` : what;
    return [{ what: name, size, milliseconds }, ...theirs];
  });
  return sizeChart(points);
}

function tableOf(device: string, rows: readonly FeaturesThesisRow[]): Table {
  const columns = featuresThesisKind.columns.filter(({ title }) => title !== "device");
  const sorted = [...rows].sort(
    (a, b) =>
      a.figure.localeCompare(b.figure, "en", { numeric: true }) ||
      a.what.localeCompare(b.what) ||
      pixelsOf(a.size ?? "0") - pixelsOf(b.size ?? "0"),
  );
  const cells = sorted.map((row) => columns.map(({ of }) => of(row)));
  const peers = sorted.map((row) => peerTime(row));
  return {
    caption: `The thesis's measurements on ${device}`,
    columns: [
      ...columns.map(({ title }, n) => ({ title, number: cells.some((row) => typeof row[n] === "number") })),
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
