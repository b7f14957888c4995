import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { performance } from "node:perf_hooks";
import { Command, InvalidArgumentError, Option } from "commander";
import { InputError } from "../core/errors.js";
import {
  digestOfDetections,
  recordingTrials,
  runTrial,
  simulationTrials,
  type Trial,
} from "../experiments/baselines/run.js";
import { baselineMarkdown, baselineTable } from "../experiments/baselines/table.js";
import { writeWhole } from "../files/whole-file.js";
import { readInput } from "../formats/input.js";
import { BASELINE_METHODS, type BaselineMethod, type BaselineRow, baselinesKind } from "../rows/kinds/baselines.js";
import { provenance } from "../rows/provenance.js";
import { readMixedRows, rowsOf } from "../rows/report-rows.js";
import { appendRowOf, ensureAppendable } from "../rows/results.js";
import { openBackend } from "../run/device.js";
import { outputFile, problemInput, several } from "./named-files.js";
import { defaultThreads, integer, positive, seed, threads } from "./options.js";
import { printText, printWarnings, textOf } from "./print.js";
import { formatTable } from "./text.js";

/** Every `of`-th run from the `own`-th, counted from 1. */
interface Shard {
  readonly own: number;
  readonly of: number;
}

interface BaselineFlags {
  readonly output?: string;
  readonly detections: number;
  readonly seeds: number;
  readonly seed: number;
  readonly time: number;
  readonly threads: number;
  readonly methods: readonly BaselineMethod[];
  readonly table?: string;
  readonly shard: Shard;
  readonly quiet?: true;
}

export function baselinesCommand(): Command {
  return new Command("baselines")
    .description(
      "Track recordings and simulations by simple methods and by rmap, with and without velocities, as they are and with faults; one row each and one table.",
    )
    .argument("<inputs...>", "detections, or scenarios with a simulation", several(problemInput))
    .option(
      "-o, --output <rows>",
      "append each result to a JSON Lines file; rows that are there are not made again",
      outputFile,
    )
    .option("--detections <n>", "of a recording, the first frames that hold so many", integer(10, 1e9), 3000)
    .option("--seed <n>", "first seed of damage and simulations", seed, 1)
    .option("--seeds <n>", "seeds of each simulation", integer(1, 1000), 2)
    .option("--time <seconds>", "for each solve, passes included", positive, 60)
    .option("--threads <n>", "worker threads of the solves", threads, defaultThreads())
    .addOption(
      new Option("--methods <list>", `of ${BASELINE_METHODS.join(", ")}`)
        .argParser(methodsOf)
        .default([...BASELINE_METHODS], "all"),
    )
    .addOption(
      new Option("--shard <k/n>", "every n-th run from the k-th only, so that n processes share the work")
        .argParser(shardOf)
        .default({ own: 1, of: 1 }, "1/1"),
    )
    .option("--table <file>", "put the table between the marks <!-- baselines --> of a Markdown file", outputFile)
    .option("-q, --quiet", "no progress on stderr")
    .addHelpText(
      "after",
      `
Methods: greedy (nearest pair first), lap (assignment of each frame pair), kalman and kalman-t (assignment to constant-velocity filters, normal and
Student's t), drift (lap after the common displacement), rmap (rmap solve --ascent rmap), default (rmap solve). docs/recordings.md says how
gates are estimated.

Examples:
  $ rmap bench baselines scenarios/data/*.csv -o results/baselines.jsonl
  $ rmap bench baselines scenarios/data/*.csv -o part-2.jsonl --shard 2/16    # and fifteen others beside it
  $ rmap bench baselines scenarios/fault-curves.json -o curves.jsonl && rmap report curves.jsonl -o curves.html`,
    )
    .action(baselinesAction);
}

