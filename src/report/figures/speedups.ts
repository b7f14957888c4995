import { group } from "d3-array";
import type { BenchRow } from "../../rows/bench.js";
import { type Figure, type MissingFigure, numbered, type Table } from "../figure.js";
import { latestOfEach } from "../latest.js";
import { counted, formatRatio, formatSeconds, geometricMean } from "../numbers.js";
import { type Ratio, ratioChart } from "../ratio-chart.js";

const kinds = {
  lap: { id: "speedup-lap", title: "Speedup of the linear assignment problems" },
  distribution: { id: "speedup-distribution", title: "Speedup of the cost distribution" },
  solve: { id: "speedup-solve", title: "Speedup of the whole solve" },
} as const;

/** A size on a device: the last row of each. */
interface Timed {
  readonly row: BenchRow;
  readonly size: string;
  /** CPU engine over enhanced, or null. */
  readonly overCpu: number | null;
}

interface Mean {
  readonly label: string;
  readonly mean: number;
  readonly sizes: number;
}

/** [K23]'s means are over sizes from [50, 50] up. */
const paperFrom = 50;

/** Naive over enhanced, and CPU over enhanced, on a logarithmic scale with geometric means ([K23] Fig. 6–8). */
export function speedupFigure(kind: keyof typeof kinds, rows: readonly BenchRow[]): Figure | MissingFigure {
  const about = kinds[kind];
  const timed = timedOf(rows.filter((row) => row.benchmark === kind));
  if (timed.length === 0) return { ...about, needs: `rows of rmap bench ${kind}` };
  const devices = [...group(timed, ({ row }) => row.device)];
  const against = devices.flatMap(([device, own]) => {
    const orders = [...group(own, ({ row }) => row.laps)];
    return [
      ...orders.map(([order, some]) => ({
        name: orders.length > 1 ? `over the naive engine, LAPs ${order}` : "over the naive engine",
        ...{ device, own: some, of: ({ row }: Timed): number | null => row.ratio },
      })),
      // The order is the naive engine's alone.
      { name: "over the CPU engine", device, own: orders[0][1], of: ({ overCpu }: Timed) => overCpu },
    ];
  });
  const series = against.flatMap(({ name, device, own, of }) => {
    const present = own.filter((one) => of(one) !== null);
    const label = devices.length > 1 ? `${name}, ${device}` : name;
    const meanOf = (some: readonly Timed[]) => geometricMean(some.map((one) => of(one) as number));
    const large = present.filter(({ row }) => Math.min(row.n, row.t) >= paperFrom);
    const means =
      large.length > 0 && large.length < present.length
        ? [
            { mean: meanOf(large), sizes: large.length, range: ` from [${paperFrom}, ${paperFrom}] up` },
            { mean: meanOf(present), sizes: present.length, range: "" },
          ]
        : [{ mean: meanOf(present), sizes: present.length, range: "" }];
    return present.length === 0 ? [] : [{ label, device, name, present, of, means }];
  });
  const ratios: Ratio[] = series.flatMap(({ label, present, of }) =>
    present.map((one) => ({ x: one.size, series: label, value: of(one) as number, range: null })),
  );
  const sentences = series.map(({ name, device, means }) => {
    const each = means.map(({ mean, sizes, range }) => `${formatRatio(mean)} over ${counted(sizes, "size")}${range}`);
    return `On ${device}, ${name}, geometric mean: ${each.join(", and ")}.`;
  });
  const sizes = [...new Set(timed.map(({ size }) => size))];
  return {
    ...about,
    text: [
      `How many times faster than the naive engine on the same device, and than the CPU engine on all cores; every answer was certified. ${sentences.join(" ")}`,
    ],
    charts: [
      {
        caption: "Speedup by size [N, T], logarithmic; lines are geometric means",
        chart: ratioChart(
          ratios,
          sizes,
          series.map(({ label, means }) => ({ series: label, mean: means[0].mean })),
          "size [N, T]",
        ),
      },
    ],
    tables: [
      benchTable(
        about.title,
        timed,
        series.flatMap(({ label, means }) =>
          means.map(({ mean, sizes, range }): Mean => ({ label: `${label}${range}`, mean, sizes })),
        ),
      ),
    ],
  };
}

function timedOf(rows: readonly BenchRow[]): Timed[] {
  return latestOfEach(
    rows,
    ({ device, n, t, laps }) => [device, n, t, laps],
    ({ date }) => date,
  )
    .sort((a, b) => a.n - b.n || a.t - b.t)
    .map((row) => ({
      row,
      size: `${row.n}, ${row.t}`,
      overCpu:
        row.cpuSeconds && row.enhancedSeconds.median > 0 ? row.cpuSeconds.median / row.enhancedSeconds.median : null,
    }));
}

function benchTable(title: string, timed: readonly Timed[], means: readonly Mean[]): Table {
  const orders = timed.some(({ row }) => row.laps !== timed[0].row.laps);
  const time = (spread: { median: number; min: number; max: number } | null | undefined) =>
    spread ? `${formatSeconds(spread.median)} (${formatSeconds(spread.min)} – ${formatSeconds(spread.max)})` : "–";
  return {
    caption: `${title}: median (least – greatest) time; the last rows are geometric means`,
    columns: [
      { title: "device" },
      ...(orders ? [{ title: "naive engine's LAPs" }] : []),
      ...numbered("N", "T", "naive engine", "enhanced", "CPU engine", "over naive", "over CPU"),
    ],
    rows: [
      ...timed.map(({ row, overCpu }) => [
        row.device,
        ...(orders ? [row.laps ?? "–"] : []),
        String(row.n),
        String(row.t),
        time(row.naiveSeconds),
        time(row.enhancedSeconds),
        time(row.cpuSeconds),
        formatRatio(row.ratio),
        formatRatio(overCpu),
      ]),
      ...means.map(({ label, mean, sizes }) => {
        const ratios = label.startsWith("over the CPU") ? ["", formatRatio(mean)] : [formatRatio(mean), ""];
        const none = ["", "", "", ""];
        return [`geometric mean ${label}`, ...(orders ? [""] : []), counted(sizes, "size"), ...none, ...ratios];
      }),
    ],
  };
}
