import { seriesMarks } from "../../dist/report/chart-style.js";
import type { Chart, Figure, MissingFigure, Table } from "../../dist/report/figure.js";
import type { MarginsRow } from "../rows/margins.js";

const about = { id: "margins", title: "Wrong links by certified margin" };

const KINDS = ["simulation", "recording"] as const;

interface Bin {
  readonly name: string;
  readonly links: number;
  readonly wrong: number;
  readonly predicted: number;
}

/** The share of wrong links over margins, on simulations and on recordings, and what a log-odds would predict. */
export function marginsFigure(rows: readonly MarginsRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of lab/exact/margins.mjs" };
  const last = new Map(rows.map((row) => [`${row.input} ${row.cost} ${row.seed}`, row]));
  const kinds = KINDS.flatMap((kind) => {
    const own = [...last.values()].filter((row) => row.kind === kind);
    return own.length === 0 ? [] : [{ kind, inputs: own.length, bins: summed(own) }];
  });
  return {
    ...about,
    text: [
      "A margin is a proof about the costs: every set of tracks without the link costs at least so much more. Where the costs are minus the logarithms of true probabilities it bounds the log-odds that the link is right, and 1 / (1 + e^margin), the dashed lines, is about the share of wrong links. Where noise is estimated it is not calibrated; lower margins are still worse links.",
    ],
    charts: [{ caption: "Share of wrong links by margin, and what a log-odds predicts", chart: chartOf(kinds) }],
    tables: kinds.map(({ kind, inputs, bins }) => tableOf(`${kind}s, ${inputs} inputs`, bins)),
  };
}

function summed(rows: readonly MarginsRow[]): Bin[] {
  return rows[0].bins.map(({ above, most }, n) => {
    const sum = (of: (bin: MarginsRow["bins"][number]) => number): number =>
      rows.reduce((total, { bins }) => total + of(bins[n]), 0);
    const name = above === null ? `≤ ${most}` : most === null ? `> ${above}` : `${above} to ${most}`;
    return {
      name,
      links: sum(({ links }) => links),
      wrong: sum(({ wrong }) => wrong),
      predicted: sum(({ predicted }) => predicted),
    };
  });
}

function chartOf(kinds: readonly { readonly kind: string; readonly bins: readonly Bin[] }[]): Chart {
  const values = kinds.flatMap(({ kind, bins }) =>
    bins.flatMap(({ name, links, wrong, predicted }) =>
      links === 0
        ? []
        : [
            { name, kind, what: "seen", share: (100 * wrong) / links },
            { name, kind, what: "predicted", share: (100 * predicted) / links },
          ],
    ),
  );
  const names = kinds[0].bins.map(({ name }) => name);
  const x = {
    field: "name",
    type: "ordinal",
    sort: names,
    title: "margin, units of cost",
    axis: { labelAngle: 0 },
  } as const;
  const y = { field: "share", type: "quantitative", title: "wrong links, %" } as const;
  const { color, shape } = seriesMarks("kind", KINDS);
  return {
    width: 560,
    height: 300,
    data: { values },
    layer: [
      {
        transform: [{ filter: "datum.what === 'predicted'" }],
        mark: { type: "line", strokeDash: [4, 4], strokeWidth: 1.2, aria: false },
        encoding: { x, y, color },
      },
      {
        transform: [{ filter: "datum.what === 'seen'" }],
        mark: { type: "line", strokeWidth: 1.5, aria: false },
        encoding: { x, y, color },
      },
      {
        transform: [{ filter: "datum.what === 'seen'" }],
        mark: { type: "point", filled: true, opacity: 1, size: 70 },
        encoding: { x, y, color, shape },
      },
    ],
  };
}

function tableOf(caption: string, bins: readonly Bin[]): Table {
  const share = (part: number, links: number): string => (links === 0 ? "–" : ((100 * part) / links).toFixed(2));
  return {
    caption,
    columns: [
      { title: "margin" },
      { title: "links", number: true },
      { title: "wrong", number: true },
      { title: "wrong, %", number: true },
      { title: "1 / (1 + e^m), %", number: true },
    ],
    rows: bins.map(({ name, links, wrong, predicted }) => [
      name,
      String(links),
      String(wrong),
      share(wrong, links),
      share(predicted, links),
    ]),
  };
}
