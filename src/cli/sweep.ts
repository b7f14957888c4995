import { InputError } from "../core/errors.js";
import { loadQueue } from "../experiments/sweep/load-queue.js";
import { type PlannedRun, planOfShard, planSweep, type SweepPlan } from "../experiments/sweep/plan.js";
import { localMaker, runSweep, type SweepState } from "../experiments/sweep/sweep.js";
import { now } from "./clock.js";
import { argument, type Context, command, type FlagsOf, type Outcome, toggle } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import { Interrupt } from "./interrupt.js";
import { inputFile } from "./options/files.js";
import { appendRows } from "./options/output.js";
import { AUTO_SOLVES, device, jobs, profile, queue, shard, threads, xLaps } from "./options/running.js";
import { printProblem, textOf } from "./print.js";

const options = {
  append: appendRows("the rows").formerly("-o").formerly("--output"),
  dryRun: toggle("--dry-run", "print the runs and make none"),
  jobs: jobs(),
  threads: threads(" of each run", 1),
  device: device("the ascents run", AUTO_SOLVES),
  xLaps: xLaps(),
  profile: profile(),
  shard: shard("every n-th run from the k-th, in the order of their keys; rmap merge joins the files of all"),
  queue: queue("have the runs made by workers (rmap worker)"),
};

export const sweep = command({
  group: "Experiments",
  summary: "Run a scenario over a grid or a random design of its fields and seeds: a result row for each run.",
  arguments: { sweep: argument("sweep file (.json): name, base, and grid, random or seeds", inputFile) },
  options,
  examples: [
    "rmap sweep scenarios/sweeps/epsilon.json --append results/epsilon.jsonl",
    "rmap sweep scenarios/sweeps/epsilon.json --dry-run",
    "rmap sweep scenarios/sweeps/epsilon.json --append results/epsilon.jsonl --queue redis://127.0.0.1",
    "rmap sweep scenarios/sweeps/epsilon.json --shard 2/16 --append out/epsilon.2.jsonl",
  ],
  notes: `Runs whose rows the file of --append holds are not made again: a sweep that was stopped goes on when the same command is given again.
The queue's password is read from RMAP_QUEUE_PASSWORD.`,
  async run({ sweep: file }, flags, { progress, refuse }) {
    const whole = planSweep(file);
    const plan = flags.shard === undefined ? whole : planOfShard(whole, flags.shard);
    if (flags.dryRun) return describePlan(plan.runs);
    const { append: output, queue } = flags;
    if (output === undefined) throw new InputError("sweep: no file for the rows given; name one with --append");
    const chosenByWorkers = ["jobs", "threads", "device", "xLaps", "profile"];
    if (queue !== undefined) {
      refuse(chosenByWorkers, "is chosen by each worker of a queue; leave it out here");
      refuse(["shard"], "a queue shares out the runs itself; leave one of them out");
    }
    const stop = new AbortController();
    const interrupt = new Interrupt(() => stop.abort(new Interrupted()));
    interrupt.listen();
    interrupt.answer();
    const begin = now();
    let last: SweepState = { runs: plan.runs.length, already: 0, made: 0, failed: 0, dropped: 0 };
    try {
      await runSweep({
        plan,
        file: output,
        openMaker: makerOf(flags, plan, output),
        device: queue === undefined ? flags.device : null,
        ...(flags.shard !== undefined && { staleAfter: null }),
        signal: stop.signal,
        progress: (state) => {
          last = state;
          show(progress, state);
        },
      });
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    } finally {
      interrupt.close();
    }
    const summary = { sweep: plan.name, ...last, seconds: Number((now() - begin).toFixed(1)), output };
    return { text: summarize(summary), json: summary, code: interrupt.heard ? EXIT.interrupted : undefined };
  },
});

function show(progress: Context["progress"], { runs, already, made, failed }: SweepState): void {
  progress.show("runs", already + made, runs, () => (failed > 0 ? `, ${failed} failed` : ""));
}

/** The local pool, or the queue, whose workers choose their device and threads themselves. */
function makerOf(flags: FlagsOf<typeof options>, plan: SweepPlan, file: string) {
  const { queue, jobs, threads, device, xLaps, profile } = flags;
  if (queue === undefined) return () => localMaker(jobs, { device, threads, xLaps, profile: profile === true });
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

function describePlan(runs: readonly PlannedRun[]): Outcome {
  return { text: textOf(describeRuns(runs)), json: runs.map(({ values, task }) => ({ key: task.key, values })) };
}

/** The runs of a plan, a line each. */
export function describeRuns(runs: readonly PlannedRun[]): string[] {
  return runs.map(({ values, task }) => {
    const settings = Object.entries(values).map(
      ([field, value]) => `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    return [task.key, ...settings].join(" ");
  });
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
  return textOf([`${sweep}: ${parts.join(", ")}`, ["rows", output]]);
}
