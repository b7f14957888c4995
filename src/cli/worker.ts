import { availableParallelism } from "node:os";
import { Command, Option } from "commander";
import { loadQueue } from "../experiments/sweep/load-queue.js";
import { memoryBytes } from "../files/memory.js";
import { DEVICE_CHOICES, type DeviceChoice } from "../gpu/adapter.js";
import { EXIT } from "./exit.js";
import { jobs, positive, queue, threads } from "./options.js";
import { printProblem, printText, textOf } from "./print.js";
import { formatPercent } from "./text.js";

interface WorkerFlags {
  readonly queue: string;
  readonly jobs: number;
  readonly threads: number;
  readonly timeLimit: number;
  readonly memory?: number;
  readonly device: DeviceChoice;
  readonly profile?: true;
  readonly quiet?: true;
}

export function workerCommand(): Command {
  return new Command("worker")
    .description(
      "Make the runs that sweeps, and solve the windows that solve --window --queue, put on a queue, until Ctrl-C.",
    )
    .requiredOption("--queue <url>", "Redis server of the queue: redis://HOST[:PORT]", queue)
    .option("--jobs <n>", "runs at a time, each in a process of its own", jobs, availableParallelism())
    .option("--threads <n>", "worker threads of each run", threads, 1)
    .option("--time-limit <seconds>", "end a run or window that takes longer, whatever was asked for", positive, 3600)
    .option("--memory <GiB>", "refuse a run that needs more (default: what there is, divided by --jobs)", positive)
    .addOption(new Option("--device <name>", "where the ascents run").choices(DEVICE_CHOICES).default("cpu"))
    .option("--profile", "time every kernel on a GPU by its own clock (a little slower)")
    .option("-q, --quiet", "no line for each run")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap worker --queue redis://127.0.0.1:6379
  $ rmap worker --queue redis://10.0.0.5 --jobs 1 --device gpu
  $ RMAP_QUEUE_PASSWORD=… rmap worker --queue redis://10.0.0.5 --time-limit 600

A window is solved on the CPU by one thread, whatever --device and --threads say.
The queue's password is read from RMAP_QUEUE_PASSWORD, so that it need not stand on the command line.
The first Ctrl-C lets the runs under way end; after the second another worker makes them.`,
    )
    .action(workerAction);
}

async function workerAction(flags: WorkerFlags): Promise<void> {
  const { jobs, threads, device, profile, quiet } = flags;
  // Loaded only here, since BullMQ takes as long to load as everything else.
  const { plainAddress, runWorker, withPassword } = await loadQueue();
  const url = withPassword(flags.queue);
  const memory = flags.memory === undefined ? memoryBytes() / jobs : flags.memory * 2 ** 30;
  const stop = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  let told = false;
  try {
    await runWorker({
      url,
      jobs,
      settings: { device, threads, profile: profile === true, memory },
      secondsPerRun: flags.timeLimit,
      signal: stop.signal,
      ready: () => quiet || printText(`taking runs from ${plainAddress(url)}, ${jobs} at a time\n`),
      made: ({ name, status, gapPercent, times, error }) => {
        told = false;
        const outcome = error ?? `gap ${formatPercent(gapPercent)}, ${(times.total ?? 0).toFixed(2)} s`;
        if (!quiet) printText(textOf([`${name}: ${status}, ${outcome}`]));
      },
      solved: ([from, to], seconds) => {
        told = false;
        if (!quiet) printText(`window: frames ${from} to ${to} with its overlaps, ${seconds.toFixed(2)} s\n`);
      },
      lost: ({ message }) => {
        if (!told) printProblem(`${message.replace(/\s+/g, " ")}; trying again`);
        told = true;
      },
    });
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
  if (stop.signal.aborted) process.exitCode = EXIT.interrupted;
}
