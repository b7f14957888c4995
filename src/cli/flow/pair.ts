import { basename } from "node:path";
import { InputError } from "../../core/errors.js";
import type { Frame } from "../../core/frame.js";
import { type RawOptions, readFrame } from "../../files/images/frames.js";
import { writeWhole } from "../../files/whole-file.js";
import { formatFlo, readFlo } from "../../formats/flo.js";
import { computeFlow } from "../../pixels/flow/flow.js";
import { toPlane } from "../../pixels/image.js";
import { flowPicture } from "../../run/flow-picture.js";
import { scoreFlow } from "../../scores/flow.js";
import { now } from "../clock.js";
import type { Outcome } from "../declaration/declaration.js";
import { notesOnce, textOf, withProvenance } from "../print.js";
import { type FlowRun, ranLines, scoreLines, summary, timesLine } from "./text.js";

export async function flowOfPair(paths: readonly string[], run: FlowRun): Promise<Outcome> {
  const { flags, options, steps } = run;
  const begun = now();
  const [first, second] = await pairOf(paths, flags);
  const truth = flags.truth === undefined ? null : readFlo(flags.truth);
  const computing = now();
  const flow = await computeFlow(toPlane(first), toPlane(second), options, steps);
  const computed = now();
  const scores = truth && scoreFlow(flow, truth, flags.border);
  const { output, picture } = flags;
  if (output !== undefined) writeWhole(output, formatFlo(flow));
  if (picture !== undefined)
    writeWhole(picture, flowPicture(picture, flow, `Flow from ${basename(paths[0])} to ${basename(paths[1])}`));
  const written = [output, picture].filter((file) => file !== undefined);
  const seconds = { total: now() - begun, decode: computing - begun, flow: computed - computing };
  const row = { images: paths, options, ...summary(flow, run), scores, times: { ...seconds, ...flow.times } };
  const text = textOf([
    `${paths[0]} → ${paths[1]}: ${flow.width} × ${flow.height}`,
    ...(scores === null ? [] : scoreLines(scores)),
    ...ranLines(flow, run, seconds.flow),
    ...(flags.profile ? [timesLine(flow)] : []),
    ...(written.length === 0 ? [] : [["wrote", written.join(", ")] as const]),
  ]);
  return { text, json: withProvenance(row) };
}

async function pairOf(paths: readonly string[], raw: RawOptions): Promise<readonly [Frame, Frame]> {
  const note = notesOnce();
  const [first, second] = [await readFrame(paths[0], { ...raw, note }), await readFrame(paths[1], { ...raw, note })];
  if (first.width !== second.width || first.height !== second.height)
    throw new InputError(
      `${second.place}: is ${second.width} × ${second.height} pixels, but ${first.place} ${first.width} × ${first.height}; give images of one size`,
    );
  const [bits, others] = [first, second].map(({ samples }) => 8 * samples.BYTES_PER_ELEMENT);
  if (bits !== others)
    throw new InputError(
      `${second.place}: has ${others} bits a sample, but ${first.place} ${bits}; give images of one type`,
    );
  return [first, second];
}
