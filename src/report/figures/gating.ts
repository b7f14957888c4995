import { type KnownRun, type Lines, labelOf, linesOver, varyingFactors } from "../factors.js";
import { type Figure, type MissingFigure, numbered, type Table } from "../figure.js";
import { lineChart, measureOf } from "../line-chart.js";
import { leftOutNote, linesTable } from "../lines-table.js";
import { formatNumber, summarise } from "../numbers.js";
import { binnedTable, scatterChart, scattered } from "../scatter.js";
import { seconds } from "./gaps.js";

export const mmep = measureOf("mmep");
export const itcp = measureOf("itcp");

const edges = { title: "edges", of: ({ row }: KnownRun) => row.edges };
const about = { id: "gating", title: "What the gate does to the errors" };

const meaning =
  "A link is allowed up to speed · δt · ε. A narrow gate makes the problem small and fast, and loses the true links that are longer; a wide one lets in wrong links.";

/** MMEP and ITCP over ε, and over N where ε has levels ([K23] Fig. 5). */
export function gatingFigure(runs: readonly KnownRun[]): Figure | MissingFigure {
  const scored = runs.filter(({ row }) => row.scores !== null);
  const overGate = linesOver(scored, "ε");
  if (overGate.lines.length === 0) {
    // A random design has no two runs that differ in the gate only.
    const epsilon = scattered(scored, "ε");
    if (epsilon !== null) {
      return {
        ...about,
        text: [meaning],
        charts: [mmep, itcp].map((measure) => scatterChart(scored, epsilon, measure)),
        tables: [binnedTable(scored, epsilon, [mmep, itcp, edges, seconds])],
      };
    }
    return { ...about, needs: "runs with true targets that differ in the gate ε, as rmap sweep makes them" };
  }
  const gated = overGate.lines.flatMap(({ points }) => points.flatMap(({ runs }) => runs));
  const overSize = linesOver(gated, "N");
  const sizeMatters = varyingFactors(gated.map(({ factors }) => factors)).includes("N") && overSize.lines.length > 0;
  const views = [{ lines: overGate, x: "ε" } as const, ...(sizeMatters ? [{ lines: overSize, x: "N" } as const] : [])];
  const charts = views.flatMap(({ lines, x }) =>
    [mmep, itcp].map((measure) => {
      const { chart, leftOut } = lineChart(lines, x, measure);
      return { caption: `${measure.title}, over ${x}${leftOutNote(leftOut)}`, chart };
    }),
  );
  return {
    ...about,
    text: [`${meaning} Points are medians over seeds, bars the middle half.`],
    charts,
    tables: [narrowestTable(overGate), linesTable("Errors by gate", overGate, "ε", [mmep, itcp, edges, seconds])],
  };
}

/** How much more than the least median MMEP of its line a gate may have and still count as wide enough. */
const tolerance = { relative: 0.05, absolute: 0.05 };

/** For each line the narrowest gate that is wide enough, and what a wider one costs: the answer to "which ε?". */
function narrowestTable({ lines, varying }: Lines): Table {
  const rows = lines.flatMap(({ factors, points }) => {
    const known = points.flatMap(({ x, runs }) => {
      const errors = summarise(runs.map(mmep.of).filter((value) => value !== null));
      return errors ? [{ x, error: errors.median, edges: summarise(runs.map(edges.of))?.median ?? 0 }] : [];
    });
    const least = Math.min(...known.map(({ error }) => error));
    const enough = known.find(({ error }) => error <= least * (1 + tolerance.relative) + tolerance.absolute);
    if (enough === undefined) return [];
    const widest = known[known.length - 1];
    return [
      [
        labelOf(factors, varying),
        String(enough.x),
        formatNumber(enough.error),
        formatNumber(least),
        formatNumber(enough.edges),
        `${formatNumber(widest.edges)} at ${widest.x}`,
      ],
    ];
  });
  return {
    caption: `The narrowest gate whose median MMEP is within ${100 * tolerance.relative} % and ${tolerance.absolute} points of the least`,
    columns: [{ title: "runs of" }, ...numbered("ε", "MMEP there, %", "least MMEP, %", "edges", "edges of the widest")],
    rows,
  };
}
