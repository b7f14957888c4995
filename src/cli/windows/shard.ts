import { openInputStream } from "../../files/input-stream.js";
import { streamDetections } from "../../formats/detection-stream.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import type { Decisions } from "../../run/windows/decisions.js";
import { decidedByShard } from "../../run/windows/shard-range.js";
import type { Outcome } from "../declaration/declaration.js";
import { EXIT } from "../exit.js";
import { many, textOf } from "../print.js";
import type { WindowFlags } from "./refusals.js";

/** The frames of a recording, which is read once for it: by their number its windows are dealt to shards. */
export async function countFrames(input: string, flags: WindowFlags): Promise<number> {
  const frames = new FramesInOrder(input);
  let count = 0;
  const onPause = () => {
    count += frames.taken().length;
  };
  await streamDetections(input, openInputStream(input), {
    asked: flags,
    velocities: flags.estimateVelocities !== true,
    space: true,
    onStart: (metadata, _, __, ___, hasDepths) => frames.begin(metadata, hasDepths),
    onRow: (row) => frames.add(row),
    onPause,
  });
  frames.end();
  onPause();
  return count;
}

/** The end of a shard of a recording of so many frames. */
export function shardOutcome(
  name: string,
  { shard = { number: 1, of: 1 }, output }: WindowFlags,
  frames: number,
  decisions: Decisions | null,
  interrupted: boolean,
): Outcome {
  const plan = decisions?.jobs.plan ?? null;
  const [first, end] = plan === null ? [0, 0] : decidedByShard(plan, frames, shard);
  const among = (of?: ReadonlySet<number>) =>
    [...(of ?? [])].filter((window) => first <= window && window < end).length;
  const [taken, held] = [among(decisions?.taken), among(decisions?.held)];
  const windows = end - first;
  const left = interrupted ? windows - held : 0;
  const parts = [
    many(windows, "window"),
    ...(taken > 0 ? [`${taken} were there`] : []),
    `${held - taken} solved`,
    ...(left > 0 ? [`${left} left: the same command goes on`] : []),
  ];
  return {
    text: textOf([
      `${name}, shard ${shard.number}/${shard.of}: ${parts.join(", ")}`,
      ["kept", `${output}; the same command without --shard joins the tracks of all`],
    ]),
    json: { name, shard, windows, already: taken, solved: held - taken },
    code: interrupted ? EXIT.interrupted : undefined,
  };
}
