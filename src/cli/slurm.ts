import { InputError } from "../core/errors.js";
import { estimateRuns } from "../experiments/sweep/estimate.js";
import { planSweep } from "../experiments/sweep/plan.js";
import { isStdin } from "../files/input-stream.js";
import { PROCESS_BYTES } from "../run/memory.js";
import { now } from "./clock.js";
import { argument, command, type FlagsOf, option } from "./declaration/declaration.js";
import { inputFile, outputFolder } from "./options/files.js";
import { AUTO_SOLVES, device } from "./options/running.js";
import { window } from "./options/solving.js";
import { integer } from "./options/values.js";
import { many } from "./print.js";
import { recordingWork } from "./slurm/recording.js";
import { SAFETY, type ShardedWork, START, scriptOf } from "./slurm/script.js";

/** What Slurm takes as an array by default (MaxArraySize). */
const MOST_SHARDS = 1000;
const USUAL_SHARDS = 16;

const options = {
  window: window("frames of a window of a recording, or auto (default: auto)"),
  shards: option(
    "--shards <n>",
    "tasks that share the runs or windows (default: 16, or one a run)",
    integer(1, MOST_SHARDS),
  ),
  atOnce: option("--at-once <n>", "tasks that may run at a time (default: all)", integer(1, MOST_SHARDS)),
  cpus: option("--cpus <n>", "cores of each task, each of which makes a run or a window", integer(1, 1024)).or(1),
  device: device("the ascents run; gpu asks for a card a task", AUTO_SOLVES),
  output: option(
    "-o, --output <folder>",
    "rows or tracks, logs and report go there (default: the input's name)",
    outputFolder([]),
  ),
};

export const slurm = command({
  group: "Experiments",
  summary: "Print a script that makes a sweep, or the tracks of a long recording, in shards on a Slurm cluster.",
  arguments: { input: argument("sweep file (.json), or detections for windows (CSV: frame,x,y)", inputFile) },
  options,
  examples: [
    "rmap slurm scenarios/sweeps/epsilon.json > epsilon.sh && bash epsilon.sh",
    "rmap slurm scenarios/sweeps/epsilon.json --shards 64 --at-once 20 --cpus 4 -o out/epsilon",
    "rmap slurm long.csv --window auto --shards 40 > long.sh && bash long.sh",
  ],
  notes: `bash SCRIPT submits an array with a task a shard, and a job that joins their rows and draws the report, or their tracks; of a recording one before them learns the costs. Given again, it goes on with what is missing.
Time and memory come from some runs that are priced, or from the number of detections, and can be edited. A task that comes near its limit keeps what it made and waits for another turn.`,
  async run({ input }, flags) {
    if (isStdin(input)) throw new InputError(`${input}: tasks cannot read it; name a file`);
    const { atOnce, cpus, shards = USUAL_SHARDS, output, device, window } = flags;
    const isSweep = /\.json$/i.test(input);
    if (isSweep && window !== undefined)
      throw new InputError(`--window: ${input} is a sweep, and only recordings have windows; leave it out`);
    const onGpu = device === "gpu" || device === "software";
    const work = isSweep
      ? await sweepWork(input, flags)
      : await recordingWork(input, window ?? "auto", { shards, cpus, output, onGpu });
    const script = scriptOf({ ...work, atOnce: atOnce ?? work.shards });
    return { text: script, json: { shards: work.shards, seconds: work.seconds, bytes: work.bytes, script } };
  },
});

async function sweepWork(
  file: string,
  { shards: asked, cpus, device, output }: FlagsOf<typeof options>,
): Promise<Omit<ShardedWork, "atOnce">> {
  const plan = planSweep(file);
  const estimate = await estimateRuns(plan, now);
  const runs = plan.runs.length;
  const shards = asked ?? Math.min(USUAL_SHARDS, runs);
  const { seconds, bytes } = estimate ?? { seconds: 0, bytes: PROCESS_BYTES.cpu.program };
  const onGpu = device === "gpu";
  const where = `${device === "auto" ? "" : ` --device ${device}`}${onGpu ? " --jobs 1" : ""}`;
  return {
    input: file,
    what: `The sweep ${plan.name}, ${many(runs, "run")}`,
    limits:
      estimate === null
        ? "No run could be priced: time and memory are those of starting."
        : `rmap expects ${seconds.toPrecision(2)} s and ${Math.ceil(bytes / 2 ** 20)} MiB of a run, the mean and the most of ${estimate.priced} that it priced. Here are ${SAFETY.seconds} times that, and ${SAFETY.bytes} times.`,
    options: "",
    ...{ shards, cpus, onGpu },
    output: output ?? plan.name.replace(/[^\w.-]+/g, "-"),
    seconds: START.seconds + (SAFETY.seconds * seconds * Math.ceil(runs / shards)) / cpus,
    bytes: START.ofShard + cpus * SAFETY.bytes * bytes,
    before: null,
    shard: `"\${rmap[@]}" sweep "$input" --shard "$shard" --append "$out/rows.$SLURM_ARRAY_TASK_ID.jsonl"${where}`,
    join: `"\${rmap[@]}" merge "$input" "$out"/rows.*.jsonl -o "$out/rows.jsonl" &&
    exec "\${rmap[@]}" report "$out/rows.jsonl" -o "$out/report.html"`,
  };
}
