import { FACTOR_NAMES, type Lines } from "./factors.js";
import { numbered, type Table } from "./figure.js";
import type { Measure } from "./line-chart.js";
import { formatSummary, summarise } from "./numbers.js";

/** Every line, drawn or not: a row per point with the median and quartiles of each measure. */
export function linesTable(
  caption: string,
  { lines, varying }: Lines,
  x: string,
  measures: readonly Pick<Measure, "title" | "of">[],
): Table {
  const known: readonly string[] = FACTOR_NAMES;
  const settings = [
    ...known.filter((name) => varying.includes(name)),
    ...varying.filter((name) => !known.includes(name)),
  ];
  const cell = (value: number | string) => (typeof value === "number" ? String(Number(value.toPrecision(6))) : value);
  return {
    caption: `${caption}: median over seeds (first – third quartile)`,
    columns: [...settings.map((title) => ({ title })), ...numbered(x, "runs", ...measures.map(({ title }) => title))],
    rows: lines.flatMap(({ factors, points }) =>
      points.map(({ x: level, runs }) => [
        ...settings.map((name) => cell(factors[name])),
        cell(level),
        String(runs.length),
        ...measures.map(({ of }) => formatSummary(summarise(runs.map(of).filter((value) => value !== null)))),
      ]),
    ),
  };
}

export function leftOutNote(leftOut: number): string {
  return leftOut === 0 ? "" : ` (${leftOut} more lines are in the table only)`;
}
