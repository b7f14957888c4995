import { Command } from "commander";
import { writeWhole } from "../files/whole-file.js";
import { CANDIDATE_TERMS, readLabelledCandidates } from "../formats/link-candidates.js";
import { fitLogistic } from "../pixels/features/link/logistic.js";
import { packageVersion } from "../rows/provenance.js";
import { inputFolder, outputFile, several } from "./named-files.js";
import { printText } from "./print.js";

export function fitLinksCommand(): Command {
  return new Command("fit-links")
    .description("Fit the weights of rmap link's costs to sequences whose true links are known.")
    .argument(
      "<folders...>",
      "folders of rmap link, with truth.csv: frame,i,j",
      several(inputFolder(["truth.csv", "candidates.csv"])),
    )
    .requiredOption("-o, --output <file>", "write the weights there (JSON), for rmap link --weights", outputFile)
    .addHelpText(
      "after",
      `
Examples:
  $ rmap link 'camera/*.png' -o camera-links      then write camera-links/truth.csv
  $ rmap fit-links camera-links astronaut-links -o weights.json
  $ rmap link 'frames/*.png' --weights weights.json --solve -o results/linked

The cost of a pair is minus its log odds; the log odds are linear in the columns of candidates.csv.`,
    )
    .action((folders: string[], { output }: { output: string }) => {
      const parts = folders.map(readLabelledCandidates);
      const labelled = { terms: parts.flatMap(({ terms }) => terms), isTrue: parts.flatMap(({ isTrue }) => isTrue) };
      const { weights, loss, steps } = fitLogistic(labelled);
      const candidates = labelled.terms.length;
      const trues = labelled.isTrue.filter((one) => one).length;
      const record = {
        terms: CANDIDATE_TERMS,
        weights,
        loss,
        candidates,
        true: trues,
        folders,
        version: packageVersion(),
      };
      writeWhole(output, `${JSON.stringify(record, null, 2)}\n`);
      const lines = CANDIDATE_TERMS.map((name, k) => `  ${name.padEnd(9)} ${weights[k].toFixed(4)}`);
      printText(
        `${candidates} candidates, ${trues} true; loss ${(loss / candidates).toFixed(4)} a candidate after ${steps} steps\n${lines.join("\n")}\n  wrote     ${output}\n`,
      );
    });
}
