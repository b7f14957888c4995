import { createHash } from "node:crypto";
import { type Figure, isDrawn, type MissingFigure, type Table } from "./figure.js";
import { escaped, tableHtml } from "./html.js";
import { renderChart } from "./render-chart.js";

export interface Page {
  readonly title: string;
  /** Plain sentences. */
  readonly summary: readonly string[];
  readonly figures: readonly (Figure | MissingFigure)[];
  readonly provenance: Table;
  readonly notes: readonly string[];
}

/** Shows the text that a mark has for screen readers at the pointer as well, and unfolds everything for printing. */
const hints = `
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
const hint = document.getElementById("hint");
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest?.("svg.chart [aria-label]:not(svg)");
  const text = mark?.getAttribute("aria-roledescription") === "point" || mark?.getAttribute("aria-roledescription") === "bar"
    ? mark.getAttribute("aria-label") : "";
  hint.hidden = text === "";
  hint.textContent = text;
  hint.style.left = Math.min(event.clientX + 12, innerWidth - 240) + "px";
  hint.style.top = event.clientY + 14 + "px";
});`;

/**
 * A self-contained page, whose policy forbids it to load anything.
 * @param progress called with the figures drawn, and their number
 */
export async function renderPage(page: Page, progress?: (done: number, total: number) => void): Promise<string> {
  const drawn = page.figures.filter(isDrawn);
  const missing = page.figures.filter((figure): figure is MissingFigure => !isDrawn(figure));
  const sections: string[] = [];
  for (const figure of drawn) {
    progress?.(sections.length, drawn.length);
    sections.push(await section(figure));
  }
  const links = [...drawn.map(({ id, title }) => [id, title]), ["provenance", provenanceTitle]];
  const script = `"use strict";${hints}`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(script)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(page.title)}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${pageStyle}\n</style>`,
    "</head>",
    "<body>",
    `<header><h1>${escaped(page.title)}</h1>`,
    ...page.summary.map(paragraph),
    `<nav aria-label="Figures"><ul>${links.map(([id, title]) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join("")}</ul></nav>`,
    "</header>",
    "<main>",
    ...sections,
    `<section id="provenance"><h2>${provenanceTitle}</h2>`,
    ...page.notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    tableHtml(page.provenance),
    "</section>",
    ...(drawn.length > 0 ? [] : [missingSection(missing)]),
    "</main>",
    '<div id="hint" role="presentation" hidden></div>',
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

/** The policy: the page loads nothing, sends nothing, and runs only its own script, whatever text a row holds. */
function policyOf(script: string): string {
  const hash = createHash("sha256").update(script).digest("base64");
  const rules = ["default-src 'none'", "style-src 'unsafe-inline'", `script-src 'sha256-${hash}'`, "img-src data:"];
  return [...rules, "base-uri 'none'", "form-action 'none'"].join("; ");
}

const provenanceTitle = "Where the rows come from";

const paragraph = (text: string) => `<p>${escaped(text)}</p>`;

async function section({ id, title, text, charts, tables }: Figure): Promise<string> {
  const figures: string[] = [];
  for (const { caption, chart } of charts) {
    const svg = await renderChart(chart, escaped(caption));
    figures.push(`<figure><figcaption>${escaped(caption)}</figcaption>${svg}</figure>`);
  }
  return [
    `<section id="${id}"><h2>${escaped(title)}</h2>`,
    ...text.map(paragraph),
    `<div class="charts">${figures.join("\n")}</div>`,
    ...tables.map(tableHtml),
    "</section>",
  ].join("\n");
}

/** What would fill a page that shows nothing. */
function missingSection(missing: readonly MissingFigure[]): string {
  const items = missing.map(
    ({ id, title, needs }) => `<li id="no-${id}">${escaped(title)}: needs ${escaped(needs)}.</li>`,
  );
  return `<section id="missing"><h2>Nothing to draw yet</h2><ul>${items.join("")}</ul></section>`;
}

/** The style sheet of the page of charts, in light and in dark. */
const pageStyle = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1c1c; --soft: #444; --line: #ddd; --strong: #555; --link: #0058a3; }
body { margin: 0 auto; max-width: 1080px; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 3rem 0 .4rem; padding-top: .8rem; border-top: 1px solid var(--line); }
p, li { max-width: 46rem; overflow-wrap: anywhere; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: 1rem 0 0; }
a { color: var(--link); }
.charts { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: flex-end; }
.charts figure { flex: 0 1 auto; }
figure { margin: 1rem 0; max-width: 100%; }
/* As wide as what it heads. */
.charts figcaption { width: 0; min-width: 100%; }
figcaption { font-size: .9rem; font-weight: 600; margin-bottom: .2rem; }
svg.chart { max-width: 100%; height: auto; display: block; }
table { border-collapse: collapse; font-size: .8rem; margin: .6rem 0; max-width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
.scroll { overflow-x: auto; }
th, td { padding: .18rem .45rem .18rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 1.5px solid var(--strong); vertical-align: bottom; }
/* Paths of files are the longest words. */
tbody th, td:not(.number) { overflow-wrap: anywhere; }
tbody th { font-weight: 500; min-width: 5rem; }
.number { text-align: right; padding-left: .3rem; }
summary { cursor: pointer; font-size: .9rem; font-weight: 600; color: var(--link); margin: .6rem 0; }
.note { font-size: .85rem; color: var(--soft); }
#hint { position: fixed; pointer-events: none; background: #1c1c1c; color: #fff; font-size: .8rem; padding: .25rem .5rem;
  border-radius: 4px; max-width: 22rem; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16191d; --ink: #e8eaed; --soft: #b9bec5; --line: #33383f; --strong: #8a9099; --link: #7cb8f0; }
  /* The charts are drawn for light pages; these are their paper, ink and lines (src/report/chart-style.ts). */
  svg.chart [fill=white] { fill: none; }
  svg.chart text { fill: #c9cdd2; }
  svg.chart :is([stroke="#e8e8e8"], [stroke="#c8c8c8"]) { stroke: #33383f; }
  svg.chart [fill="#222222"] { fill: #e8eaed; }
  svg.chart :is([stroke="#222222"], [stroke="#222"]) { stroke: #e8eaed; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  nav { display: none; }
  figure { break-inside: avoid; }
  h2 { break-after: avoid; }
}`;
