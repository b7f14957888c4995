import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { estimateRuns, type RunEstimate } from "../experiments/sweep/estimate.js";
import { planSweep, type SweepPlan } from "../experiments/sweep/plan.js";
import { now } from "./clock.js";
import { argument, command, type FlagsOf, option } from "./declaration/declaration.js";
import { inputFile, outputFolder } from "./options/files.js";
import { AUTO_SOLVES, device } from "./options/running.js";
import { integer } from "./options/values.js";
import { many } from "./print.js";

/** What Slurm takes as an array by default (MaxArraySize). */
const MOST_SHARDS = 1000;
const USUAL_SHARDS = 16;

/** An estimate from sizes alone may be wrong by these factors. */
const SAFETY = { seconds: 3, bytes: 2 };
/** Of the start of a shard and of its processes, in seconds and bytes. */
const START = { seconds: 120, ofShard: 2 ** 28, ofProcess: 2 ** 28 };

const options = {
  shards: option("--shards <n>", "tasks that share the runs (default: 16, or one a run)", integer(1, MOST_SHARDS)),
  atOnce: option("--at-once <n>", "tasks that may run at a time (default: all)", integer(1, MOST_SHARDS)),
  cpus: option("--cpus <n>", "cores of each task, each of which makes a run", integer(1, 1024)).or(1),
  device: device("the ascents run; gpu asks for a card a task", AUTO_SOLVES),
  output: option(
    "-o, --output <folder>",
    "rows, logs and report go there (default: the sweep's name)",
    outputFolder([]),
  ),
};

export const slurm = command({
  group: "Experiments",
  summary: "Print a script that makes a sweep in shards on a Slurm cluster.",
  arguments: { sweep: argument("sweep file (.json)", inputFile) },
  options,
  examples: [
    "rmap slurm scenarios/sweeps/epsilon.json > epsilon.sh && bash epsilon.sh",
    "rmap slurm scenarios/sweeps/epsilon.json --shards 64 --at-once 20 --cpus 4 -o out/epsilon",
  ],
  notes: `bash SCRIPT submits an array with a task a shard, and a job that joins their rows and draws the report. Given again, it goes on with what is missing.
Time and memory come from some runs that are priced, and can be edited. A task that comes near its limit keeps its rows and waits for another turn.`,
  async run({ sweep: file }, flags) {
    const plan = planSweep(file);
    const estimate = await estimateRuns(plan, now);
    const script = scriptOf(file, plan, estimate, flags);
    return { text: script, json: { sweep: plan.name, estimate, script } };
  },
});

function scriptOf(file: string, plan: SweepPlan, estimate: RunEstimate | null, flags: FlagsOf<typeof options>): string {
  const runs = plan.runs.length;
  const { shards = Math.min(USUAL_SHARDS, runs), cpus, device } = flags;
  const { atOnce = shards, output = plan.name.replace(/[^\w.-]+/g, "-") } = flags;
  const { seconds, bytes } = estimate ?? { seconds: 0, bytes: 0 };
  const perShard = START.seconds + (SAFETY.seconds * seconds * Math.ceil(runs / shards)) / cpus;
  const memory = START.ofShard + cpus * (START.ofProcess + SAFETY.bytes * bytes);
  const onGpu = device === "gpu";
  return `#!/bin/bash
# The sweep ${plan.name.replace(/\s+/g, " ")}, ${many(runs, "run")}, in ${many(shards, "shard")}. Submit with: bash SCRIPT
# ${estimate === null ? "No run could be priced: time and memory are those of starting." : `rmap expects ${estimate.seconds.toPrecision(2)} s and ${Math.ceil(bytes / 2 ** 20)} MiB of a run, the mean and the most of ${estimate.priced} that it priced. Here are ${SAFETY.seconds} times that, and ${SAFETY.bytes} times.`}
#SBATCH --job-name=${quoted(basename(output))}
#SBATCH --array=1-${shards}%${Math.min(atOnce, shards)}
#SBATCH --cpus-per-task=${cpus}
#SBATCH --time=${minutes(perShard)}
#SBATCH --mem=${Math.ceil(memory / 2 ** 20)}M${onGpu ? "\n#SBATCH --gres=gpu:1" : ""}
#SBATCH --output=${quoted(join(output, "shard-%a.log"))}
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@60

rmap=(${[process.execPath, fileURLToPath(new URL("./main.js", import.meta.url))].map(quoted).join(" ")})
sweep=${quoted(file)}
out=${quoted(output)}
shards=${shards}

if [ -z "$SLURM_ARRAY_TASK_ID" ]; then
  mkdir -p "$out"
  made=$(sbatch --parsable "$0") || exit
  # Task 0 joins the rows.
  exec sbatch --array=0 --dependency="afterany:\${made%;*}" --output="$out/merge.log" "$0"
fi
if [ "$SLURM_ARRAY_TASK_ID" = 0 ]; then
  "\${rmap[@]}" merge "$sweep" "$out"/rows.*.jsonl -o "$out/rows.jsonl" &&
    exec "\${rmap[@]}" report "$out/rows.jsonl" -o "$out/report.html"
  exit
fi

"\${rmap[@]}" sweep "$sweep" --shard "$SLURM_ARRAY_TASK_ID/$shards" --append "$out/rows.$SLURM_ARRAY_TASK_ID.jsonl"${device === "auto" ? "" : ` --device ${device}`}${onGpu ? " --jobs 1" : ""} &
shard=$!
# A minute before the limit: whole rows stay, and the task waits for another turn.
trap 'kill "$shard"; wait "$shard"; [ "\${SLURM_RESTART_COUNT:-0}" -lt 20 ] && scontrol requeue "$SLURM_JOB_ID"; exit 130' USR1
trap 'kill "$shard"; wait "$shard"; exit 143' TERM
wait "$shard"
`;
}

/** As bash reads it. */
const quoted = (text: string) => (/^[\w./%+:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** As Slurm reads it, whole minutes. */
function minutes(seconds: number): string {
  const all = Math.ceil(seconds / 60);
  const [days, hours] = [Math.floor(all / 1440), Math.floor(all / 60) % 24];
  return `${days}-${String(hours).padStart(2, "0")}:${String(all % 60).padStart(2, "0")}`;
}
