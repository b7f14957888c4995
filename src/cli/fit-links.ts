import { writeWhole } from "../files/whole-file.js";
import { CANDIDATE_TERMS, readLabelledCandidates } from "../formats/link-candidates.js";
import { fitLogistic } from "../pixels/features/link/logistic.js";
import { packageVersion } from "../rows/provenance.js";
import { command, option, severalArguments } from "./declaration/declaration.js";
import { inputFolder, outputFile } from "./options/files.js";

export const fitLinks = command({
  group: "Images",
  summary: "Fit the weights of rmap link's costs to sequences whose true links are known.",
  arguments: {
    folders: severalArguments(
      "folders of rmap link, with truth.csv: frame,i,j",
      inputFolder(["truth.csv", "candidates.csv"]),
    ),
  },
  options: {
    output: option(
      "-o, --output <file>",
      "write the weights there (JSON), for rmap link --weights",
      outputFile,
    ).needed(),
  },
  examples: [
    "rmap link 'camera/*.png' -o camera-links      # then write camera-links/truth.csv",
    "rmap fit-links camera-links astronaut-links -o weights.json",
    "rmap link 'frames/*.png' --weights weights.json --solve -o results/linked",
  ],
  notes: "The cost of a pair is minus its log odds; the log odds are linear in the columns of candidates.csv.",
  run({ folders }, { output }) {
    const parts = folders.map(readLabelledCandidates);
    const labelled = { terms: parts.flatMap(({ terms }) => terms), isTrue: parts.flatMap(({ isTrue }) => isTrue) };
    const { weights, loss, steps } = fitLogistic(labelled);
    const candidates = labelled.terms.length;
    const trues = labelled.isTrue.filter((one) => one).length;
    const version = packageVersion();
    const record = { terms: CANDIDATE_TERMS, weights, loss, candidates, true: trues, folders, version };
    writeWhole(output, `${JSON.stringify(record, null, 2)}\n`);
    const lines = CANDIDATE_TERMS.map((name, k) => `  ${name.padEnd(9)} ${weights[k].toFixed(4)}`);
    const fit = `loss ${(loss / candidates).toFixed(4)} a candidate after ${steps} steps`;
    return {
      text: `${candidates} candidates, ${trues} true; ${fit}\n${lines.join("\n")}\n  wrote     ${output}\n`,
      json: { ...record, steps, output },
    };
  },
});
