/** Goes on from a run that was killed after it had last left its state. */
import { resolve } from "node:path";
import { refuse } from "../../files/refusal.js";
import type { TrackStateFile } from "../../formats/track-state.js";
import type { TrackRun } from "../../run/track.js";
import type { StreamRow } from "../../track/stream.js";
import type { RowFile } from "../row-file.js";

/** The place of `rows` in a state: from there on a later run finds the rows that were written since. */
export function outputOf(rows: RowFile | null): TrackStateFile["output"] {
  return rows === null ? null : { file: resolve(rows.file), bytes: rows.bytes };
}

/**
 * Tracks once more the rows that the output has beyond the state, so that the run stands where the killed one stood. Where the last row is unfinished, its whole
 * frame is removed, since its rows will come again. Returns the number of frames.
 *
 * @throws InputError where the file is shorter than it was
 */
export async function catchUp(run: TrackRun, rows: RowFile, { output, closed }: TrackStateFile): Promise<number> {
  if (output === null || output.file !== resolve(rows.file)) return 0;
  const size = rows.bytes;
  if (size < output.bytes) {
    refuse(
      rows.file,
      `has ${size} bytes where it had ${output.bytes} when the state was left`,
      "name another file, or start without the state",
    );
  }
  const text = rows.rowsFrom(output.bytes);
  const isWhole = output.bytes + Buffer.byteLength(text) === size;
  const lines = text.split("\n").slice(0, -1);
  const frameOf = (line: string) => Number(line.slice(0, line.indexOf(",")));
  if (!isWhole) {
    const unfinished = lines.reduce((most, line) => Math.max(most, frameOf(line)), closed);
    let cut = 0;
    while (unfinished > closed && lines.length > 0 && frameOf(lines[lines.length - 1]) === unfinished)
      cut += Buffer.byteLength(lines.pop() as string) + 1;
    rows.cut(output.bytes + Buffer.byteLength(text) - cut);
  }
  const again: StreamRow[] = [];
  for (const line of lines) {
    const [frame, , track, x, y] = line.split(",");
    // A row without a track was late, repeated or out of view.
    if (track !== "") again.push({ frame: Number(frame), x: Number(x), y: Number(y), target: null });
  }
  await run.replay(again);
  return new Set(again.map(({ frame }) => frame)).size;
}
