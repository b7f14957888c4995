import { createHash } from "node:crypto";
import { type Figure, isDrawn, type MissingFigure, type Table } from "./figure.js";
import { escaped, tableHtml } from "./html.js";
import { pageStyle } from "./page-style.js";
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
