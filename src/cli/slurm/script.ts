import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { many } from "../print.js";

/** An estimate from sizes alone may be wrong by these factors. */
export const SAFETY = { seconds: 3, bytes: 2 };
/** Of the start of a shard, and of each thread of windows, in seconds and bytes. What is expected of a run has its process in it. */
export const START = { seconds: 120, ofShard: 2 ** 28, ofThread: 2 ** 28 };

/** A work in shards, in words and in commands of bash, in which $shard is k/n, $out the folder and $input the file. */
export interface ShardedWork {
  readonly input: string;
  /** Two comments: the work, and what its limits come from. */
  readonly what: string;
  readonly limits: string;
  /** Lines of bash that all tasks begin with. */
  readonly options: string;
  readonly shards: number;
  readonly atOnce: number;
  readonly cpus: number;
  readonly output: string;
  readonly onGpu: boolean;
  /** Those of a shard. */
  readonly seconds: number;
  readonly bytes: number;
  /** What is made once before the shards; null for nothing. */
  readonly before: string | null;
  readonly shard: string;
  readonly join: string;
}

/** A script that submits itself as an array of shards, with a job before it and one that joins them. */
export function scriptOf(work: ShardedWork): string {
  const { shards, output, before } = work;
  const submitted =
    before === null
      ? 'made=$(sbatch --parsable "$0" shard) || exit'
      : `begun=$(sbatch --parsable --array=0 --output="$logs/learn.log" "$0" begin) || exit
  made=$(sbatch --parsable --dependency="afterok:\${begun%;*}" --kill-on-invalid-dep=yes "$0" shard) || exit`;
  return `#!/bin/bash
# ${work.what.replace(/\s+/g, " ")}, in ${many(shards, "shard")}. Submit with: bash SCRIPT
# ${work.limits}
#SBATCH --job-name=${quoted(basename(output))}
#SBATCH --array=1-${shards}%${Math.min(work.atOnce, shards)}
#SBATCH --cpus-per-task=${work.cpus}
#SBATCH --time=${minutes(work.seconds)}
#SBATCH --mem=${Math.ceil(work.bytes / 2 ** 20)}M${work.onGpu ? "\n#SBATCH --gres=gpu:1" : ""}
#SBATCH --output=${quoted(join(output.replaceAll("%", "%%"), "shard-%a.log"))}
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@60

rmap=(${[process.execPath, fileURLToPath(new URL("../main.js", import.meta.url))].map(quoted).join(" ")})
input=${quoted(work.input)}
out=${quoted(output)}
logs=\${out//%/%%}
shard=$SLURM_ARRAY_TASK_ID/${shards}
${work.options}
case $1 in
"")
  mkdir -p "$out"
  ${submitted}
  exec sbatch --array=0 --dependency="afterany:\${made%;*}" --output="$logs/merge.log" "$0" join
  ;;
join)
  { ${work.join}; } &
  ;;
${before === null ? "" : `begin)\n  ${before} &\n  ;;\n`}shard)
  ${work.shard} &
  ;;
esac

pid=$!
# A minute before the limit: what was made stays, and the task waits for another turn.
trap 'kill "$pid"; wait "$pid"; [ "\${SLURM_RESTART_COUNT:-0}" -lt 20 ] && scontrol requeue "$SLURM_JOB_ID"; exit 130' USR1
trap 'kill "$pid"; wait "$pid"; exit 143' TERM
wait "$pid"
`;
}

/** As bash reads it. */
export const quoted = (text: string) => (/^[\w./%+:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** As Slurm reads it, whole minutes. */
function minutes(seconds: number): string {
  const all = Math.ceil(seconds / 60);
  const [days, hours] = [Math.floor(all / 1440), Math.floor(all / 60) % 24];
  return `${days}-${String(hours).padStart(2, "0")}:${String(all % 60).padStart(2, "0")}`;
}
