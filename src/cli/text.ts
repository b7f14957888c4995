import { oneLine } from "../files/refusal.js";

/** Formats a number with eight significant digits, or "–" where there is none. */
export function formatNumber(value: number | null): string {
  return value === null || !Number.isFinite(value) ? "–" : String(Number(value.toPrecision(8)));
}

/** The same of what nothing is below: with digits that claim no more than it. */
export function formatBound(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return formatNumber(value);
  const near = Number(value.toPrecision(8));
  return formatNumber(near <= value ? near : near - 10 ** (Math.floor(Math.log10(Math.abs(value))) - 7));
}

/** Formats a percentage with the digits that a small gap needs. */
export function formatPercent(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  return `${value === 0 ? "0" : value < 1 ? value.toPrecision(2) : value.toFixed(2)} %`;
}

/** A table in columns of spaces; numbers to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows.map((row) => row.map(oneLine))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const numeric = header.map((_, column) => rows.some((row) => /^-?\d/.test(row[column])));
  const pad = (text: string, column: number) =>
    numeric[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]);
  return all.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}
