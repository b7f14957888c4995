import { join } from "node:path";
import type { Frame } from "../../core/frame.js";
import { type RawOptions, readFrameFiles, readFrames } from "../../files/images/frames.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import { formatFlo } from "../../formats/flo.js";
import type { FlowResult } from "../../pixels/flow/flow.js";
import { flowOfSequence } from "../../run/flow.js";
import { type Outcome, refuseUsage } from "../declaration/declaration.js";
import { many, notesOnce, textOf, withProvenance } from "../print.js";
import { type FlowRun, ranLines, summary } from "./text.js";

export function framesOf(paths: readonly string[], raw: RawOptions): AsyncGenerator<Frame> {
  const note = notesOnce();
  return paths.length === 1 ? readFrames(paths[0], { ...raw, note }) : readFrameFiles(paths, { ...raw, note });
}

/** Writes one .flo file per pair: 000000.flo is the flow of frame 0 to frame 1. */
export async function flowOfFrames(paths: readonly string[], run: FlowRun): Promise<Outcome | undefined> {
  const { flags, options, steps, progress } = run;
  const { output } = flags;
  if (output === undefined) refuseUsage("flow: a sequence has no folder to write to", "give -o FOLDER");
  for (const name of ["truth", "picture"] as const)
    if (flags[name] !== undefined) refuseUsage(`flow: --${name} is for a pair`, "name two images, or leave it out");
  ensureFolder(output);
  let last: FlowResult | null = null;
  let count = 0;
  for await (const { from, flow } of flowOfSequence(framesOf(paths, flags), options, steps)) {
    writeWhole(join(output, `${String(from).padStart(6, "0")}.flo`), formatFlo(flow));
    count++;
    last = flow;
    progress.show("flow of frame", from);
  }
  if (last === null) return undefined;
  const first = join(output, "000000.flo");
  const text = textOf([
    `${paths.join(" ")}: ${many(count, "pair")} of ${last.width} × ${last.height}`,
    ...ranLines(last, run, null),
    ["wrote", count === 1 ? first : `${count} files, ${first} …`],
  ]);
  return { text, json: withProvenance({ images: paths, pairs: count, options, ...summary(last, run), output }) };
}
