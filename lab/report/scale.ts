import type { Figure, MissingFigure, Table } from "../../dist/report/figure.js";
import { formatNumber } from "../../dist/report/numbers.js";
import type { ScaleRow } from "../rows/scale.js";
import { seriesChart } from "./series-chart.js";

const about = { id: "scale", title: "Whole solves over four decades of edges" };

/** Problems of one density, on which the curve is drawn: TARGETSxFRAMES, without births or with. */
const CURVE = /^(\d+)x(\d+)(-births)?$/;

/** Time of the command against edges, a line for each device and kind of problem; and all rows as a table, with the seconds a million edges. */
export function scaleFigure(rows: readonly ScaleRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/scale/scale.mjs" };
  const last = [...new Map(rows.map((row) => [`${row.problem} ${placeOf(row)}`, row])).values()];
  const sorted = last.toSorted((a, b) => a.edges - b.edges || placeOf(a).localeCompare(placeOf(b)));
  const points = sorted.flatMap((row) => {
    const curve = CURVE.exec(row.problem);
    const ofCurve = curve !== null && (row.device.actual !== "cpu" || row.threads === 16);
    return ofCurve ? [{ x: row.edges, y: row.wall, series: `${placeOf(row)}${curve[3] ? ", births" : ""}` }] : [];
  });
  return {
    ...about,
    text: [
      "Seconds of the whole command, from its start to its certified answer. A line of slope 1 is linear; below some ten thousand edges the start of the program is most of it.",
    ],
    charts: [
      { caption: "Simulated targets of one density", chart: seriesChart(points, "edges", "seconds of the command") },
    ],
    tables: [tableOf(sorted)],
  };
}

function placeOf({ device, threads }: ScaleRow): string {
  return device.actual === "cpu" ? `cpu, ${threads} threads` : device.actual;
}

function tableOf(rows: readonly ScaleRow[]): Table {
  const numbers = ["edges", "seconds", "seconds a million edges", "gap, %", "iterations", "host, MiB", "device, MiB"];
  return {
    caption: "All of them",
    columns: [{ title: "problem" }, { title: "on" }, ...numbers.map((title) => ({ title, number: true }))],
    rows: rows.map((row) => {
      const { problem, edges, wall, gapPercent, iterations, hostMiB, deviceMiB } = row;
      const figures = [edges, wall, (1e6 * wall) / edges, gapPercent, iterations, hostMiB, deviceMiB];
      const shown = figures.map((value) => (value === null ? "–" : formatNumber(Number(value.toPrecision(3)))));
      return [problem, placeOf(row), String(edges), ...shown.slice(1)];
    }),
  };
}
