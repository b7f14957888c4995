import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { Command, Option } from "commander";
import { InputError } from "../core/errors.js";
import { loadQueue } from "../experiments/sweep/load-queue.js";
import { type PlannedRun, planSweep, type SweepPlan } from "../experiments/sweep/plan.js";
import { localMaker, runSweep, type SweepState } from "../experiments/sweep/sweep.js";
import { DEVICE_CHOICES, type DeviceChoice } from "../gpu/adapter.js";
import { EXIT } from "./exit.js";
import { inputFile, outputFile } from "./named-files.js";
import { jobs, queue, threads } from "./options.js";
import { printProblem, printText, textOf } from "./print.js";
import { sweepProgress } from "./sweep-progress.js";

interface SweepFlags {
  readonly output?: string;
  readonly jobs?: number;
  readonly threads?: number;
  readonly device?: DeviceChoice;
  readonly profile?: true;
  readonly queue?: string;
  readonly dryRun?: true;
  readonly json?: true;
  readonly quiet?: true;
}

export function sweepCommand(): Command {
  return new Command("sweep")
    .description("Run a scenario over a grid or a random design of its fields and seeds: a result row for each run.")
    .argument("<sweep>", "sweep file (.json): name, base, and grid, random or seeds", inputFile)
    .option(
      "-o, --output <file>",
      "append the rows there (JSON Lines); runs whose rows it holds are not made again",
      outputFile,
    )
    .option("--jobs <n>", `runs at a time, each in a process of its own (default: ${availableParallelism()})`, jobs)
    .option("--threads <n>", "worker threads of each run (default: 1)", threads)
    .addOption(new Option("--device <name>", "where the ascents run (default: cpu)").choices(DEVICE_CHOICES))
    .option("--profile", "time every kernel on a GPU by its own clock (a little slower)")
    .option(
      "--queue <url>",
      "have the runs made by workers (rmap worker) at this Redis server: redis://HOST[:PORT]",
      queue,
    )
    .option("--dry-run", "print the runs and make none")
    .option("--json", "print the summary, or the runs of --dry-run, as JSON")
    .option("-q, --quiet", "no progress on stderr")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap sweep scenarios/sweeps/epsilon.json -o results/epsilon.jsonl
  $ rmap sweep scenarios/sweeps/epsilon.json --dry-run
  $ rmap sweep scenarios/sweeps/epsilon.json -o results/epsilon.jsonl --queue redis://127.0.0.1

The queue's password is read from RMAP_QUEUE_PASSWORD, so that it need not stand on the command line.
A sweep that was stopped goes on when the same command is given again.`,
    )
    .action(sweepAction);
}

async function sweepAction(file: string, flags: SweepFlags): Promise<void> {
  const plan = planSweep(file);
  if (flags.dryRun) {
    printText(textOf(plan.runs.map((run) => describe(run, flags.json === true))));
    return;
  }
  const { output } = flags;
  if (output === undefined) throw new InputError("sweep: no file for the rows given; name one with -o");
  const progress = sweepProgress(flags.quiet !== true && process.stderr.isTTY === true);
  const device = flags.device ?? "cpu";
  const openMaker = makerOf(flags, device, plan, output);
  const stop = new AbortController();
  const begin = performance.now();
  let last: SweepState = { runs: plan.runs.length, already: 0, made: 0, failed: 0, dropped: 0 };
  const interrupt = () => stop.abort(new Interrupted());
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    await runSweep({
      plan,
      file: output,
      openMaker,
      device: flags.queue === undefined ? device : null,
      signal: stop.signal,
      progress: (state) => {
        last = state;
        progress.update(state);
      },
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.exitCode = EXIT.interrupted;
  } finally {
    progress.end();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
  const seconds = Number(((performance.now() - begin) / 1000).toFixed(1));
  const summary = { sweep: plan.name, ...last, seconds, output };
  printText(flags.json ? `${JSON.stringify(summary)}\n` : summarize(summary));
}

/** The local pool, or the queue, whose workers choose their device and threads themselves. */
function makerOf(
  { queue, jobs, threads, device: asked, profile }: SweepFlags,
  device: DeviceChoice,
  plan: SweepPlan,
  file: string,
) {
  if (queue === undefined) {
    return () =>
      localMaker(jobs ?? availableParallelism(), { device, threads: threads ?? 1, profile: profile === true });
  }
  const chosenByWorkers = { "--jobs": jobs, "--threads": threads, "--device": asked, "--profile": profile };
  for (const [option, value] of Object.entries(chosenByWorkers)) {
    if (value !== undefined) throw new InputError(`${option}: is chosen by each worker of a queue; leave it out here`);
  }
  const tasks = plan.runs.map(({ task }) => task);
  return async () => {
    // Loaded only here, since BullMQ takes as long to load as everything else.
    const { queueMaker, withPassword } = await loadQueue();
    return queueMaker(withPassword(queue), file, tasks, printProblem);
  };
}

class Interrupted extends Error {
  override readonly name = "Interrupted";
}

function describe({ values, task }: PlannedRun, json: boolean): string {
  if (json) return JSON.stringify({ key: task.key, values });
  const settings = Object.entries(values).map(
    ([field, value]) => `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [task.key, ...settings].join(" ");
}

function summarize(summary: SweepState & { sweep: string; seconds: number; output: string }): string {
  const { sweep, runs, already, made, failed, dropped, seconds, output } = summary;
  const left = runs - already - made;
  const parts = [
    `${runs} runs`,
    ...(already > 0 ? [`${already} were there`] : []),
    `${made} made in ${seconds} s`,
    ...(left > 0 ? [`${left} left: the same command goes on`] : []),
    ...(dropped > 0 ? [`${dropped} doubled rows dropped`] : []),
    ...(failed > 0 ? [`${failed} failed (their rows say why)`] : []),
  ];
  return textOf([`${sweep}: ${parts.join(", ")}`, `  rows        ${output}`]);
}
