import type { BenchRow } from "../../rows/bench.js";
import { stepPalette } from "../chart-style.js";
import { type FactorName, groupRuns, type KnownRun, labelOf, varyingFactors } from "../factors.js";
import { type Chart, type Figure, type MissingFigure, numbered } from "../figure.js";
import { evenly } from "../line-chart.js";
import { formatNumber, formatSeconds, summarise } from "../numbers.js";

const about = { id: "steps", title: "Where the time goes" };

/** Parts of `times` in their order; sums of others are no parts. Older rows call pricing "score". */
const steps: Readonly<Record<string, string>> = {
  generate: "generate",
  price: "price links",
  score: "price links",
  build: "build instance",
  upload: "upload",
  yLsap: "Y-LSAPs",
  xLap: "X-LAPs",
  distribution: "distribution",
  update: "multipliers and planes",
  feasibleTracks: "feasible tracks",
  tracks: "feasible tracks",
  certificate: "certificate",
  readback: "waiting for the device",
  passes: "passes",
  elimination: "elimination",
  exact: "exact solve",
};
const labels = [...new Set(Object.values(steps))];
/** Sums of steps, and what a script beside the run measured: no steps. */
const sums = new Set(["total", "solve", "wall", "user", "system"]);
const rest = "rest";
const mostBars = 16;
/** Settings that affect the shares of time; runs that differ only in others share a bar. */
const shown: readonly FactorName[] = ["input", "N", "T", "cost", "ascent", "device"];

interface StepShares {
  readonly label: string;
  readonly runs: number;
  /** Median seconds of a whole run. */
  readonly total: number;
  /** Percent of the summed time, by step; they sum up to 100. */
  readonly share: ReadonlyMap<string, number>;
}

/** Share of time per step: of the summed seconds of each group of runs ([K23] Fig. 2). */
export function stepShares(runs: readonly KnownRun[]): StepShares[] {
  const timed = runs.filter(({ row }) => row.times.total > 0);
  const free = varyingFactors(timed.map(({ factors }) => factors)).filter((name) => !shown.includes(name));
  const names = varyingFactors(timed.map(({ factors }) => factors)).filter((name) => shown.includes(name));
  return groupRuns(timed, free).map((own) => {
    const seconds = new Map<string, number>();
    const add = (name: string, value: number) => seconds.set(name, (seconds.get(name) ?? 0) + value);
    for (const { row } of own) {
      const parts = Object.entries(row.times).filter(([name]) => !sums.has(name));
      for (const [name, value] of parts) add(steps[name] ?? name, value);
      add(rest, Math.max(0, row.times.total - parts.reduce((sum, [, value]) => sum + value, 0)));
    }
    const all = [...seconds.values()].reduce((a, b) => a + b, 0);
    return {
      label: labelOf(own[0].factors, names),
      runs: own.length,
      total: summarise(own.map(({ row }) => row.times.total))?.median ?? 0,
      share: new Map([...seconds].map(([name, value]) => [name, (100 * value) / all])),
    };
  });
}

export function stepsFigure(runs: readonly KnownRun[]): Figure | MissingFigure {
  const groups = stepShares(runs);
  if (groups.length === 0) return { ...about, needs: "result rows of rmap solve or sweep" };
  const present = new Set(
    groups.flatMap(({ share }) => [...share].filter(([, part]) => part > 0).map(([name]) => name)),
  );
  const order = [...new Set([...labels, ...present])].filter((name) => present.has(name) && name !== rest);
  if (present.has(rest)) order.push(rest);
  const bars = evenly(groups, mostBars);
  const chart = shareChart(bars, order);
  return {
    ...about,
    text: [
      "Seconds of each step over those of all steps, summed over the runs of a bar. Pricing the links is done once; X-LAPs, Y-LSAPs (those of the bundle's subproblems too), distribution, and the moves of multipliers and planes make up the iterations. A device whose kernels were not timed one by one is waited for.",
    ],
    charts: [
      {
        caption: `Share of time per step${bars.length < groups.length ? ` (${bars.length} of ${groups.length} groups, evenly taken; all are in the table)` : ""}`,
        chart,
      },
    ],
    tables: [
      {
        caption: "Share of time per step, %",
        columns: [{ title: "runs of" }, ...numbered("runs", "median time", ...order)],
        rows: groups.map(({ label, runs, total, share }) => [
          label,
          String(runs),
          formatSeconds(total),
          ...order.map((step) => formatNumber(share.get(step) ?? 0)),
        ]),
      },
    ],
  };
}

