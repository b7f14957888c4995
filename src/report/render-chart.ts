import { needed } from "../core/optional-package.js";
import { chartConfig } from "./chart-style.js";
import type { Chart } from "./figure.js";
import type { PdfWriter } from "./figure-pdf.js";
import { type FigureSize, fitted, LEAST_SHARE, MOST_SHARE, unitsOf } from "./fitted.js";
import { escaped } from "./html.js";
import { textWidth } from "./text-width.js";

/** A chart as files of its own. */
export interface Picture {
  readonly svg: string;
  readonly pdf: Uint8Array | null;
}

/** The packages that draw charts, which are optional. */
async function loadCharts() {
  const [vega, { compile }] = await needed("rmap report", ["vega", "vega-lite"], () =>
    Promise.all([import("vega"), import("vega-lite")]),
  );
  // vega exports them, its types do not.
  const { textMetrics } = vega as unknown as {
    textMetrics: { width(item: { fontSize?: number }, text: unknown): number };
  };
  textMetrics.width = ({ fontSize }, text) => textWidth(String(text ?? ""), fontSize ?? 11);
  return { vega, compile };
}

/** Of the page, in a chart's own units. */
const PAGE_WIDTH = 1040;

/** The chart as SVG, made here so that the page needs no code to draw it. */
export async function renderChart(chart: Chart, title: string): Promise<string> {
  const { svg, width, height } = await draw(fitted(chart, 1, PAGE_WIDTH));
  return svg.replace(
    /^<svg [^>]*>/,
    // A function, since a title may hold what replace takes for a pattern.
    () =>
      `<svg class="chart" role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
  );
}

/**
 * The chart as files of its own, for light paper.
 * @param title for readers of the picture's text, and plain
 */
export async function renderFigure(
  chart: Chart,
  title: string,
  size: FigureSize,
  writePdf: PdfWriter | null,
): Promise<Picture> {
  const total = unitsOf(size);
  // The rest of a picture is as wide whatever its plots are.
  const [whole, half] = [await draw(fitted(chart, 1, total)), await draw(fitted(chart, 0.5, total))];
  const share = 1 + (total - whole.width) / Math.max(1, 2 * (whole.width - half.width));
  const final = fitted(chart, Math.min(MOST_SHARE, Math.max(LEAST_SHARE, share)), total);
  const { svg, width, height, view } = await draw(final);
  const [wide, high] = [size.width, (size.width * height) / width].map((length) => Number(length.toFixed(2)));
  const pdf = writePdf && (await writePdf(view, { width: wide, height: high, units: width }, title));
  const picture = svg
    .replace(
      /^<svg [^>]*>/,
      () =>
        `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}mm" height="${high}mm" viewBox="0 0 ${width} ${height}"><title>${escaped(title)}</title>`,
    )
    .replace(/ (?:role|aria-[a-z]+)="[^"]*"/g, "");
  return { svg: picture, pdf };
}

async function draw(chart: Chart) {
  const { vega, compile } = await loadCharts();
  // Vega's expressions hold names as literals, and its parser refuses line separators in them.
  const plain = JSON.parse(JSON.stringify(chart).replace(/[\u2028\u2029]/g, " ")) as Chart;
  const { spec } = compile({ ...plain, config: chartConfig });
  const view = new vega.View(vega.parse(spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const rounded = svg.replace(/ (?:d|transform|[xy][12]?)="[^"]*"/g, (attribute) =>
    attribute.replace(/(\.\d\d)\d+/g, "$1"),
  );
  return { svg: rounded, width: Number(width), height: Number(height), view };
}
