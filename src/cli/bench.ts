import { performance } from "node:perf_hooks";
import { Command, Option } from "commander";
import { InputError } from "../core/errors.js";
import { type BenchOptions, type BenchSize, benchRowOf, type Comparison, meansOf } from "../experiments/bench/bench.js";
import { benchDistribution } from "../experiments/bench/distribution.js";
import { benchLaps, LAP_ORDERS, type LapOrder } from "../experiments/bench/lap.js";
import { benchSolve } from "../experiments/bench/solve.js";
import { BusyWork } from "../experiments/bench/timing.js";
import { type BenchRow, benchRow } from "../rows/kinds/bench.js";
import { appendRowOf, ensureAppendable } from "../rows/results.js";
import { openDevice } from "../run/device.js";
import { auctionCommand } from "./bench-auction.js";
import { baselinesCommand } from "./bench-baselines.js";
import { featuresCommand } from "./bench-features.js";
import { describeBench } from "./bench-table.js";
import { outputFile } from "./named-files.js";
import { benchSizes, defaultThreads, gate, integer, iterations, positive, seed, threads } from "./options.js";
import { printText } from "./print.js";

interface BenchFlags {
  readonly sizes: BenchSize[];
  readonly device: "gpu" | "software";
  readonly repeat: number;
  readonly timeLimit: number;
  readonly threads: number;
  readonly seed: number;
  readonly append?: string;
  readonly json?: true;
  readonly quiet?: true;
  readonly laps: LapOrder;
  readonly gate: ReturnType<typeof gate>;
  readonly iterations: number;
}

type Measure = (size: BenchSize, flags: BenchFlags, options: BenchOptions) => Promise<Comparison>;

export function benchCommand(): Command {
  return new Command("bench")
    .description("Time the engine against a naive engine on the same device, and against the CPU engine on all cores.")
    .addCommand(lapCommand())
    .addCommand(distributionCommand())
    .addCommand(solveCommand())
    .addCommand(auctionCommand())
    .addCommand(baselinesCommand())
    .addCommand(featuresCommand())
    .addHelpText(
      "after",
      `
Examples:
  $ rmap bench lap --sizes 50,100,200,300 --append rows.jsonl
  $ rmap bench solve --device software --sizes 6x5 --json

What the naive engine is, and what each of its steps costs it: docs/naive.md.`,
    );
}

function lapCommand(): Command {
  const command = common("lap", "T LAPs of N × N uniform costs.", (size, flags, options) =>
    benchLaps(size, flags.laps, options),
  );
  return command
    .addOption(new Option("--laps <order>", "how the naive engine takes them").choices(LAP_ORDERS).default("together"))
    .addHelpText("after", example("lap --sizes 50,100,200,300 --laps one-by-one --time-limit 20"));
}

function distributionCommand(): Command {
  const what = "One step of the dual ascent without its LAPs: Y-LSAPs, and the distribution of reduced costs.";
  const command = common("distribution", what, (size, flags, options) => benchDistribution(size, flags.gate, options));
  return withGate(command).addHelpText("after", example("distribution --sizes 50,100,200,300 --append rows.jsonl"));
}

function solveCommand(): Command {
  const command = common("solve", "A fixed number of iterations of the dual ascent rmap.", (size, flags, options) =>
    benchSolve(size, flags.gate, flags.iterations, options),
  );
  return withGate(command)
    .option("--iterations <n>", "of the ascent", iterations, 20)
    .addHelpText("after", example("solve --sizes 50,100,200,300 --iterations 20 --append rows.jsonl"));
}

function withGate(command: Command): Command {
  return command.option("--gate <epsilon>", "gate: ε (speed · δt · ε), radius=LENGTH, or none", gate, { epsilon: 5 });
}

function example(line: string): string {
  return `\nExample:\n  $ rmap bench ${line}`;
}

function common(name: BenchRow["benchmark"], description: string, measure: Measure): Command {
  return new Command(name)
    .description(description)
    .requiredOption("--sizes <list>", "N, or NxT, separated by commas; N alone means N targets in N frames", benchSizes)
    .addOption(new Option("--device <name>", "where both run").choices(["gpu", "software"]).default("gpu"))
    .option("--repeat <n>", "repetitions of each timing, after a warm-up", integer(1, 1000), 5)
    .option("--time-limit <seconds>", "for the naive engine at each size", positive, 60)
    .option("--threads <n>", "worker threads of the CPU engine", threads, defaultThreads())
    .option("--seed <n>", "of the costs", seed, 1)
    .option("--append <file>", "append each size's result as one line to a JSON Lines file", outputFile)
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "no progress on stderr")
    .action((flags: BenchFlags) => benchAction(name, measure, flags));
}

async function benchAction(name: BenchRow["benchmark"], measure: Measure, flags: BenchFlags): Promise<void> {
  if (flags.append !== undefined) ensureAppendable(flags.append);
  const now = () => performance.now() / 1000;
  const { session } = await openDevice(flags.device);
  if (session === null) throw new InputError(`--device ${flags.device} is no GPU: choose gpu or software`);
  const rows: BenchRow[] = [];
  try {
    const busy = await BusyWork.create(session, now);
    const { repeat: repetitions, timeLimit } = flags;
    const options = { session, busy, now, repetitions, timeLimit, threads: flags.threads, seed: flags.seed };
    for (const size of flags.sizes) {
      if (flags.quiet !== true && process.stderr.isTTY === true)
        process.stderr.write(`${name} ${size.n} × ${size.t} …\n`);
      const row = benchRowOf(name, size, await measure(size, flags, options), options);
      // Rows are written at once, so that a later size that fails loses none of them.
      if (flags.append !== undefined) appendRowOf(flags.append, benchRow, row);
      rows.push(row);
    }
    busy.destroy();
  } finally {
    await session.close();
  }
  const means = meansOf(rows);
  printText(flags.json ? `${JSON.stringify({ rows, geometricMeans: means })}\n` : describeBench(rows, means));
}
