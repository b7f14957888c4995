import { InvalidArgumentError } from "commander";
import { InputError } from "../core/errors.js";
import { writeWhole } from "../files/whole-file.js";
import { readInput } from "../formats/input.js";
import { formatLp, formatMps } from "../formats/integer-program.js";
import { makeInstance } from "../run/costs.js";
import { now } from "./clock.js";
import { argument, command, option } from "./declaration/declaration.js";
import { costOptions } from "./options/costs.js";
import { problemInput, writing } from "./options/files.js";
import { readingOptions } from "./options/reading.js";
import { threads } from "./options/running.js";
import { printWarnings } from "./print.js";
import { showInstance } from "./solve-progress.js";

/** Columns of an integer program that is still written as text: some hundred bytes each. */
const MOST_COLUMNS = 3_000_000;

export const model = command({
  group: "Proofs and models",
  summary: "Write the integer program of an input for other solvers: CPLEX LP or MPS.",
  arguments: { input: argument("scenario (.json), detections (CSV) or instance folder", problemInput) },
  options: {
    output: option(
      "-o, --output <file>",
      "write the program there: name.lp or name.mps",
      writing(named, (file) => [file]),
    ).needed(),
    threads: threads(),
    ...readingOptions(),
    ...costOptions(),
  },
  examples: ["rmap model scenarios/wide.json -o wide.lp && highs wide.lp", "rmap model my-instance/ -o my.mps"],
  notes: `The program has a binary column x for every edge and a column y for every triplet; docs/explanation/mathematics.md has the rows. The numbers are
those that rmap solve computes with, to the last bit.`,
  async run({ input }, { output, threads, ...overrides }, { progress }) {
    const { graph, problem } = await makeInstance(await readInput(input, overrides), overrides, {
      threads,
      now,
      ...showInstance(progress),
    });
    const [edges, triplets] = [graph.edges, graph.triplets.count];
    if (edges + triplets > MOST_COLUMNS)
      throw new InputError(`${input}: ${edges + triplets} columns, more than ${MOST_COLUMNS}; narrow the gate`);
    printWarnings(input, problem.notes);
    writeWhole(output, /\.lp$/i.test(output) ? formatLp(graph) : formatMps(graph));
    return { text: `wrote ${output}: ${edges} edges, ${triplets} triplets\n`, json: { output, edges, triplets } };
  },
});

function named(text: string): string {
  if (/\.(lp|mps)$/i.test(text)) return text;
  throw new InvalidArgumentError("Name a file that ends in .lp or .mps.");
}
