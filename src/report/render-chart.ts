import { needed } from "../core/optional-package.js";
import { chartConfig } from "./chart-style.js";
import type { Chart } from "./figure.js";
import { textWidth } from "./text-width.js";

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

/** The chart as SVG, made here so that the page needs no code to draw it. */
export async function renderChart(chart: Chart, title: string): Promise<string> {
  const { vega, compile } = await loadCharts();
  // Vega's expressions hold names as literals, and its parser refuses line separators in them.
  const plain = JSON.parse(JSON.stringify(chart).replace(/[\u2028\u2029]/g, " ")) as Chart;
  const { spec } = compile({ ...plain, config: chartConfig });
  const view = new vega.View(vega.parse(spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  return svg
    .replace(
      /^<svg [^>]*>/,
      // A function, since a title may hold what replace takes for a pattern.
      () =>
        `<svg class="chart" role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    )
    .replace(/ (?:d|transform|[xy][12]?)="[^"]*"/g, (attribute) => attribute.replace(/(\.\d\d)\d+/g, "$1"));
}
