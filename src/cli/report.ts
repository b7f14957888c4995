import { dirname } from "node:path";
import { Command } from "commander";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { readReportInputs } from "../rows/report-inputs.js";
import { inputFolder, outputFile, several } from "./named-files.js";
import { printText, textOf } from "./print.js";

interface ReportFlags {
  readonly output: string;
  readonly title: string;
}

export function reportCommand(): Command {
  return new Command("report")
    .description("Draw rows of results and benchmarks on one self-contained HTML page.")
    .argument(
      "<rows...>",
      "rows (.jsonl), folders of rmap solve -o, history.csv files",
      several(inputFolder(["result.json", "history.csv", "tracks.csv"])),
    )
    .requiredOption("-o, --output <file>", "write the page there", outputFile)
    .option("--title <text>", "heading of the page", "Results of rmap")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap report results/epsilon.jsonl -o epsilon.html
  $ rmap report results/gap.jsonl results/naive-gpu.jsonl results/demo/ -o report.html --title "Gaps and tracks"`,
    )
    .action(async (paths: string[], { output, title }: ReportFlags) => {
      const inputs = readReportInputs(paths);
      // Checked before the work, but after the errors that are more frequent.
      ensureFolder(dirname(output));
      // Vega takes a while to load, and no other command needs it.
      const { makeReport } = await import("../report/report.js");
      const { html, shown } = await makeReport(inputs, title);
      writeWhole(output, html);
      printText(textOf([`wrote ${output}`, ...shown.map((figure) => `  ${figure}`)]));
    });
}
