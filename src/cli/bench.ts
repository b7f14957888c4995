import { type BenchOptions, type BenchSize, benchRowOf, type Comparison, meansOf } from "../experiments/bench/bench.js";
import { benchLaps, LAP_ORDERS } from "../experiments/bench/lap.js";
import { benchDistribution, benchSolve } from "../experiments/bench/solve.js";
import { BusyWork } from "../experiments/bench/timing.js";
import { type BenchRow, benchRow } from "../rows/bench.js";
import { appendMeasurement, ensureAppendable } from "../rows/results.js";
import { openGpu } from "../run/device.js";
import { baselines } from "./bench/baselines.js";
import { describeBench } from "./bench/table.js";
import { now } from "./clock.js";
import {
  type CommandDeclaration,
  type CommandGroup,
  type Context,
  choice,
  command,
  type Everywhere,
  type FlagsOf,
  type Options,
  type Outcome,
} from "./declaration/declaration.js";
import { benchOptions, gateOption, iterations } from "./options/bench.js";

type BenchFlags = FlagsOf<ReturnType<typeof benchOptions>> & Everywhere;

export const bench: CommandGroup = {
  group: "Experiments",
  summary: "Time the engine against a naive engine on the same device, and against the CPU engine on all cores.",
  commands: {
    lap: timing(
      "lap",
      "T LAPs of N × N uniform costs.",
      { laps: choice("--laps <order>", "how the naive engine takes them", LAP_ORDERS).or("together") },
      "lap --laps one-by-one --time 20",
      (size, { laps }, options) => benchLaps(size, laps, options),
    ),
    distribution: timing(
      "distribution",
      "One step of the dual ascent without its LAPs: Y-LSAPs, and the distribution of reduced costs.",
      { gate: gateOption() },
      "distribution --append rows.jsonl",
      (size, { gate }, options) => benchDistribution(size, gate, options),
    ),
    solve: timing(
      "solve",
      "A fixed number of iterations of the dual ascent rmap.",
      { gate: gateOption(), iterations: iterations() },
      "solve --iterations 20 --append rows.jsonl",
      (size, { gate, iterations }, options) => benchSolve(size, gate, iterations, options),
    ),
    baselines,
  },
  moved: { auction: inTheLab("auction", "sorting"), features: inTheLab("features", "features") },
  examples: ["rmap bench lap --append rows.jsonl", "rmap bench solve --device software --sizes 6x5 --json"],
  notes: "What the naive engine is, and what each of its steps costs it: lab/notes/naive.md.",
};

function inTheLab(name: string, folder: string): string {
  return `bench ${name} is in the lab now: in a checkout, npm run build -w lab && node dist-lab/${folder}/bench.js --help`;
}

function timing<O extends Options>(
  name: BenchRow["benchmark"],
  summary: string,
  own: O,
  example: string,
  measure: (size: BenchSize, flags: FlagsOf<O>, options: BenchOptions) => Promise<Comparison>,
): CommandDeclaration {
  return command({
    group: "Benchmarks",
    summary,
    arguments: {},
    options: { ...own, ...benchOptions() },
    examples: [`rmap bench ${example}`],
    run: (_, flags, { progress }) => {
      const all = flags as unknown as BenchFlags & FlagsOf<O>;
      return measureSizes(name, all, (size, options) => measure(size, all, options), progress);
    },
  });
}

async function measureSizes(
  name: BenchRow["benchmark"],
  flags: BenchFlags,
  measure: (size: BenchSize, options: BenchOptions) => Promise<Comparison>,
  progress: Context["progress"],
): Promise<Outcome> {
  const { append, sizes, repeat: repetitions, time: timeLimit, threads, seed } = flags;
  if (append !== undefined) ensureAppendable(append);
  const { session } = await openGpu(flags.device);
  const rows: BenchRow[] = [];
  try {
    const busy = await BusyWork.create(session, now);
    const options = { session, busy, now, repetitions, timeLimit, threads, seed };
    for (const [at, size] of sizes.entries()) {
      progress.show(name, at, sizes.length, () => `, ${size.n} × ${size.t} …`);
      const row = benchRowOf(name, size, await measure(size, options), options);
      // Rows are written at once, so that a later size that fails loses none of them.
      if (append !== undefined) appendMeasurement(append, benchRow, row);
      rows.push(row);
    }
    busy.destroy();
  } finally {
    await session.close();
  }
  const geometricMeans = meansOf(rows);
  return { text: describeBench(rows, geometricMeans), json: { rows, geometricMeans } };
}
