import { dirname, join } from "node:path";
import { InputError } from "../core/errors.js";
import type { NumberRange } from "../core/range.js";
import { quoted } from "../files/csv-cell.js";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { type ReportInputs, readReportInputs } from "../rows/report-inputs.js";
import { command, option, severalArguments } from "./declaration/declaration.js";
import { openFile } from "./open.js";
import { inputFolder, outputFile, outputFolder } from "./options/files.js";
import { open } from "./options/output.js";
import { setting } from "./options/values.js";
import { textOf } from "./print.js";

/** From a picture in a margin to a poster. */
const FIGURE_WIDTH: NumberRange = { least: 20, most: 2000 };
const FONT_SIZE: NumberRange = { least: 3, most: 200 };
/** A column of a paper. */
const USUAL = { width: 85, fontSize: 8 };

export const report = command({
  group: "Experiments",
  summary: "Draw results and measurements on one HTML page that needs no other file.",
  arguments: {
    rows: severalArguments(
      "rows (.jsonl), folders of rmap solve -o, history.csv files",
      inputFolder(["result.json", "history.csv", "tracks.csv"]),
    ),
  },
  options: {
    output: option("-o, --output <file>", "write the page there", outputFile),
    figures: option(
      "--figures <folder>",
      "write each chart there as SVG and PDF for papers, and the rows it draws as CSV",
      outputFolder([]),
    ),
    width: option("--width <mm>", `of these figures [${USUAL.width}]`, setting(FIGURE_WIDTH)),
    fontSize: option("--font-size <pt>", `of their labels [${USUAL.fontSize}]`, setting(FONT_SIZE)),
    open: open("the page"),
    title: option("--title <text>", "heading of the page", (text) => text).or("Results of rmap"),
  },
  examples: [
    "rmap report results/epsilon.jsonl -o epsilon.html",
    "rmap report results/gap.jsonl --figures figures --width 180 --font-size 9",
    'rmap report results/gap.jsonl results/naive-gpu.jsonl results/demo/ -o report.html --title "Gaps and tracks"',
  ],
  async run({ rows }, { output, figures: folder, width, fontSize, open, title }, { progress }) {
    if (output === undefined && folder === undefined)
      throw new InputError("rmap report: nothing says where to write; give -o PAGE.html, --figures FOLDER, or both");
    if (folder === undefined && (width ?? fontSize) !== undefined)
      throw new InputError(
        `--${width === undefined ? "font-size" : "width"}: it is of figures in files of their own; give --figures FOLDER, or leave it out`,
      );
    if (output === undefined && open)
      throw new InputError("--open: there is no page to open; give -o PAGE.html, or leave it out");
    const inputs = readReportInputs(rows, undefined, (done, total) => progress.show("inputs", done, total));
    // Checked before the work, but after the errors that are more frequent.
    if (output !== undefined) ensureFolder(dirname(output));
    if (folder !== undefined) ensureFolder(folder);
    // Vega takes a while to load, and no other command needs it.
    const { makeReport } = await import("../report/report.js");
    const page =
      output === undefined
        ? null
        : await makeReport(inputs, title, [], (done, total) => progress.show("figures", done, total));
    if (output !== undefined && page !== null) writeWhole(output, page.html);
    const size = { width: width ?? USUAL.width, fontSize: fontSize ?? USUAL.fontSize };
    const figures = folder === undefined ? null : await writeFigures(folder, inputs, size);
    if (output !== undefined && open) await openFile(output);
    const shown = page?.shown ?? [];
    const text = textOf([
      ...(output === undefined ? [] : [`wrote ${output}`, ...shown.map((figure) => `  ${figure}`)]),
      ...(figures?.lines ?? []),
    ]);
    return {
      text,
      json: {
        ...(output !== undefined && { output }),
        figures: shown,
        ...(figures !== null && { files: figures.written }),
      },
    };
  },
});

/** Writes each chart as files of its own, and their rows. */
async function writeFigures(folder: string, inputs: ReportInputs, size: typeof USUAL) {
  const [{ makeFigures }, { pdfWriter }] = await Promise.all([
    import("../report/report.js"),
    import("../report/figure-pdf.js"),
  ]);
  const pdf = await pdfWriter();
  const [writePdf, noPdf] = typeof pdf === "string" ? [null, pdf] : [pdf, null];
  const files = await makeFigures(inputs, size, writePdf);
  const written = files.flatMap(({ name, svg, pdf, rows }) => {
    const table = rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");
    const contents = { svg, ...(pdf !== null && { pdf }), csv: table };
    return Object.entries(contents).map(([ending, content]) => {
      const file = join(folder, `${name}.${ending}`);
      writeWhole(file, content);
      return file;
    });
  });
  const kinds = noPdf === null ? "SVG and PDF" : "SVG";
  const lines = [
    `wrote ${files.length} figures as ${kinds}, with their rows as CSV, to ${folder}`,
    ...(noPdf === null ? [] : [`  ${noPdf}`]),
    ...files.map(({ name, title }) => `  ${name}: ${title}`),
  ];
  return { written, lines };
}
