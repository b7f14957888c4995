import type { ResultRow } from "../rows/results.js";
import { formatScore, METRICS, type MetricName } from "../scores/metrics.js";

/** Seven significant digits, "–" where there is no number. */
export function formatNumber(value: number | null): string {
  return value === null || !Number.isFinite(value) ? "–" : String(Number(value.toPrecision(8)));
}

/** Percent with the digits a small gap needs. */
export function formatPercent(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  return `${value === 0 ? "0" : value < 1 ? value.toPrecision(2) : value.toFixed(2)} %`;
}

const OUTCOME: Record<string, string> = {
  optimal: "proved optimal",
  gap: "the gap asked for is certified",
  stopped: "stopped before the gap asked for",
  stalled: "the ascent can do no better",
  unsolved: "no allowed set of tracks found",
};

/** The scores that `solve` prints, line by line; result.json and `rmap evaluate` have them all. */
const ERROR_LINES: readonly (readonly [string, readonly MetricName[]])[] = [
  ["errors", ["misses", "falseLinks", "mmep", "itcp"]],
  ["scores", ["idf1", "hota", "mota", "idSwitches", "fragments"]],
  ["found", ["tracks", "singles"]],
];

function describeScores({ scores }: ResultRow, names: readonly MetricName[]): string {
  return names.map((name) => `${METRICS[name].label} ${formatScore(name, scores?.[name] ?? null)}`).join(", ");
}

/** The summary a person reads after a solve. */
export function describeRun(row: ResultRow, written: readonly string[]): string {
  const line = (label: string, text: string) => `  ${label.padEnd(12)}${text}`;
  const lines = [
    `${row.name}: ${row.frames} frames, ${row.detections} detections, ${row.edges} edges, ${row.triplets} triplets`,
    line("status", `${row.status} (${OUTCOME[row.status] ?? row.status})`),
    line("lower bound", `${formatNumber(row.lowerBound)} (certified)`),
    line("tracks", formatNumber(row.upperBound)),
    // What is proved optimal has no gap but that of rounding, which result.json keeps.
    line("gap", formatPercent(row.status === "optimal" ? 0 : row.gapPercent)),
  ];
  for (const [label, names] of row.scores ? ERROR_LINES : []) lines.push(line(label, describeScores(row, names)));
  lines.push(
    line(
      "ran",
      `${row.ascent}, ${row.iterations} iterations, ${row.device.actual} ${row.precision}, ${row.threads} threads, ${row.times.total.toFixed(2)} s`,
    ),
  );
  for (const note of row.notes) lines.push(line("note", note));
  if (written.length > 0) lines.push(line("wrote", written.join(", ")));
  return `${lines.join("\n")}\n`;
}

/** A table in columns of spaces; numbers to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const numeric = header.map((_, column) => rows.some((row) => /^-?\d/.test(row[column])));
  const pad = (text: string, column: number) =>
    numeric[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]);
  return all.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}
