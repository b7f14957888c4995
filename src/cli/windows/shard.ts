import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { digestOfBytes } from "../../files/input-stream.js";
import { optionOf, refuse, shown } from "../../files/refusal.js";
import { shownSoftware, software } from "../../rows/provenance.js";
import { Decisions } from "../../run/windows/decisions.js";
import { WindowJobs, type WindowSettings } from "../../run/windows/jobs.js";
import type { KeepingFolder } from "../../run/windows/kept.js";
import type { SurveyedPlace } from "../../run/windows/places.js";
import { windowsOf } from "../../run/windows/plan.js";
import { decidedByShard } from "../../run/windows/shard-range.js";
import type { Outcome } from "../declaration/declaration.js";
import { EXIT } from "../exit.js";
import { many, textOf } from "../print.js";
import type { WindowFlags } from "./refusals.js";
import { type MadeBy, type Survey, surveyRecording } from "./survey.js";

/** The options that shards depend on are in the order of their names, not of the command line. */
function programOf(flags: WindowFlags): Pick<MadeBy, "software" | "options"> {
  const { shard, threads, output, append, open, verbose, requireGap, quiet, json, device, ...others } = flags;
  const stated = Object.entries(others).filter(([, value]) => value !== undefined);
  const options = Object.fromEntries(stated.sort(([one], [other]) => (one < other ? -1 : 1)));
  return { software: `${shownSoftware(software())}, Node ${process.versions.node}`, options };
}

/**
 * What the shards of this command, input and version know of the recording; null where there are none.
 * Refuses to join windows where none of the shards in the folder are of this command, input and version: all would be solved here. Shards of several runs may lie side by side.
 */
export async function surveyOfShards(folder: KeepingFolder, input: string, flags: WindowFlags) {
  const surveys = folder.all("survey") as Survey[];
  if (surveys.length === 0) return null;
  const asked = { ...programOf(flags), content: await digestOfBytes(input) };
  const survey = surveys.find(({ made }) => isDeepStrictEqual(made, asked));
  if (survey !== undefined) return survey;
  const problem = `has shards ${differenceOf(input, surveys[0].made, asked)}`;
  refuse(folder.name, problem, "join them by the command that made them, or make those of this one, --shard 0/N first");
}

function differenceOf(input: string, made: MadeBy | undefined, asked: MadeBy): string {
  if (made === undefined) return "of another version of rmap";
  if (made.software !== asked.software) return `made by ${made.software}, and this is ${asked.software}`;
  const values = { ...asked.options, ...made.options };
  const other = Object.keys(values).find((key) => !isDeepStrictEqual(made.options[key], asked.options[key]));
  if (other === undefined) return `of other bytes than ${input} has now`;
  const said = ({ options }: MadeBy) => (options[other] === undefined ? "without it" : `with ${shown(options[other])}`);
  return `of other options: ${optionOf(other)}, made ${said(made)}, and this is ${said(asked)}`;
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
  // Whether rows of a file stand in the same places is not asked of all its bytes.
  const { size, mtimeMs } = statSync(input);
  const program = programOf(flags);
  const jobsOf = (timeStep: number) => new WindowJobs(settings(timeStep));
  const { keeper, caller } = settings(1);
  const make = async () => {
    const read = await surveyRecording(input, flags, caller, jobsOf, interrupted);
    return { made: { ...program, content: await digestOfBytes(input) }, ...read };
  };
  const name = JSON.stringify({ ...program, size, mtimeMs });
  const { value: survey } = await keeper.keep<Survey>("survey", () => name, make);
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
