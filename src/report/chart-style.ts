import type { Config } from "vega-lite";

/** Okabe & Ito's colours, told apart by colour-blind readers too; yellow, which is lost on white, is left out. */
export const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#7a5195"];

/** Paul Tol's muted scheme and grey, for the steps of a solve. */
export const stepPalette = [
  ..."#332288 #88ccee #44aa99 #117733 #999933 #ddcc77 #cc6677 #882255 #aa4499 #6699cc #661100".split(" "),
  "#d0d0d0",
];

export const shapes = [
  "circle",
  "square",
  "triangle-up",
  "diamond",
  "cross",
  "triangle-down",
  "stroke",
  "triangle-right",
];

const font = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const ink = "#222";

export const chartConfig: Config = {
  background: "white",
  font,
  padding: 6,
  view: { stroke: "#c8c8c8", continuousWidth: 400, continuousHeight: 260 },
  axis: {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: 12,
    titleFontSize: 13,
    titleFontWeight: 500,
    titlePadding: 8,
    gridColor: "#e8e8e8",
    domainColor: "#888",
    tickColor: "#888",
    labelLimit: 420,
  },
  legend: {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 600,
    labelLimit: 300,
    symbolSize: 90,
    symbolStrokeWidth: 2,
  },
  header: { labelColor: ink, titleColor: ink, labelFontSize: 13, labelFontWeight: 600, titleFontSize: 13 },
  line: { strokeWidth: 2 },
  point: { filled: true, size: 56 },
  range: { category: palette, symbol: shapes },
};
