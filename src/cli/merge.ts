import { mergeRows } from "../experiments/sweep/merge.js";
import { planSweep } from "../experiments/sweep/plan.js";
import { writeWhole } from "../files/whole-file.js";
import { argument, command, option, severalArguments } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import { inputFile, outputFile } from "./options/files.js";
import { many, textOf } from "./print.js";
import { describeRuns } from "./sweep.js";

/** Missing runs that are named; --json names all. */
const NAMED = 10;

export const merge = command({
  group: "Experiments",
  summary: "Join the rows that the shards of a sweep made, and name the runs that are missing.",
  arguments: {
    sweep: argument("sweep file (.json)", inputFile),
    rows: severalArguments("rows of its shards (.jsonl)", inputFile),
  },
  options: { output: option("-o, --output <file>", "write the rows there", outputFile).needed() },
  examples: ["rmap merge scenarios/sweeps/epsilon.json out/epsilon.*.jsonl -o out/epsilon.jsonl"],
  notes: `The rows come in the order of the design, one for each run, and rows of another sweep, input, version or device are refused. Where runs are missing the exit code is 3;
rmap sweep --append makes them from the rows that are written.`,
  run({ sweep: file, rows: files }, { output }) {
    const plan = planSweep(file);
    const { lines, missing, failed, doubled, differing } = mergeRows(plan, files);
    writeWhole(
      output,
      lines.map((line) => `${line}\n`),
    );
    const runs = plan.runs.length;
    const parts = [
      `${lines.length} of ${many(runs, "run")} from ${many(files.length, "file")}`,
      ...(doubled > 0 ? [`${doubled} doubled rows dropped`] : []),
      ...(differing > 0 ? [`${differing} of these with other bounds than the row that is kept, the first one`] : []),
      ...(failed > 0 ? [`${failed} failed (their rows say why)`] : []),
    ];
    const named = describeRuns(missing.slice(0, NAMED)).map((line): [string, string] => ["missing", line]);
    const more = missing.length > NAMED ? [`  and ${missing.length - NAMED} more`] : [];
    return {
      text: textOf([`${plan.name}: ${parts.join(", ")}`, ["rows", output], ...named, ...more]),
      json: {
        ...{ sweep: plan.name, runs, merged: lines.length, failed, doubled, differing, output },
        missing: missing.map(({ values, task }) => ({ key: task.key, values })),
      },
      ...(missing.length > 0 && {
        problem: `${missing.length} of ${runs} runs are missing; make their shards again, or rmap sweep ${file} --append ${output}`,
        code: EXIT.belowRequired,
      }),
    };
  },
});