async function baselinesAction(inputs: readonly string[], flags: BaselineFlags): Promise<void> {
  const { output, quiet } = flags;
  if (output !== undefined) ensureAppendable(output);
  if (flags.table !== undefined) marksOf(flags.table);
  const known =
    output !== undefined && existsSync(output) && readFileSync(output).length > 0 ? baselineRows(output) : [];
  const trials = inputs.flatMap((input) => trialsOf(input, flags));
  const now = () => performance.now() / 1000;
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const backend = await openBackend("cpu", { threads: flags.threads, now });
  const rows: BaselineRow[] = [];
  let runs = 0;
  try {
    for (const trial of trials) {
      const detections = trial.detections();
      const digest = digestOfDetections(detections);
      for (const method of flags.methods) {
        // It takes no notice of velocities.
        if (method === "drift" && trial.velocities === "measured") continue;
        if (runs++ % flags.shard.of !== flags.shard.own - 1) continue;
        const old = known.findLast(
          (row) => row.method === method && row.digest === digest && row.input === trial.input,
        );
        if (old === undefined && quiet !== true && process.stderr.isTTY === true) {
          printText(
            textOf([`${trial.input}, ${trial.damage.fault} ${trial.damage.level}: ${method} …`]),
            process.stderr,
          );
        }
        const row = old ?? {
          ...(await runTrial(trial, detections, method, { ...flags, backend, now, cpu })),
          ...provenance(new Date()),
        };
        if (old === undefined && output !== undefined) appendRowOf(output, baselinesKind.schema, row);
        rows.push(row);
      }
    }
  } finally {
    await backend.close();
  }
  const table = baselineTable(rows);
  const plain = (text: string) => text.replaceAll("**", "");
  printText(
    formatTable(
      table.header,
      table.rows.map((line) => line.map(plain)),
    ),
  );
  printText("cells: link errors % / IDF1 %\n");
  for (const { method, ratio, lines } of table.ratios) {
    printText(
      `link errors of ${method} over those of default, geometric mean over ${lines} lines: ${ratio.toFixed(2)}\n`,
    );
  }
  if (flags.table !== undefined) {
    const { before, after } = marksOf(flags.table);
    writeWhole(flags.table, [`${before}\n\n${baselineMarkdown(table)}\n${after}`]);
  }
}

function trialsOf(file: string, { detections, seed: first, seeds }: BaselineFlags): Trial[] {
  const input = readInput(file);
  if (input.kind === "detections") {
    printWarnings(file, input.recording.notes);
    return recordingTrials(input.recording, basename(file).replace(/\.[^.]*$/, ""), detections, first);
  }
  if (input.kind === "scenario" && input.scenario.source.kind === "simulation") {
    return simulationTrials(
      input.scenario,
      Array.from({ length: seeds }, (_, n) => first + n),
    );
  }
  throw new InputError(`${file}: is neither detections nor a scenario with a simulation; name one of these`);
}

function baselineRows(file: string): BaselineRow[] {
  return rowsOf(readMixedRows(file), baselinesKind).map(({ row }) => row);
}

const MARKS = ["<!-- baselines -->", "<!-- /baselines -->"] as const;

function marksOf(file: string): { before: string; after: string } {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const [start, end] = MARKS.map((mark) => text.indexOf(mark));
  if (start < 0 || end < start)
    throw new InputError(`${file}: has no lines ${MARKS.join(" and ")}; put them where the table is to stand`);
  return { before: text.slice(0, start + MARKS[0].length), after: text.slice(end) };
}

function shardOf(text: string): Shard {
  const [own, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (own >= 1 && own <= of) return { own, of };
  throw new InvalidArgumentError("Give k/n with k from 1 to n, as in 2/16.");
}

function methodsOf(text: string): BaselineMethod[] {
  return text.split(",").map((name) => {
    const method = BASELINE_METHODS.find((one) => one === name);
    if (method === undefined) throw new InputError(`--methods ${name}: give some of ${BASELINE_METHODS.join(", ")}`);
    return method;
  });
}
