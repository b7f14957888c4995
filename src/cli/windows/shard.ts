import { statSync } from "node:fs";
import { Decisions } from "../../run/windows/decisions.js";
import { WindowJobs, type WindowSettings } from "../../run/windows/jobs.js";
import { windowsOf } from "../../run/windows/plan.js";
import { decidedByShard } from "../../run/windows/shard-range.js";
import type { Outcome } from "../declaration/declaration.js";
import { EXIT } from "../exit.js";
import { many, textOf } from "../print.js";
import type { WindowFlags } from "./refusals.js";
import { type Survey, type SurveyedPlace, surveyRecording } from "./survey.js";

/** Whether rows of a file stand in the same places. */
function nameOf(input: string, { shard, threads, output, append, ...flags }: WindowFlags): string {
  const { size, mtimeMs } = statSync(input);
  return JSON.stringify({ size, mtimeMs, flags });
}

/** A shard of windows as it is made. */
export interface OpenShard {
  readonly survey: Survey;
  readonly decisions: Decisions;
  /** Where it begins to read; null at the first row. */
  readonly place: SurveyedPlace | null;
}

/** Finds out, or reads in the folder, what all shards of a recording have to know, and opens one. */
export async function openShard(
  input: string,
  flags: WindowFlags,
  settings: (timeStep: number) => WindowSettings,
  interrupted: () => boolean,
): Promise<OpenShard> {
  const { shard = { number: 1, of: 1 } } = flags;
  const make = () => surveyRecording(input, flags, (timeStep) => new WindowJobs(settings(timeStep)), interrupted);
  const { value: survey } = await settings(1).keeper.keep("survey", () => nameOf(input, flags), make);
  const { beginning, frames, places } = survey;
  const range = shard.number === 0 ? ([0, 0] as const) : decidedByShard(beginning.plan, frames, shard);
  const decisions = new Decisions(
    settings(survey.timeStep),
    () => {},
    () => range,
  );
  decisions.jobs.resume(beginning, 0, 0);
  const needed = decisions.jobs.neededFrom(Math.max(0, range[0] - 1));
  const place = places.findLast(({ frame }) => frame < needed) ?? null;
  if (place !== null) decisions.jobs.store.resume(place.frame, place.held, beginning.plane);
  return { survey, decisions, place };
}

/** The end of a shard. */
export function shardOutcome(
  name: string,
  { shard = { number: 1, of: 1 }, output }: WindowFlags,
  { survey, decisions }: OpenShard,
  interrupted: boolean,
): Outcome {
  const { beginning, frames } = survey;
  if (shard.number === 0) {
    const windows = windowsOf(beginning.plan, frames);
    const learned = `costs learned from ${beginning.learnedFrames} of ${frames} frames, for ${many(windows, "window")}`;
    return { text: textOf([`${name}, shard 0/${shard.of}: ${learned}`]), json: { name, shard, frames, windows } };
  }
  const [first, end] = decidedByShard(beginning.plan, frames, shard);
  const among = (of: ReadonlySet<number>) => [...of].filter((window) => first <= window && window < end).length;
  const [taken, held] = [among(decisions.taken), among(decisions.held)];
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
