import { group } from "d3-array";
import type { RunRow } from "../../rows/results.js";
import { METRIC_NAMES } from "../../scores/metrics.js";
import { compareLevels, type KnownRun, type Levels, type Lines } from "../factors.js";
import type { Figure, MissingFigure } from "../figure.js";
import { lineChart, type Measure, measureOf } from "../line-chart.js";
import { leftOutNote, linesTable } from "../lines-table.js";
import { gap, seconds } from "./gaps.js";

const about = { id: "swept", title: "Over every field of a sweep" };

/** Fields that figures of their own have over x. */
const ELSEWHERE = /(^|\.)(targets|frames|epsilon|cost)$|noise\.position$/;

/** Scores that are drawn where runs have them; the table has all. */
const DRAWN = 2;

/** The gap and scores of a sweep over each of its fields that has two levels or more, a line for each choice of the others. */
export function sweptFigure(runs: readonly KnownRun[]): Figure | MissingFigure {
  const swept = runs.filter(({ row }) => row.sweep !== undefined);
  const views = [...group(swept, ({ row }) => (row.sweep as Sweep).name)].flatMap(([sweep, own]) => {
    const fields = [...new Set(own.flatMap((run) => Object.keys(levelsOf(run))))].filter((field) => field !== "seed");
    const several = fields.filter((field) => new Set(own.map((run) => levelsOf(run)[field])).size > 1);
    return several
      .filter((field) => !ELSEWHERE.test(field))
      .map((field) => ({ sweep, x: field, lines: linesOverField(own, field, several) }))
      .filter(({ lines }) => lines.lines.length > 0);
  });
  if (views.length === 0) return { ...about, needs: "runs of a sweep over a field that no other figure has" };
  return {
    ...about,
    text: [
      "Medians over seeds, bars the middle half. Fields have the names of the sweep file; lines differ in its other fields.",
    ],
    charts: views.flatMap(({ sweep, x, lines }) =>
      measuresOf(lines)
        .slice(0, 1 + DRAWN)
        .map((measure) => {
          const { chart, leftOut } = lineChart(lines, x, measure);
          return { caption: `${sweep}: ${measure.title}, over ${x}${leftOutNote(leftOut)}`, chart };
        }),
    ),
    tables: views.map(({ sweep, x, lines }) =>
      linesTable(`${sweep} over ${x}`, lines, x, [...measuresOf(lines), seconds]),
    ),
  };
}

type Sweep = NonNullable<RunRow["sweep"]>;

/** Numbers as they are, all else as text. */
function levelsOf({ row }: KnownRun): Levels {
  const { values } = row.sweep as Sweep;
  const level = (value: unknown) =>
    typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, level(value)]));
}

/** The last part of a field's name, where no other field has it. */
function shortName(field: string, fields: readonly string[]): string {
  const last = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
  return fields.some((other) => other !== field && last(other) === last(field)) ? field : last(field);
}

function linesOverField(runs: readonly KnownRun[], x: string, fields: readonly string[]): Lines {
  const others = fields.filter((field) => field !== x);
  const lines = [...group(runs, (run) => JSON.stringify(others.map((field) => levelsOf(run)[field])))].map(
    ([, own]) => ({
      factors: Object.fromEntries(others.map((field) => [shortName(field, fields), levelsOf(own[0])[field] ?? "–"])),
      points: [...group(own, (run) => levelsOf(run)[x])]
        .map(([level, runs]) => ({ x: level, runs }))
        .sort((a, b) => compareLevels(a.x, b.x)),
    }),
  );
  return {
    lines: lines.filter(({ points }) => points.length > 1),
    varying: others.map((field) => shortName(field, fields)),
  };
}

/** The gap, and the scores that runs have. */
function measuresOf({ lines }: Lines): Measure[] {
  const runs = lines.flatMap(({ points }) => points.flatMap((point) => point.runs));
  const scores = ["idf1", "linkErrors", ...METRIC_NAMES].flatMap((name) =>
    METRIC_NAMES.filter((known) => known === name),
  );
  return [gap, ...[...new Set(scores)].map(measureOf)].filter(({ of }) => runs.some((run) => of(run) !== null));
}
