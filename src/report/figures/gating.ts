import { varyingFactors } from "../factors.js";
import type { Figure, MissingFigure } from "../figure.js";
import { lineChart, type Measure } from "../line-chart.js";
import { type KnownRun, linesOver } from "../lines.js";
import { leftOutNote, linesTable } from "../lines-table.js";

export const mmep: Measure = { title: "MMEP, % of true links not found", of: ({ row }) => row.scores?.mmep ?? null };
export const itcp: Measure = { title: "ITCP, % of targets with an error", of: ({ row }) => row.scores?.itcp ?? null };

const edges = { title: "edges", of: ({ row }: KnownRun) => row.edges };
const seconds = { title: "seconds", of: ({ row }: KnownRun) => row.times.total ?? null };
const about = { id: "gating", title: "What the gate does to the errors" };

/** MMEP and ITCP over ε, and over N where ε has levels ([K23] Fig. 5). */
export function gatingFigure(runs: readonly KnownRun[]): Figure | MissingFigure {
  const scored = runs.filter(({ row }) => row.scores !== null);
  const overGate = linesOver(scored, "ε");
  if (overGate.lines.length === 0) {
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
    text: [
      "A link is allowed up to speed · δt · ε. A narrow gate makes the problem small and fast, and loses the true links that are longer; a wide one lets in wrong links. Points are medians over seeds, bars the middle half.",
    ],
    charts,
    tables: [linesTable("Errors by gate", overGate, "ε", [mmep, itcp, edges, seconds])],
  };
}
