/** The page of `rmap report` with the figures of the lab's own rows: npm run build -w lab && node dist-lab/report/main.js ROWS.jsonl… -o PAGE.html */
import { Command } from "commander";
import { writeWhole } from "../../dist/files/whole-file.js";
import { makeReport } from "../../dist/report/report.js";
import { readReportInputs } from "../../dist/rows/report-inputs.js";
import { runCommand } from "../command.js";
import { LAB_FIGURES, LAB_SCHEMAS } from "./figures.js";

const command = new Command("report")
  .description("Draw the rows of the lab, and whatever rmap report draws, on one page.")
  .argument("<rows...>", "rows (.jsonl), folders of rmap solve -o, history.csv files")
  .requiredOption("-o, --output <file>", "write the page there")
  .option("--title <text>", "heading of the page", "Measurements of rmap")
  .action(async (paths: string[], { output, title }: { output: string; title: string }) => {
    const { html, shown } = await makeReport(readReportInputs(paths, LAB_SCHEMAS), title, LAB_FIGURES);
    writeWhole(output, html);
    process.stdout.write([`wrote ${output}`, ...shown.map((figure) => `  ${figure}`), ""].join("\n"));
  });

await runCommand(command);
