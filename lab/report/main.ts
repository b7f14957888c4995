/** The page of `rmap report` with the figures of the lab's own rows: npm run build -w lab && node dist-lab/report/main.js ROWS.jsonl… -o PAGE.html [--figures FOLDER] */
import { join } from "node:path";
import { Command } from "commander";
import { writeWhole } from "../../dist/files/whole-file.js";
import { makeFigures, makeReport } from "../../dist/report/report.js";
import { readReportInputs } from "../../dist/rows/report-inputs.js";
import { runCommand } from "../command.js";
import { LAB_FIGURES, LAB_SCHEMAS } from "./figures.js";

const command = new Command("report")
  .description("Draw the rows of the lab, and whatever rmap report draws, on one page.")
  .argument("<rows...>", "rows (.jsonl), folders of rmap solve -o, history.csv files")
  .option("-o, --output <file>", "write the page there")
  .option("--figures <folder>", "write each chart there (.svg)")
  .option("--title <text>", "heading of the page", "Measurements of rmap")
  .action(async (paths: string[], { output, figures, title }: Readonly<Record<string, string>>) => {
    const inputs = readReportInputs(paths, LAB_SCHEMAS);
    if (output !== undefined) {
      const { html, shown } = await makeReport(inputs, title, LAB_FIGURES);
      writeWhole(output, html);
      process.stdout.write([`wrote ${output}`, ...shown.map((figure) => `  ${figure}`), ""].join("\n"));
    }
    if (figures === undefined) return;
    for (const { name, svg } of await makeFigures(inputs, { width: 170, fontSize: 7 }, null, LAB_FIGURES)) {
      writeWhole(join(figures, `${name}.svg`), svg);
      process.stdout.write(`wrote ${join(figures, `${name}.svg`)}\n`);
    }
  });

await runCommand(command);