/** Bars of 100 %, cut into the steps in order; a step has one colour on a page. */
export function shareChart(bars: readonly StepShares[], order: readonly string[]): Chart {
  const values = bars.flatMap(({ label, share, total }) => {
    let from = 0;
    return order.map((step) => {
      const part = share.get(step) ?? 0;
      const value = {
        label,
        step,
        from,
        to: from + part,
        middle: from + part / 2,
        text: part >= 6 ? `${Math.round(part)}` : "",
        says: `${label}: ${step} ${formatNumber(part)} % of ${formatSeconds(total)}`,
      };
      from += part;
      return value;
    });
  });
  const dark = order.filter((step) => !light.has(colourOf(step, order)));
  return {
    width: 660,
    height: { step: bars.length > 8 ? 26 : 34 },
    data: { values },
    encoding: {
      y: {
        field: "label",
        type: "nominal",
        sort: bars.map(({ label }) => label),
        title: null,
        axis: { ticks: false, domain: false },
      },
    },
    layer: [
      {
        mark: { type: "bar", stroke: "white", strokeWidth: 1 },
        encoding: {
          x: {
            field: "from",
            type: "quantitative",
            title: "share of the time, %",
            scale: { domain: [0, 100] },
            axis: { tickCount: 6 },
          },
          x2: { field: "to" },
          color: {
            field: "step",
            type: "nominal",
            title: null,
            scale: { domain: [...order], range: order.map((step) => colourOf(step, order)) },
            legend: { orient: "top", columns: 6, symbolType: "square" },
          },
          description: { field: "says", type: "nominal" },
        },
      },
      {
        mark: { type: "text", fontSize: 11, aria: false },
        encoding: {
          x: { field: "middle", type: "quantitative" },
          text: { field: "text", type: "nominal" },
          color: { condition: { test: { field: "step", oneOf: dark }, value: "white" }, value: "#111" },
        },
      },
    ],
  };
}

function colourOf(step: string, order: readonly string[]): string {
  const known = [...labels, ...order.filter((name) => name !== rest && !labels.includes(name))];
  return step === rest ? (stepPalette.at(-1) as string) : stepPalette[known.indexOf(step) % (stepPalette.length - 1)];
}

/** Colours that need dark text. */
const light = new Set("#88ccee #44aa99 #ddcc77 #999933 #d0d0d0 #cc6677 #6699cc #ee8866 #ffaabb".split(" "));

const aboutEngines = { id: "engine-steps", title: "Where the time of the engines goes" };

/** As the figure of whole runs calls them. */
const STEPS: Readonly<Record<string, string>> = {
  yLsap: "Y-LSAPs",
  xLap: "X-LAPs",
  distribution: "distribution",
  rest: "rest",
};
const ENGINES: Readonly<Record<string, string>> = { naive: "naive", cpu: "CPU" };

/** Share of time per step of the iterations of `rmap bench solve`, by engine and size: the last row of each ([K23] Fig. 2). */
function engineSteps(rows: readonly BenchRow[]): StepShares[] {
  const last = new Map<string, StepShares>();
  for (const { n, t, device, stepSeconds, benchmark, ...row } of rows) {
    if (benchmark !== "solve") continue;
    for (const [engine, seconds] of Object.entries(stepSeconds ?? {})) {
      const parts = Object.entries(seconds ?? {});
      const total = parts.reduce((sum, [, value]) => sum + value, 0);
      if (total === 0) continue;
      const label = `${ENGINES[engine] ?? engine} [${n}, ${t}]${engine === "cpu" ? `, ${row.threads ?? "?"} threads` : `, ${device}`}`;
      const share = new Map(parts.map(([step, value]) => [STEPS[step] ?? step, (100 * value) / total]));
      last.set(label, { label, runs: 1, total, share });
    }
  }
  return [...last.values()].sort((one, other) => one.label.localeCompare(other.label, "en", { numeric: true }));
}

export function engineStepsFigure(rows: readonly BenchRow[]): Figure | MissingFigure {
  const bars = engineSteps(rows);
  if (bars.length === 0) return { ...aboutEngines, needs: "rows of rmap bench solve with times by step" };
  const present = new Set(bars.flatMap(({ share }) => [...share.keys()]));
  const known = Object.values(STEPS);
  const order = [...known, ...[...present].filter((step) => !known.includes(step))].filter((step) => present.has(step));
  return {
    ...aboutEngines,
    text: [
      "Seconds of each step over those of all iterations, to the answer on the host. The naive engine is built as the predecessor of [K23] is described: dense triplets are moved in memory, and the host waits for the device after each step, so that its clock has the times. The enhanced engine's steps run without a wait and are in the figure of whole runs, where its kernels are timed one by one.",
    ],
    charts: [{ caption: "Share of time per step of 100 %", chart: shareChart(bars, order) }],
    tables: [
      {
        caption: "Share of time per step, %",
        columns: [{ title: "engine" }, ...numbered("time", ...order)],
        rows: bars.map(({ label, total, share }) => [
          label,
          formatSeconds(total),
          ...order.map((step) => formatNumber(share.get(step) ?? 0)),
        ]),
      },
    ],
  };
}
