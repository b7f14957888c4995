import { createHash } from "node:crypto";
import { type Figure, isDrawn, type MissingFigure, type Table } from "./figure.js";
import { escaped, tableHtml } from "./html.js";
import { TracksPlayer } from "./player.js";
import { renderChart } from "./render-chart.js";

export interface Page {
  readonly title: string;
  /** Plain sentences. */
  readonly summary: readonly string[];
  readonly figures: readonly (Figure | MissingFigure)[];
  /** The views of tracksView, the first of them unfolded, and notes about them. */
  readonly tracks: {
    readonly views: readonly { readonly title: string; readonly html: string }[];
    readonly notes: readonly string[];
  };
  readonly provenance: Table;
  readonly notes: readonly string[];
}

const style = `
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 1080px; padding: 2rem 1.25rem 4rem; background: #fff; color: #1c1c1c;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .4rem; padding-top: .8rem; border-top: 1px solid #ddd; }
p, li { max-width: 46rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: 1rem 0 0; }
a { color: #0058a3; }
.charts { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: flex-end; }
.charts figure { flex: none; }
figure { margin: 1rem 0; max-width: 100%; }
/* As wide as what it heads. */
.charts figcaption { width: 0; min-width: 100%; }
figcaption { font-size: .9rem; font-weight: 600; margin-bottom: .2rem; }
svg.chart { max-width: 100%; height: auto; display: block; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .82rem; margin: .6rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .18rem .7rem .18rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #e6e6e6; }
thead th { border-bottom: 1.5px solid #555; vertical-align: bottom; }
tbody th { font-weight: 500; min-width: 9rem; }
.number { text-align: right; padding-left: .5rem; }
td.number { white-space: nowrap; }
summary { cursor: pointer; font-size: .9rem; font-weight: 600; color: #0058a3; margin: .6rem 0; }
.note, .legend { font-size: .85rem; color: #444; }
.legend { max-width: none; }
.tracks { border: 1px solid #ccc; border-radius: 6px; padding: .8rem 1rem; }
.legend span { display: inline-block; margin-right: 1.2rem; }
.tracks:focus-visible { outline: 3px solid #0072b2; }
.plane { width: 100%; max-height: 78vh; display: block; }
.plane path { vector-effect: non-scaling-stroke; }
.controls { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin: .5rem 0; font-size: .9rem; }
.controls button { font: inherit; padding: .15rem .6rem; border: 1px solid #888; border-radius: 4px; background: #f6f6f6; color: #111; cursor: pointer; }
.controls input[type=range] { flex: 1 1 12rem; }
.controls output { flex-basis: 100%; font-variant-numeric: tabular-nums; }
#hint { position: fixed; pointer-events: none; background: #1c1c1c; color: #fff; font-size: .8rem; padding: .25rem .5rem;
  border-radius: 4px; max-width: 22rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  nav, .controls button, .controls input, .controls label { display: none; }
  .tracks, figure { break-inside: avoid; }
  h2 { break-after: avoid; }
}`;

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
  const links = [
    ...drawn.map(({ id, title }) => [id, title]),
    ...(page.tracks.views.length > 0 ? [["tracks", tracksTitle]] : []),
    ["provenance", provenanceTitle],
  ];
  const script = [
    `"use strict";${hints}\nconst TracksPlayer = ${TracksPlayer.toString()};`,
    'for (const view of document.querySelectorAll("figure.tracks")) new TracksPlayer(view);',
  ].join("\n");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(script)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(page.title)}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}\n</style>`,
    "</head>",
    "<body>",
    `<header><h1>${escaped(page.title)}</h1>`,
    ...page.summary.map(paragraph),
    `<nav aria-label="Figures"><ul>${links.map(([id, title]) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join("")}</ul></nav>`,
    "</header>",
    "<main>",
    ...sections,
    tracksSection(page.tracks),
    `<section id="provenance"><h2>${provenanceTitle}</h2>`,
    ...page.notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    tableHtml(page.provenance),
    "</section>",
    missingSection(missing),
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

const tracksTitle = "The tracks, frame by frame";
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

function tracksSection({ views, notes }: Page["tracks"]): string {
  if (views.length === 0) return "";
  return [
    `<section id="tracks"><h2>${tracksTitle}</h2>`,
    paragraph(
      "Step with the slider, the buttons or the arrow keys, Home, End, space (play) and e (next wrong link) once the view has the focus.",
    ),
    ...notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    ...views.map(({ title, html }, n) =>
      n === 0 ? html : `<details><summary>${escaped(title)}</summary>\n${html}\n</details>`,
    ),
    "<noscript>The view needs JavaScript.</noscript>",
    "</section>",
  ].join("\n");
}

function missingSection(missing: readonly MissingFigure[]): string {
  if (missing.length === 0) return "";
  const items = missing.map(
    ({ id, title, needs }) => `<li id="no-${id}">${escaped(title)}: needs ${escaped(needs)}.</li>`,
  );
  return `<section id="missing"><h2>Left out for want of rows</h2><ul>${items.join("")}</ul></section>`;
}
