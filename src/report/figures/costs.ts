import { seriesMarks } from "../chart-style.js";
import { groupRuns, type KnownRun, labelOf, varyingFactors } from "../factors.js";
import { type Chart, type Figure, type MissingFigure, numbered } from "../figure.js";
import { evenly } from "../line-chart.js";
import { counted, formatSummary, type Summary, summarise } from "../numbers.js";
import { itcp, mmep } from "./gating.js";

const about = { id: "costs", title: "The same detections under other costs" };
/** The costs that come with rmap; others follow, by name. */
const KNOWN = ["euclidean", "spline", "likelihood"];
const mostSettings = 15;

interface Compared {
  readonly label: string;
  readonly cost: string;
  readonly runs: readonly KnownRun[];
  readonly mmep: Summary | null;
  readonly itcp: Summary | null;
}

/** The same detections under other costs: errors by cost, settings that have two or more. */
export function costsFigure(runs: readonly KnownRun[]): Figure | MissingFigure {
  const scored = runs.filter(
    ({ row, factors }) => row.scores !== null && factors.cost !== null && factors.cost !== undefined,
  );
  const order = costsIn(scored);
  const groups = groupRuns(scored, ["cost"]).filter((own) => new Set(own.map(({ factors }) => factors.cost)).size > 1);
  if (groups.length === 0) {
    return { ...about, needs: "runs of the same detections, with true targets, under two or more costs" };
  }
  const names = varyingFactors(
    groups.map(([{ factors }]) => factors),
    ["cost"],
  );
  const compared = groups.flatMap((own) => byCost(own, order, labelOf(own[0].factors, names)));
  const labels = [...new Set(compared.map(({ label }) => label))];
  const drawn = evenly(labels, mostSettings);
  const note = drawn.length < labels.length ? ` (${drawn.length} of ${labels.length} settings, evenly taken)` : "";
  return {
    ...about,
    text: [
      `The same detections and gate, priced by other costs; the tracks are near the optimum of each, so what differs is the fault of the costs. ${pairings(groups, order).join(" ")}`,
    ],
    charts: [
      { caption: `${mmep.title}, by cost${note}`, chart: dots(compared, order, drawn, "mmep") },
      { caption: `${itcp.title}, by cost${note}`, chart: dots(compared, order, drawn, "itcp") },
    ],
    tables: [
      {
        caption: "Errors by cost: median over seeds (first – third quartile)",
        columns: [{ title: "runs of" }, { title: "cost" }, ...numbered("runs", mmep.title, itcp.title)],
        rows: compared.map(({ label, cost, runs, ...scores }) => [
          label,
          cost,
          String(runs.length),
          formatSummary(scores.mmep),
          formatSummary(scores.itcp),
        ]),
      },
    ],
  };
}

/** All costs of these runs, the known ones first. */
function costsIn(runs: readonly KnownRun[]): string[] {
  const names = new Set(runs.map(({ factors }) => String(factors.cost)));
  return [...KNOWN, ...[...names].filter((name) => !KNOWN.includes(name)).sort()];
}

function byCost(own: readonly KnownRun[], order: readonly string[], label: string): Compared[] {
  return order.flatMap((cost) => {
    const runs = own.filter(({ factors }) => factors.cost === cost);
    const of = (measure: typeof mmep) => summarise(runs.map(measure.of).filter((value) => value !== null));
    return runs.length === 0 ? [] : [{ label, cost, runs, mmep: of(mmep), itcp: of(itcp) }];
  });
}

/** In how many of the pairs with the same seed a cost has the lower MMEP, a sentence for each two costs. */
function pairings(groups: readonly (readonly KnownRun[])[], order: readonly string[]): string[] {
  const pairs = order.flatMap((better, n) => order.slice(0, n).map((worse) => [better, worse]));
  return pairs.flatMap(([better, worse]) => {
    let [pairs, lower, equal] = [0, 0, 0];
    for (const own of groups) {
      const of = (cost: string) =>
        new Map(own.filter(({ factors }) => factors.cost === cost).map((run) => [run.row.seed, mmep.of(run) ?? 0]));
      const [a, b] = [of(better), of(worse)];
      for (const [seed, value] of a) {
        const other = b.get(seed);
        if (other === undefined) continue;
        pairs++;
        if (value < other) lower++;
        if (value === other) equal++;
      }
    }
    if (pairs === 0) return [];
    const ties = equal > 0 ? ` and the same in ${equal}` : "";
    return [
      `Of ${counted(pairs, "pair")} with the same seed, ${better} has a lower MMEP than ${worse} in ${lower}${ties}.`,
    ];
  });
}

function dots(
  compared: readonly Compared[],
  order: readonly string[],
  drawn: readonly string[],
  score: "mmep" | "itcp",
): Chart {
  const { title } = { mmep, itcp }[score];
  const values = compared.flatMap((one) => {
    const summary = one[score];
    if (summary === null || !drawn.includes(one.label)) return [];
    const { label, cost } = one;
    return [{ label, cost, ...summary, says: `${label}, ${cost}: ${title} ${formatSummary(summary)}` }];
  });
  const costs = order.filter((cost) => values.some((value) => value.cost === cost));
  const { color, shape } = seriesMarks("cost", costs, "cost");
  return {
    width: 320,
    height: { step: drawn.length > 8 ? 36 : 44, for: "position" },
    data: { values },
    encoding: {
      y: { field: "label", type: "nominal", sort: [...drawn], title: null, axis: { grid: true } },
      yOffset: { field: "cost", type: "nominal", sort: costs, scale: { paddingOuter: 0.3 } },
    },
    layer: [
      {
        mark: { type: "rule", strokeWidth: 3, opacity: 0.4 },
        encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" }, color },
      },
      {
        mark: { type: "point", filled: true, opacity: 1, size: 70 },
        encoding: {
          x: {
            field: "median",
            type: "quantitative",
            title,
            scale: { zero: true, nice: true },
            axis: { tickCount: 5 },
          },
          color,
          shape,
          description: { field: "says", type: "nominal" },
        },
      },
    ],
  };
}
