import { availableParallelism } from "node:os";
import { Presets, SingleBar } from "cli-progress";
import { Command } from "commander";
import { InputError } from "../core/errors.js";
import { readBaseline, writeBaseline } from "../experiments/regress/baseline.js";
import type { Difference } from "../experiments/regress/compare.js";
import { type CaseOutcome, regress } from "../experiments/regress/regress.js";
import { EXIT } from "./exit.js";
import { inputFile } from "./named-files.js";
import { jobs } from "./options.js";
import { printProblem, printText, textOf } from "./print.js";
import { formatTable } from "./text.js";

interface RegressFlags {
  readonly update?: true;
  readonly jobs: number;
  readonly json?: true;
  readonly quiet?: true;
}

export function regressCommand(): Command {
  return new Command("regress")
    .description("Run the cases of a baseline again and compare bounds, gaps and scores with those it records.")
    .argument("<baseline>", "baseline file (.json): tolerance and cases", inputFile)
    .option("--update", "record what is measured now")
    .option("--jobs <n>", "runs at a time, each in a process of its own", jobs, availableParallelism())
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "no progress on stderr")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap regress results/baseline.json
  $ rmap regress results/baseline.json --update

Exit code 3 when a bound, a gap or a score is worse than recorded by more than the tolerance.`,
    )
    .action(regressAction);
}

async function regressAction(file: string, flags: RegressFlags): Promise<void> {
  const read = readBaseline(file);
  const { cases } = read;
  const missing = cases.find(({ expected }) => expected === null);
  if (missing !== undefined && !flags.update) {
    throw new InputError(`${file}: nothing is recorded of case ${missing.name}; record it with --update`);
  }
  const shown = flags.quiet !== true && process.stderr.isTTY === true;
  const bar = new SingleBar({ format: "cases {bar} {value} of {total}", clearOnComplete: true }, Presets.rect);
  if (shown) bar.start(cases.length, 0);
  const progress = (done: number) => {
    if (shown) bar.update(done);
  };
  const outcomes = await regress(read, { jobs: flags.jobs, progress }).finally(() => bar.stop());
  const failed = outcomes.find(({ error }) => error !== null);
  const worse = outcomes.filter(({ differences }) => differences?.some((difference) => difference.worse));
  if (flags.update) {
    if (failed !== undefined)
      throw new InputError(`${file}: case ${failed.name} failed and is not recorded: ${failed.error}`);
    writeBaseline(
      file,
      read.baseline,
      outcomes.map(({ measured }) => measured),
    );
  }
  printText(
    flags.json
      ? `${JSON.stringify({ cases: outcomes.length, outcomes })}\n`
      : describe(outcomes, flags.update === true),
  );
  if (flags.update || worse.length === 0) return;
  printProblem(`${worse.length} of ${outcomes.length} cases are worse than ${file} records`);
  process.exitCode = EXIT.belowRequired;
}

/** A line for each number that changed, the worse ones first, and a summary line. */
function describe(outcomes: readonly CaseOutcome[], updated: boolean): string {
  const moved = outcomes.flatMap(({ name, differences }) => (differences ?? []).map((each) => ({ name, ...each })));
  moved.sort((one, other) => Number(other.worse) - Number(one.worse));
  const rows = moved.map(({ name, quantity, recorded, now, limit, worse }) => [
    name,
    quantity,
    formatValue(recorded),
    formatValue(now),
    formatValue(limit),
    worse ? "WORSE" : "better",
  ]);
  const table = rows.length === 0 ? "" : formatTable(["case", "what", "recorded", "now", "limit", ""], rows);
  const errors = outcomes.flatMap(({ name, error }) => (error === null ? [] : [`${name}: ${error}`]));
  const worse = moved.filter((each) => each.worse).length;
  const sum = `${outcomes.length} cases: ${worse} numbers worse, ${moved.length - worse} better by more than the tolerance`;
  const hint = updated ? "; recorded" : worse === 0 && moved.length > 0 ? "; --update records them" : "";
  return `${table}${textOf(errors)}${sum}${hint}\n`;
}

/** As many digits as a tolerance of 1e-6 can need. */
function formatValue(value: Difference["recorded"]): string {
  return typeof value === "number" ? String(Number(value.toPrecision(10))) : (value ?? "–");
}
