import type { BenchRow } from "../../rows/bench.js";
import { type Figure, type MissingFigure, numbered } from "../figure.js";
import { formatNumber, formatSeconds } from "../numbers.js";
import { type StepShares, shareChart } from "./steps.js";

const about = { id: "engine-steps", title: "Where the time of the engines goes" };

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
  if (bars.length === 0) return { ...about, needs: "rows of rmap bench solve with times by step" };
  const present = new Set(bars.flatMap(({ share }) => [...share.keys()]));
  const known = Object.values(STEPS);
  const order = [...known, ...[...present].filter((step) => !known.includes(step))].filter((step) => present.has(step));
  return {
    ...about,
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
