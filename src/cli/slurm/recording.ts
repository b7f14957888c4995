import { basename } from "node:path";
import { InputError } from "../../core/errors.js";
import { openInputStream } from "../../files/input-stream.js";
import { streamDetections } from "../../formats/detection-stream.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import { DETECTIONS, FEWEST_FRAMES } from "../../run/windows/plan.js";
import { many } from "../print.js";
import { SAFETY, type ShardedWork, START } from "./script.js";

/**
 * Seconds of a core for each detection in a crowd, where they were learned from included, and bytes of memory for each detection of a window and of the frames
 * around it that it depends on (lab/notes/windows.md §7).
 */
const SECONDS = 5e-4;
const BYTES = 2 ** 14;
const AROUND = 82;

/** Threads by which V8 compiles, and collects garbage, for all that a process has; 16 windows at a time wait for them (lab/notes/windows.md §7). */
const COMPILING = 4;
const compiling = (threads: number) => `export NODE_OPTIONS="$NODE_OPTIONS --v8-pool-size=${threads}"\n`;

/** What Slurm is told of a recording in windows. */
export async function recordingWork(
  input: string,
  window: number | "auto",
  {
    shards,
    cpus,
    output,
    ...flags
  }: Pick<ShardedWork, "shards" | "cpus"> & { readonly output: string | undefined; readonly onGpu: boolean },
): Promise<Omit<ShardedWork, "atOnce">> {
  if (flags.onGpu) throw new InputError("--device: windows are solved on the CPU; leave it out");
  const { frames, detections } = await sizeOf(input);
  if (frames < 2)
    throw new InputError(`${input}: has ${many(frames, "frame")}, but a link needs two; give a recording of windows`);
  const perFrame = Math.max(1, detections / Math.max(1, frames));
  const ofWindow = window === "auto" ? Math.max(FEWEST_FRAMES, DETECTIONS / perFrame) : window;
  const seconds = SECONDS * detections;
  const bytes = BYTES * perFrame * (Math.min(frames, ofWindow) + AROUND);
  const solve = `"\${rmap[@]}" solve "$input" "\${options[@]}" --threads ${cpus} -o "$out"`;
  return {
    input,
    what: `The recording ${basename(input)}, ${many(detections, "detection")} in ${many(frames, "frame")}`,
    limits: `rmap expects ${seconds.toPrecision(2)} s of one core and ${Math.ceil(bytes / 2 ** 20)} MiB a window. Here are ${SAFETY.seconds} times that, and ${SAFETY.bytes} times.`,
    options: `# More options of solve may stand here, for all tasks.\noptions=(--window ${window})\n${cpus > COMPILING ? compiling(cpus) : ""}`,
    shards,
    cpus,
    output: output ?? basename(input).replace(/\.[^.]*$/, ""),
    onGpu: false,
    seconds: START.seconds + (SAFETY.seconds * seconds) / shards / cpus,
    bytes: START.ofShard + cpus * (START.ofThread + SAFETY.bytes * bytes),
    before: `${solve} --shard "0/${shards}"`,
    shard: `${solve} --shard "$shard"`,
    join: solve,
  };
}

async function sizeOf(input: string): Promise<{ frames: number; detections: number }> {
  const inOrder = new FramesInOrder(input);
  let [frames, detections] = [0, 0];
  const onPause = () => {
    frames += inOrder.taken().length;
  };
  await streamDetections(input, openInputStream(input), {
    space: true,
    onStart: (metadata, _, __, ___, hasDepths) => inOrder.begin(metadata, hasDepths),
    onRow: (row) => {
      inOrder.add(row);
      detections++;
    },
    onPause,
  });
  inOrder.end();
  onPause();
  return { frames, detections };
}
