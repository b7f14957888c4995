import { loadQueue } from "../experiments/sweep/load-queue.js";
import { memoryBytes } from "../files/memory.js";
import { command, option } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import { Interrupt } from "./interrupt.js";
import { AUTO_SOLVES, device, jobs, profile, queue, threads, time, xLaps } from "./options/running.js";
import { positive } from "./options/values.js";
import { printProblem, printText, textOf } from "./print.js";
import { formatPercent } from "./text.js";

export const worker = command({
  group: "Experiments",
  summary: "Make the runs that sweeps put on a queue, until Ctrl-C.",
  arguments: {},
  options: {
    queue: queue("take the work").needed(),
    jobs: jobs(),
    threads: threads(" of each run", 1),
    time: time("end a run that takes longer, whatever was asked for").or(3600).formerly("--time-limit"),
    memory: option("--memory <GiB>", "refuse a run that needs more (default: all, divided by --jobs)", positive),
    device: device("the ascents run", AUTO_SOLVES),
    xLaps: xLaps(),
    profile: profile(),
  },
  examples: [
    "rmap worker --queue redis://127.0.0.1:6379",
    "rmap worker --queue redis://10.0.0.5 --jobs 1 --device gpu",
    "RMAP_QUEUE_PASSWORD=… rmap worker --queue redis://10.0.0.5 --time 600",
  ],
  notes: `There is a line for each run, or with --json an object.
The queue's password is read from RMAP_QUEUE_PASSWORD.
The first Ctrl-C lets the runs under way end; after the second another worker makes them.`,
  async run(_, { queue, jobs, threads, time, memory, device, xLaps, profile, quiet, json }) {
    // Loaded only here, since BullMQ takes as long to load as everything else.
    const { plainAddress, runWorker, withPassword } = await loadQueue();
    const url = withPassword(queue);
    const stop = new AbortController();
    const interrupt = new Interrupt(() => stop.abort());
    interrupt.listen();
    interrupt.answer();
    let told = false;
    const say = (line: string, object: object) => {
      told = false;
      if (json) printText(`${JSON.stringify(object)}\n`);
      else if (!quiet) printText(textOf([line]));
    };
    try {
      await runWorker({
        url,
        jobs,
        settings: {
          device,
          threads,
          xLaps,
          profile: profile === true,
          memory: memory === undefined ? memoryBytes() / jobs : memory * 2 ** 30,
        },
        secondsPerRun: time,
        signal: stop.signal,
        ready: () =>
          say(`taking runs from ${plainAddress(url)}, ${jobs} at a time`, { ready: plainAddress(url), jobs }),
        made: ({ name, status, gapPercent, times, error }) => {
          const outcome = error ?? `gap ${formatPercent(gapPercent)}, ${(times.total ?? 0).toFixed(2)} s`;
          say(`${name}: ${status}, ${outcome}`, { name, status, gapPercent, times, error });
        },
        lost: ({ message }) => {
          if (!told) printProblem(`${message.replace(/\s+/g, " ")}; trying again`);
          told = true;
        },
      });
    } finally {
      interrupt.close();
    }
    if (stop.signal.aborted) process.exitCode = EXIT.interrupted;
    return undefined;
  },
});
