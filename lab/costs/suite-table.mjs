import { rowsOf } from "../rows.mjs";

/** Link errors, in %, that are added to each before a geometric mean is taken: many inputs have none. */
const ADDED = 0.1;

/**
 * Prints a line for each input with what two labels have made of it, and by group the totals over what both have solved.
 * @param {string} file
 * @param {readonly string[]} named the first two labels of the file where there are none
 */
export function printComparison(file, named) {
  const rows = rowsOf(file);
  const labels = (named.length > 0 ? named : [...new Set(rows.map(({ label }) => label))]).slice(0, 2);
  const byName = new Map();
  for (const row of rows) byName.set(row.name, { ...byName.get(row.name), group: row.group, [row.label]: row });
  console.log(["input".padEnd(32), ...labels.map((label) => label.padEnd(WIDTH))].join(" | "));
  for (const [name, found] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log([name.padEnd(32), ...labels.map((label) => lineOf(found[label]))].join(" | "));
  }
  const both = [...byName.values()].filter((found) => labels.every((label) => found[label]?.idf1 !== undefined));
  const groups = ["all", ...new Set(both.map(({ group }) => group))].sort();
  for (const group of groups) {
    const own = both.filter((found) => group === "all" || found.group === group);
    if (own.length === 0) continue;
    console.log(
      [
        `${group} (${own.length})`.padEnd(32),
        ...labels.map((label) => totalsOf(own.map((found) => found[label]))),
      ].join(" | "),
    );
  }
}

const WIDTH = 42;

/** @param {any} row */
function lineOf(row) {
  if (row === undefined) return "–".padEnd(WIDTH);
  if (row.failed !== undefined) return `FAILED: ${row.failed}`.slice(0, WIDTH).padEnd(WIDTH);
  const { idf1, linkErrors, cpuSeconds, gapNats, status } = row;
  const gap = status === "optimal" ? "optimal" : `${gapNats.toPrecision(2)} nats`;
  return `${idf1.toFixed(2).padStart(6)} ${linkErrors.toFixed(2).padStart(6)} ${cpuSeconds.toFixed(1).padStart(7)} s  ${gap}`.padEnd(
    WIDTH,
  );
}

/** Mean IDF1, geometric mean of link errors, sum of CPU seconds. @param {any[]} rows */
function totalsOf(rows) {
  const sum = (of) => rows.reduce((total, row) => total + of(row), 0);
  const mean = sum(({ idf1 }) => idf1) / rows.length;
  const errors = Math.exp(sum(({ linkErrors }) => Math.log(linkErrors + ADDED)) / rows.length) - ADDED;
  return `${mean.toFixed(2).padStart(6)} ${errors.toFixed(3).padStart(6)} ${sum(({ cpuSeconds }) => cpuSeconds)
    .toFixed(1)
    .padStart(7)} s`.padEnd(WIDTH);
}
