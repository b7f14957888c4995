import { performance } from "node:perf_hooks";
import { Command } from "commander";
import { InputError } from "../core/errors.js";
import { readInput } from "../formats/input.js";
import { digestOf, readProof } from "../formats/proof.js";
import { EQUAL } from "../map/certificate/gap.js";
import { checkProof } from "../map/exact/check-proof.js";
import { checkExactly, type ExactlyChecked, roundDown } from "../map/exact/exact-check.js";
import { makeInstance } from "../run/costs.js";
import type { ProblemOverrides } from "../run/problem.js";
import type { RoughSolves } from "../run/run.js";
import { EXIT } from "./exit.js";
import { defaultThreads, path, threads } from "./options.js";
import { many, printText, printWarnings } from "./print.js";
import { formatNumber, formatPercent } from "./text.js";

/** Triplets up to which a check without rounding takes seconds. */
const EXACT_TRIPLETS = 200_000;

export function checkCommand(): Command {
  return new Command("check")
    .description("Check a proof that rmap solve -o wrote: that no set of tracks costs less than its bound.")
    .argument("<proof>", "proof.json", path)
    .argument("<input>", "the scenario, detections or instance folder that was solved", path)
    .option("--threads <n>", "worker threads for the costs", threads, defaultThreads())
    .option(
      "--exact-arithmetic",
      `also without any rounding, in integers of any length (by itself up to ${EXACT_TRIPLETS} triplets)`,
    )
    .option("--no-exact-arithmetic", "in f64 alone, rounding counted")
    .option("--json", "print the result as one JSON object")
    .addHelpText(
      "after",
      `
The costs are made again from the input, with the options that the proof names; the proof must be about exactly these.
Exit code 3 when the proof does not hold, or proves less than it says.

Examples:
  $ rmap solve scenarios/wide.json --exact -o results/wide
  $ rmap check results/wide/proof.json scenarios/wide.json`,
    )
    .action(checkAction);
}

async function checkAction(
  proofPath: string,
  inputPath: string,
  flags: { readonly threads: number; readonly exactArithmetic?: boolean; readonly json?: true },
): Promise<void> {
  const now = () => performance.now() / 1000;
  const file = readProof(proofPath);
  const { estimated, ...overrides } = file.overrides as ProblemOverrides & { readonly estimated?: RoughSolves };
  const { graph, problem } = await makeInstance(readInput(inputPath), overrides, { ...flags, now }, estimated);
  printWarnings(inputPath, problem.notes);
  if (digestOf(graph) !== file.instance) {
    throw new InputError(
      `${proofPath}: is about other costs than those of ${inputPath}; name the input, and the version of rmap, that it was made from; costs that a GPU estimated from tracks may differ on a CPU`,
    );
  }
  if (file.tracks.length !== graph.frameStart[graph.frames]) {
    throw new InputError(`${proofPath}: has tracks of ${file.tracks.length} detections; the input has another number`);
  }
  const begin = now();
  const checked = checkProof(graph, file.tracks, file.proof);
  const seconds = now() - begin;
  const exact =
    checked.valid && (flags.exactArithmetic ?? graph.triplets.count <= EXACT_TRIPLETS)
      ? describeExactly(checkExactly(graph, file.tracks, file.proof))
      : null;
  const holdsExactly =
    exact === null || (exact.valid && exact.lowerBound >= file.lowerBound - 1e-9 * Math.abs(file.lowerBound));
  const bounded =
    holdsExactly && checked.valid && checked.lowerBound >= file.lowerBound - 1e-9 * Math.abs(file.lowerBound);
  const priced = checked.valid && Math.abs(checked.upperBound - file.upperBound) <= 1e-9 * Math.abs(file.upperBound);
  const kept = bounded && priced;
  if (flags.json) {
    printText(`${JSON.stringify({ ...checked, exact, claimed: file.lowerBound, holds: kept, seconds })}\n`);
  } else if (checked.valid) {
    const line = (label: string, text: string) => `  ${label.padEnd(12)}${text}\n`;
    const verdict = !bounded
      ? `proves less than the ${formatNumber(file.lowerBound)} that it names`
      : priced
        ? "holds"
        : `names another cost of the tracks, ${formatNumber(file.upperBound)}`;
    const leaves = file.proof.leaves.length;
    printText(
      `${problem.name}: the proof ${verdict}\n` +
        line("lower bound", `${formatNumber(checked.lowerBound)} (f64, rounding counted)`) +
        (exact === null ? "" : line("exactly", exact.valid ? exact.text : `it does not hold: ${exact.why}`)) +
        line("tracks", formatNumber(checked.upperBound)) +
        line("gap", checked.gap <= EQUAL ? "0 % (the tracks are optimal)" : formatPercent(100 * checked.gap)) +
        line(
          "by",
          `${many(file.proof.stages.length, "stage")}, ${many(checked.cuts, "cut")}, ${leaves} ${leaves === 1 ? "leaf" : "leaves"} over ${checked.triplets} triplets; ${seconds.toFixed(2)} s`,
        ),
    );
  } else printText(`${problem.name}: the proof does not hold: ${checked.why}\n`);
  if (!kept) process.exitCode = EXIT.belowRequired;
}

/** What a check without rounding found, the bound rounded down to f64. */
function describeExactly(checked: ExactlyChecked) {
  if (!checked.valid) return checked;
  const { lowerBound, upperBound, shift } = checked;
  const bound = roundDown(lowerBound, shift);
  const optimal = lowerBound === upperBound;
  const apart = -roundDown(lowerBound - upperBound, shift);
  const text = optimal
    ? "the tracks are optimal, without any rounding"
    : `${formatNumber(bound)}, ${apart.toPrecision(2)} below the tracks, without any rounding`;
  return { valid: true as const, lowerBound: bound, optimal, text };
}
