import type { Config } from "vega-lite";

/** Okabe & Ito's colours, told apart by colour-blind readers too; yellow, which is lost on white, is left out. */
export const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#7a5195"];

/** Paul Tol's muted scheme, five more and grey, for the steps of a solve. */
export const stepPalette = [
  ..."#332288 #88ccee #44aa99 #117733 #999933 #ddcc77 #cc6677 #882255 #aa4499 #6699cc #661100".split(" "),
  ..."#ee8866 #222222 #ffaabb #d0d0d0".split(" "),
];

/** For names beyond the palette's eight on one page. */
export const furtherPalette = stepPalette.slice(0, 11);

export const shapes = [
  "circle",
  "square",
  "triangle-up",
  "diamond",
  "cross",
  "triangle-down",
  "triangle-left",
  "triangle-right",
];

/** Encodings of the series of a chart, which `field` names, by colour and by shape. */
export function seriesMarks(field: string, names: readonly string[], title: string | null = null) {
  const encoded = (range: readonly string[]) =>
    ({ field, type: "nominal", title, scale: { domain: [...names], range: [...range] } }) as const;
  return { color: encoded(palette), shape: encoded(shapes) };
}

export const font = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const ink = "#222";

/** Size of labels, in a chart's own units. */
export const LETTERS = 12;

export const chartConfig: Config = {
  background: "white",
  font,
  padding: 6,
  view: { stroke: "#c8c8c8", continuousWidth: 400, continuousHeight: 260 },
  axis: {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: LETTERS,
    titleFontSize: 13,
    titleFontWeight: 500,
    titlePadding: 8,
    gridColor: "#e8e8e8",
    domainColor: "#888",
    tickColor: "#888",
    // Vega cuts text by a width that it overestimates.
    labelLimit: 0,
  },
  legend: {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: LETTERS,
    titleFontSize: LETTERS,
    titleFontWeight: 600,
    labelLimit: 0,
    titleLimit: 0,
    orient: "top",
    columns: 4,
    symbolOpacity: 1,
    symbolSize: 90,
    symbolStrokeWidth: 2,
  },
  header: {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: 13,
    labelFontWeight: 600,
    titleFontSize: 13,
  },
  line: { strokeWidth: 2 },
  point: { filled: true, size: 56 },
  range: { category: palette, symbol: shapes },
};

const WHOLE = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const TENTHS = Array.from({ length: 90 }, (_, n) => (n + 10) / 10);

/** Ticks of a logarithmic axis: the powers of ten over two decades or more, else the coarsest steps between them of which two or more fall on it. */
export function logTicks(least: number, most: number): number[] {
  const powers: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) powers.push(power);
  const ticksOf = (steps: readonly number[]) =>
    powers
      .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
      .filter((tick) => tick >= least * (1 - 1e-9) && tick <= most * (1 + 1e-9));
  if (Math.log10(most / least) >= 2) return ticksOf([1]);
  return [[1, 2, 5], WHOLE].map(ticksOf).find((ticks) => ticks.length >= 2) ?? ticksOf(TENTHS);
}

/** A logarithmic axis over the values; with `floor`, those at it and below are at most that. */
export function logAxis(values: readonly number[], floor?: number) {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  const least = floor ?? positive.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = positive.reduce((a, b) => Math.max(a, b), least);
  const room = (most / least) ** 0.04 * 1.02;
  const domain = [floor ?? least / room, Math.max(most * room, least * 2)];
  const label = "format(datum.value, datum.value < 1000 ? '~g' : ',d')";
  return {
    scale: { type: "log" as const, domain, nice: false },
    axis: {
      values: logTicks(domain[0], domain[1]),
      labelExpr: floor === undefined ? label : `(datum.value <= ${floor} ? '≤ ' : '') + ${label}`,
    },
  };
}

/** An axis of values from 0 on that grows like a logarithm above `constant`, with the coarsest round ticks of which three or more fall on it. */
export function symlogAxis(values: readonly number[], constant: number) {
  const most = values.reduce((a, b) => Math.max(a, b), constant);
  const decades = [0.001, 0.01, 0.1, 1, 10, 100, 1000];
  const ticksOf = (steps: readonly number[]) => [
    0,
    ...decades
      .flatMap((decade) => steps.map((step) => Number((step * decade).toPrecision(1))))
      .filter((tick) => tick >= constant / 5 && tick <= 1.02 * most),
  ];
  const steps = [[1], [1, 3], [1, 2, 5], WHOLE].map(ticksOf);
  return {
    scale: { type: "symlog" as const, constant, domain: [0, 1.02 * most], nice: false },
    axis: { values: steps.find((ticks) => ticks.length >= 5) ?? steps[steps.length - 1] },
  };
}
