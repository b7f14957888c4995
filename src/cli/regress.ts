import { InputError } from "../core/errors.js";
import { itemsOfShard } from "../core/shard.js";
import { type Difference, readBaseline, writeBaseline } from "../experiments/regress/baseline.js";
import { type CaseOutcome, regress } from "../experiments/regress/regress.js";
import { argument, command, toggle } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import { inputFile } from "./options/files.js";
import { jobs, shard } from "./options/running.js";
import { many, textOf } from "./print.js";
import { formatTable } from "./text.js";

export const regressCommand = command({
  group: "Experiments",
  summary: "Run the cases of a baseline again and compare bounds, gaps and scores with those it records.",
  arguments: { baseline: argument("baseline file (.json): tolerance and cases", inputFile) },
  options: {
    update: toggle("--update", "record what is measured now"),
    jobs: jobs(),
    shard: shard("every n-th case from the k-th"),
  },
  examples: [
    "rmap regress results/baseline.json",
    "rmap regress results/baseline.json --shard 2/4",
    "rmap regress results/baseline.json --update",
  ],
  notes: "The exit code is 3 when a bound, a gap or a score is worse than recorded by more than the tolerance.",
  async run({ baseline: file }, { update = false, jobs, shard = { number: 1, of: 1 } }, { progress, refuse }) {
    if (update) refuse(["shard"], "--update records all cases; leave one of them out");
    const whole = readBaseline(file);
    const read = { ...whole, cases: itemsOfShard(whole.cases, shard) };
    const missing = read.cases.find(({ expected }) => expected === null);
    if (missing !== undefined && !update)
      throw new InputError(`${file}: nothing is recorded of case ${missing.name}; record it with --update`);
    const total = read.cases.length;
    const outcomes = await regress(read, { jobs, progress: (done) => progress.show("cases", done, total) });
    if (update) record(file, read.baseline, outcomes);
    const worse = outcomes.filter(({ differences }) => differences?.some((difference) => difference.worse));
    const outcome = { text: describe(outcomes, update), json: { cases: total, outcomes } };
    if (update || worse.length === 0) return outcome;
    const problem = `${worse.length} of ${total} cases are worse than ${file} records`;
    return { ...outcome, problem, code: EXIT.belowRequired };
  },
});

function record(file: string, baseline: Parameters<typeof writeBaseline>[1], outcomes: readonly CaseOutcome[]): void {
  const failed = outcomes.find(({ error }) => error !== null);
  if (failed !== undefined)
    throw new InputError(`${file}: case ${failed.name} failed and is not recorded: ${failed.error}`);
  writeBaseline(
    file,
    baseline,
    outcomes.map(({ measured }) => measured),
  );
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
  const sum = `${many(outcomes.length, "case")}: ${worse} numbers worse, ${moved.length - worse} better by more than the tolerance`;
  const hint = updated ? "; recorded" : worse === 0 && moved.length > 0 ? "; --update records them" : "";
  return `${table}${textOf(errors)}${sum}${hint}\n`;
}

/** As many digits as a tolerance of 1e-6 can need. */
function formatValue(value: Difference["recorded"]): string {
  return typeof value === "number" ? String(Number(value.toPrecision(10))) : (value ?? "–");
}
