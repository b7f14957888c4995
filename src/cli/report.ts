import { dirname } from "node:path";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { readReportInputs } from "../rows/report-inputs.js";
import { command, option, severalArguments } from "./declaration/declaration.js";
import { openFile } from "./open.js";
import { inputFolder, outputFile } from "./options/files.js";
import { open } from "./options/output.js";
import { textOf } from "./print.js";

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
    output: option("-o, --output <file>", "write the page there", outputFile).needed(),
    open: open("the page"),
    title: option("--title <text>", "heading of the page", (text) => text).or("Results of rmap"),
  },
  examples: [
    "rmap report results/epsilon.jsonl -o epsilon.html",
    'rmap report results/gap.jsonl results/naive-gpu.jsonl results/demo/ -o report.html --title "Gaps and tracks"',
  ],
  async run({ rows }, { output, open, title }, { progress }) {
    const inputs = readReportInputs(rows, undefined, (done, total) => progress.show("inputs", done, total));
    // Checked before the work, but after the errors that are more frequent.
    ensureFolder(dirname(output));
    // Vega takes a while to load, and no other command needs it.
    const { makeReport } = await import("../report/report.js");
    const { html, shown } = await makeReport(inputs, title, [], (done, total) => progress.show("figures", done, total));
    writeWhole(output, html);
    if (open) await openFile(output);
    const text = textOf([`wrote ${output}`, ...shown.map((figure) => `  ${figure}`)]);
    return { text, json: { output, figures: shown } };
  },
});
