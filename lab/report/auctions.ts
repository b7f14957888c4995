import { logAxis, seriesMarks } from "../../dist/report/chart-style.js";
import type { Chart, Figure, MissingFigure, Table } from "../../dist/report/figure.js";
import { formatNumber, formatRatio, geometricMean } from "../../dist/report/numbers.js";
import { ratioChart } from "../../dist/report/ratio-chart.js";
import type { AuctionRow } from "../rows/auction.js";
import { type AuctionSpeedup, auctionSpeedups, problemOf } from "../sorting/speedups.js";

/** The paper's, and ours. */
const BY_FRAME: readonly (readonly [AuctionRow["board"], AuctionRow["loop"]])[] = [
  ["matrix", "host"],
  ["packed", "host"],
  ["workgroup", "submit"],
];
const about = { id: "auctions", title: "Auctions on the frames of a belt" };

/** The boards of Maier et al. 2019 by the letters of docs/explanation/sorting.md. */
const LETTER: Readonly<Record<AuctionRow["board"], string>> = {
  matrix: "(a) matrix",
  lock: "(b) lock",
  packed: "(c) packed",
  workgroup: "(d) workgroup",
};
const LOOP: Readonly<Record<AuctionRow["loop"], string>> = { host: "host's test", submit: "one submission" };
const CPU = "Jonker–Volgenant, one CPU core";
const FORMS = ["list", "dense"] as const;

/** Time a frame by board and set, and the boards over each other ([M19] §6 and its Fig. 9). */
export function auctionsFigure(rows: readonly AuctionRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/sorting/bench.ts" };
  const last = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
  const devices = [...new Set(last.map(({ device }) => device))];
  const parts = devices.flatMap((device) => {
    const own = last.filter((row) => row.device === device);
    return FORMS.filter((form) => own.some((row) => row.form === form)).map((form) => ({
      name: devices.length > 1 ? `${form}, ${device}` : form,
      rows: own.filter((row) => row.form === form),
      speedups: auctionSpeedups(own).filter((one) => one.form === form),
    }));
  });
  return {
    ...about,
    text: [
      "From the points of a frame on the host to its matching there, median over the frames; every answer was certified from its prices. Host's test: after each round the host asks whether all are settled, as in the paper; in one submission it does not.",
      "The paper has one array (c) 1.04 to 1.7 times as fast as the matrix of bids (a), 1.24 in the mean; 1.17 in CUDA, 1.25 and 1.32 in OpenCL.",
    ],
    charts: [
      ...parts.flatMap(({ name, rows: own, speedups }) => [
        { caption: `Milliseconds a frame, ${name}`, chart: timesChart(own) },
        ...(speedups.length === 0
          ? []
          : [{ caption: `Speedups, ${name}; the dashed lines are geometric means`, chart: speedupChart(speedups) }]),
      ]),
      ...framesCharts(last),
    ],
    tables: [meansTable(parts), timesTable(last)],
  };
}

function keyOf(row: AuctionRow): string {
  return JSON.stringify([row.device, problemOf(row), row.epsilon, row.form, row.board, row.loop]);
}

function timesChart(rows: readonly AuctionRow[]): Chart {
  const problems = [...new Set(rows.map(problemOf))];
  const name = ({ board, loop }: AuctionRow) => `${LETTER[board]}, ${LOOP[loop]}`;
  const names = [...[...new Set(rows.map(name))].sort(), CPU];
  const values = rows.flatMap((row) => [
    { x: problemOf(row), series: name(row), ms: row.milliseconds.median },
    ...(row.board === "workgroup" ? [{ x: problemOf(row), series: CPU, ms: row.cpuMilliseconds.median }] : []),
  ]);
  return {
    width: Math.max(560, 60 * problems.length),
    height: 300,
    data: { values },
    mark: { type: "point", filled: true, opacity: 1, size: 70 },
    encoding: {
      x: { field: "x", type: "ordinal", sort: problems, title: null, axis: { labelAngle: -30, grid: true } },
      y: { field: "ms", type: "quantitative", title: "ms a frame", ...logAxis(values.map(({ ms }) => ms)) },
      ...seriesMarks("series", names),
    },
  };
}

