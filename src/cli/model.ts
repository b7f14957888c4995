import { performance } from "node:perf_hooks";
import { Command, InvalidArgumentError, Option } from "commander";
import { InputError } from "../core/errors.js";
import { COST_NAMES } from "../costs/models/cost-models.js";
import { writeWhole } from "../files/whole-file.js";
import { readInput } from "../formats/input.js";
import { formatLp, formatMps } from "../formats/integer-program.js";
import { makeInstance } from "../run/costs.js";
import type { ProblemOverrides } from "../run/problem.js";
import { problemInput, writing } from "./named-files.js";
import { births, defaultThreads, gate, seed, threads } from "./options.js";
import { printText, printWarnings } from "./print.js";

/** Columns of an integer program that is still written as text: some hundred bytes each. */
const MOST_COLUMNS = 3_000_000;

interface ModelFlags extends ProblemOverrides {
  readonly output: string;
  readonly threads: number;
}

export function modelCommand(): Command {
  return new Command("model")
    .description("Write the integer program of an input for other solvers: CPLEX LP or MPS.")
    .argument("<input>", "scenario (.json), detections (CSV) or instance folder", problemInput)
    .requiredOption(
      "-o, --output <file>",
      "name.lp or name.mps",
      writing(model, (file) => [file]),
    )
    .option("--threads <n>", "worker threads for the costs", threads, defaultThreads())
    .option("--seed <n>", "seed of the simulation, instead of the scenario's", seed)
    .addOption(new Option("--cost <name>", "cost of links and triplets").choices(COST_NAMES))
    .option("--gate <epsilon>", "gate: ε (speed · δt · ε), radius=LENGTH, or none", gate)
    .option("--births <costs>", "cost of a track's start and end: auto, none, COST or BIRTH,DEATH", births)
    .addHelpText(
      "after",
      `
A column x for every edge (binary) and y for every triplet; docs/algorithm.md §1 has the rows. The numbers are those that rmap solve computes
with, to the last bit.

Examples:
  $ rmap model scenarios/wide.json -o wide.lp && highs wide.lp
  $ rmap model my-instance/ -o my.mps`,
    )
    .action(modelAction);
}

function model(text: string): string {
  if (/\.(lp|mps)$/i.test(text)) return text;
  throw new InvalidArgumentError("Name a file that ends in .lp or .mps.");
}

async function modelAction(inputPath: string, { output, threads, ...overrides }: ModelFlags): Promise<void> {
  const now = () => performance.now() / 1000;
  const { graph, problem } = await makeInstance(readInput(inputPath), overrides, { threads, now });
  printWarnings(inputPath, problem.notes);
  const columns = graph.edges + graph.triplets.count;
  if (columns > MOST_COLUMNS) {
    throw new InputError(`${inputPath}: ${columns} columns, more than ${MOST_COLUMNS}; narrow the gate`);
  }
  writeWhole(output, /\.lp$/i.test(output) ? formatLp(graph) : formatMps(graph));
  printText(`wrote ${output}: ${graph.edges} edges, ${graph.triplets.count} triplets\n`);
}
