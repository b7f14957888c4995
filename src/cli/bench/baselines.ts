import { existsSync, readFileSync } from "node:fs";
import { InputError } from "../../core/errors.js";
import {
  digestOfDetections,
  recordingTrials,
  runTrial,
  simulationTrials,
  type Trial,
} from "../../experiments/baselines/run.js";
import { baselineTable } from "../../experiments/baselines/table.js";
import { readInput } from "../../formats/input.js";
import { type BaselineRow, baselineRow } from "../../rows/baselines.js";
import { provenance } from "../../rows/provenance.js";
import { measurementsOf, readMixedRows } from "../../rows/report-rows.js";
import { appendMeasurement, ensureAppendable } from "../../rows/results.js";
import { openBackend } from "../../run/device.js";
import { now } from "../clock.js";
import { type Context, command, severalArguments } from "../declaration/declaration.js";
import { type BaselineFlags, baselineOptions } from "../options/baselines.js";
import { problemInput } from "../options/files.js";
import { printWarnings } from "../print.js";
import { formatTable } from "../text.js";

export const baselines = command({
  group: "Benchmarks",
  summary:
    "Track recordings and simulations by simple methods and by rmap, with and without velocities, as they are and with faults; one row each and one table.",
  arguments: { inputs: severalArguments("detections, or scenarios with a simulation", problemInput) },
  options: baselineOptions,
  examples: [
    "rmap bench baselines scenarios/data/*.csv --append results/baselines.jsonl",
    "rmap bench baselines scenarios/data/*.csv --append part-2.jsonl --shard 2/16    # and fifteen others beside it",
    "rmap bench baselines scenarios/fault-curves.json --append curves.jsonl && rmap report curves.jsonl -o curves.html",
  ],
  notes: `Methods: greedy (nearest pair first), lap (assignment of each frame pair), kalman and kalman-t (assignment to constant-velocity filters, normal and
Student's t), drift (lap after the common displacement), rmap (rmap solve --ascent rmap), default (rmap solve). docs/how-to/compare.md says how
gates are estimated. Rows that the file of --append holds are not made again.`,
  async run({ inputs }, flags, { progress }) {
    const { append } = flags;
    if (append !== undefined) ensureAppendable(append);
    const isThere = append !== undefined && existsSync(append) && readFileSync(append).length > 0;
    const known = isThere ? measurementsOf<BaselineRow>(readMixedRows(append), ["baselines"]) : [];
    const rows = await runTrials(
      (await Promise.all(inputs.map((input) => trialsOf(input, flags)))).flat(),
      known,
      flags,
      progress,
    );
    const table = baselineTable(rows);
    const cells = table.rows.map((line) => line.map((text) => text.replaceAll("**", "")));
    const ratios = table.ratios.map(
      ({ method, ratio, lines }) =>
        `link errors of ${method} over those of default, geometric mean over ${lines} lines: ${ratio.toFixed(2)}\n`,
    );
    return {
      text: `${formatTable(table.header, cells)}cells: link errors % / IDF1 %\n${ratios.join("")}`,
      json: { rows, ratios: table.ratios },
    };
  },
});

/** The rows of all methods on all trials of this shard; those that are known are not made again. */
async function runTrials(
  trials: readonly Trial[],
  known: readonly BaselineRow[],
  flags: BaselineFlags,
  progress: Context["progress"],
): Promise<BaselineRow[]> {
  const { append, shard, threads } = flags;
  const backend = await openBackend("cpu", { threads, now });
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const rows: BaselineRow[] = [];
  const total = trials.length * flags.methods.length;
  let runs = 0;
  try {
    for (const trial of trials) {
      const detections = trial.detections();
      const digest = digestOfDetections(detections);
      for (const method of flags.methods) {
        // It takes no notice of velocities.
        if (method === "drift" && trial.velocities === "measured") continue;
        if (runs++ % shard.of !== shard.number - 1) continue;
        const isIt = (row: BaselineRow) => row.method === method && row.digest === digest && row.input === trial.input;
        const old = known.findLast(isIt);
        progress.show(
          "runs",
          runs,
          total,
          () => `, ${trial.input}, ${trial.damage.fault} ${trial.damage.level}: ${method}`,
        );
        const row = old ?? {
          ...(await runTrial(trial, detections, method, { ...flags, backend, now, cpu })),
          ...provenance(new Date()),
        };
        if (old === undefined && append !== undefined) appendMeasurement(append, baselineRow, row);
        rows.push(row);
      }
    }
  } finally {
    await backend.close();
  }
  return rows;
}

async function trialsOf(file: string, flags: BaselineFlags): Promise<Trial[]> {
  const { detections, seed: first, seeds } = flags;
  const input = await readInput(file, flags);
  if (input.kind === "detections") {
    const trials = recordingTrials(input.recording, file, detections, first);
    printWarnings(file, input.recording.notes);
    return trials;
  }
  if (input.kind === "scenario" && input.scenario.source.kind === "simulation") {
    return simulationTrials(
      input.scenario,
      Array.from({ length: seeds }, (_, n) => first + n),
    );
  }
  throw new InputError(`${file}: is neither detections nor a scenario with a simulation; name one of these`);
}