/** Milliseconds of each frame with a trend by local regression (the paper's Fig. 6), for each recording and device that has them. */
function framesCharts(rows: readonly AuctionRow[]): Figure["charts"] {
  const shown = rows.filter(
    ({ frameMilliseconds, board, loop }) =>
      frameMilliseconds !== undefined && BY_FRAME.some(([b, l]) => b === board && l === loop),
  );
  const name = (row: AuctionRow) => `${problemOf(row)}, ${row.form}, ${row.device}`;
  return [...new Set(shown.map(name))].map((problem) => {
    const values = shown
      .filter((row) => name(row) === problem)
      .flatMap(({ board, loop, frameMilliseconds = [] }) =>
        frameMilliseconds.map((ms, frame) => ({ frame, ms, series: `${LETTER[board]}, ${LOOP[loop]}` })),
      );
    const series = [...new Set(values.map((value) => value.series))].sort();
    const chart: Chart = {
      width: 560,
      height: 260,
      data: { values },
      layer: [
        { mark: { type: "point", filled: true, opacity: 0.6, size: 24 } },
        {
          transform: [{ loess: "ms", on: "frame", groupby: ["series"], bandwidth: 0.5 }],
          mark: { type: "line" },
        },
      ],
      encoding: {
        x: { field: "frame", type: "quantitative", title: "frame after the tracker has settled" },
        y: { field: "ms", type: "quantitative", title: "ms", ...logAxis(values.map(({ ms }) => ms)) },
        color: seriesMarks("series", series).color,
      },
    };
    return { caption: `Milliseconds of each frame, ${problem}; lines are a trend by local regression`, chart };
  });
}

function speedupChart(speedups: readonly AuctionSpeedup[]): Chart {
  // Of the GPU against itself: how it stands beside a CPU core is another question, and in the table.
  const shown = speedups.filter(({ name }) => !name.includes("CPU"));
  const ratios = shown.flatMap(({ name, ratios: own }) =>
    own.map(({ problem, ratio }) => ({ x: problem, series: name, value: ratio, range: null })),
  );
  return ratioChart(ratios, [...new Set(ratios.map(({ x }) => x))], shown.map(meanOf), "set");
}

const meanOf = ({ name, ratios }: AuctionSpeedup) => ({
  series: name,
  mean: geometricMean(ratios.map(({ ratio }) => ratio)),
});

function meansTable(parts: readonly { readonly name: string; readonly speedups: readonly AuctionSpeedup[] }[]): Table {
  return {
    caption: "Ratios of median times",
    columns: [
      { title: "form" },
      { title: "compared" },
      ...["sets", "least", "geometric mean", "most"].map((title) => ({ title, number: true })),
    ],
    rows: parts.flatMap(({ name, speedups }) =>
      speedups.map((one) => {
        const values = one.ratios.map(({ ratio }) => ratio);
        const figures = [Math.min(...values), meanOf(one).mean, Math.max(...values)];
        return [name, one.name, String(values.length), ...figures.map((value) => formatRatio(value))];
      }),
    ),
  };
}

function timesTable(rows: readonly AuctionRow[]): Table {
  const numbers = [
    "persons",
    "objects",
    "candidates",
    "ms, median",
    "ms, worst",
    "% of 5 ms",
    "rounds, mean",
    "rounds, worst",
    "words",
    "CPU core, ms",
  ];
  return {
    caption: "The last row of each",
    columns: [
      ...["set", "form", "board", "loop"].map((title) => ({ title })),
      ...numbers.map((title) => ({ title, number: true })),
      { title: "device" },
    ],
    rows: rows.map((row) => [
      problemOf(row),
      row.form,
      LETTER[row.board],
      LOOP[row.loop],
      ...[row.persons, row.objects, row.candidates].map((value) => String(Math.round(value))),
      ...[row.milliseconds.median, row.milliseconds.max, 20 * row.milliseconds.median].map((value) =>
        formatNumber(value),
      ),
      ...[row.rounds.mean, row.rounds.max].map((value) => formatNumber(value)),
      Math.round(row.words.mean).toLocaleString("en-US"),
      formatNumber(row.cpuMilliseconds.median),
      row.device,
    ]),
  };
}
