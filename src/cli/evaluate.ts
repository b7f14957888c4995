import { InvalidArgumentError } from "commander";
import { frameOfDetections } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import type { FrameNumbers } from "../core/frame-numbers.js";
import { readBytes } from "../files/text-file.js";
import { answerOf, isFolder, isTrackTable, parseForeign, readFolder } from "../formats/answer.js";
import { readRecording } from "../formats/input.js";
import { namesDetections, parsePlacedTracks, parseTracks } from "../formats/tracks.js";
import { type Comparison, compareLabels, comparePositions, requireSameAxes } from "../scores/comparison.js";
import { linkCounts } from "../scores/links.js";
import { formatScore, METRIC_NAMES, METRICS, type MetricName, type Scores, scoreTracks } from "../scores/metrics.js";
import { argument, command, didYouMean, type FlagsOf, option } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import { inputFile } from "./options/files.js";
import { reach } from "./options/output.js";
import { readingOptions, trackColumns } from "./options/reading.js";
import { many, printProblem, warningsOf } from "./print.js";
import { formatTable } from "./text.js";

interface Requirement {
  readonly metric: MetricName;
  readonly limit: number;
}

const options = {
  reach: reach("length", "for other programs' tracks: how far a point may be from a detection and still be it"),
  trackColumns: trackColumns(),
  require: option(
    "--require <metric=limit>",
    "exit with code 3 when a metric is worse; may be given again",
    requirement,
  ),
  ...readingOptions(),
};

type EvaluateFlags = FlagsOf<typeof options>;

export const evaluate = command({
  group: "Tracks",
  summary: "Score the tracks of any tracker against the true targets of the detections.",
  arguments: {
    detections: argument("detections with true targets, as rmap solve reads them", inputFile),
    tracks: argument(
      "CSV: frame,detection,track as rmap writes it, or tracks of another program: frame,track,x,y and all forms of rmap export",
      inputFile,
    ),
  },
  options,
  examples: [
    "rmap evaluate scenarios/data/opensky_uk_60s.csv results/opensky/tracks.csv",
    "rmap evaluate demo.csv results/demo/tracks.csv --json --require idf1=95 --require mmep=3",
    "rmap evaluate demo.csv other-tracker.csv --reach 0.5",
    "rmap evaluate demo.csv linked.csv --reach 0.5 --track-columns target=id",
  ],
  notes: `Metrics (docs/reference/scores.md defines them):
${METRIC_NAMES.map((name) => `  ${name.padEnd(12)} ${METRICS[name].title}${METRICS[name].unit === "" ? "" : `, ${METRICS[name].unit}`}`).join("\n")}`,
  async run({ detections, tracks }, flags) {
    const { require = [] } = flags;
    const { comparison, heard } = await compare(detections, tracks, flags);
    const scores = scoreTracks(comparison);
    if (scores === null) throw new InputError(`${detections}: no target is seen twice; there is nothing to score`);
    for (const said of heard) printProblem(said);
    const outcome = { text: describe(scores, comparison), json: { ...scores, links: linkCounts(comparison) } };
    const unmet = require.filter(({ metric, limit }) => !meets(metric, scores[metric], limit));
    if (unmet.length === 0) return outcome;
    const named = unmet.map(({ metric, limit }) => {
      const sign = METRICS[metric].better === "more" ? "≥" : "≤";
      return `${METRICS[metric].label} is ${formatScore(metric, scores[metric])}, required ${sign} ${limit}`;
    });
    return { ...outcome, problem: named.join("; "), code: EXIT.belowRequired };
  },
});

function requirement(text: string, before: readonly Requirement[] = []): readonly Requirement[] {
  const [name, limit] = text.split("=");
  const metric = METRIC_NAMES.find((known) => known.toLowerCase() === name.trim().toLowerCase());
  const judged = METRIC_NAMES.filter((known) => METRICS[known].better !== null);
  if (metric === undefined || METRICS[metric].better === null) {
    throw new InvalidArgumentError(`Give METRIC=LIMIT with one of ${judged.join(", ")}.${didYouMean(name, judged)}`);
  }
  const value = limit === undefined || limit.trim() === "" ? Number.NaN : Number(limit);
  if (!Number.isFinite(value)) throw new InvalidArgumentError(`Give a number after ${metric}=.`);
  return [...before, { metric, limit: value }];
}

interface Heard {
  readonly comparison: Comparison;
  /** What was understood of the files, and warnings; printed once nothing is refused, since a refusal is one line. */
  readonly heard: readonly string[];
}

async function compare(detectionsFile: string, tracksFile: string, flags: EvaluateFlags): Promise<Heard> {
  const { reach } = flags;
  const { detections, numbers, notes } = readRecording(detectionsFile, "ignored", flags);
  const { frames, frameStart, target } = detections;
  if (target === null) {
    throw new InputError(`${detectionsFile}: has no column target; add the true target of each detection`);
  }
  const heard = warningsOf(detectionsFile, notes);
  const bytes = isFolder(tracksFile) ? null : readBytes(tracksFile);
  if (bytes !== null && isTrackTable(bytes) && namesDetections(tracksFile, bytes)) {
    if (reach !== undefined) {
      throw new InputError(`${tracksFile}: names its detections; leave --reach out, or its column detection`);
    }
    const tracks = parseTracks(tracksFile, bytes, detections, numbers);
    return { comparison: compareLabels(frameStart, target, tracks), heard };
  }
  const { answer, notes: read } = await answerIn(tracksFile, bytes, frames, numbers, flags);
  if (reach === undefined) {
    throw new InputError(
      `${tracksFile}: has no column detection; give --reach LENGTH to find the detections by their positions`,
    );
  }
  const truth = { ...detections, frame: frameOfDetections(frameStart), identity: target };
  if (flags.zScale !== 0) requireSameAxes(tracksFile, truth, answer, "compare x and y alone by --z-scale 0");
  const said = read.map((note) => `note: ${tracksFile}: ${note}`);
  return { comparison: comparePositions(frames, truth, answer, reach), heard: [...heard, ...said] };
}

/** Points of another program's tracks, and what is to be said of how they were read. */
async function answerIn(
  file: string,
  bytes: Buffer | null,
  frames: number,
  numbers: FrameNumbers,
  { trackColumns }: EvaluateFlags,
) {
  const isTable = bytes !== null && trackColumns === undefined && isTrackTable(bytes);
  const tracks = isTable
    ? { ...parsePlacedTracks(file, bytes, frames, numbers), notes: [] }
    : bytes === null
      ? await readFolder(file)
      : parseForeign(file, bytes, numbers, trackColumns);
  const daughters = tracks.parent.size;
  const unscored = `${many(daughters, "track has", "tracks have")} a mother: the scores are of links within tracks, not of divisions.`;
  const notes = [...tracks.notes, ...(daughters === 0 ? [] : [unscored])];
  return { answer: "identity" in tracks ? tracks : answerOf(file, tracks, numbers, frames), notes };
}

function meets(metric: MetricName, value: number | null, limit: number): boolean {
  if (value === null) return false;
  return METRICS[metric].better === "more" ? value >= limit : value <= limit;
}

function describe(scores: Scores, comparison: Comparison): string {
  const { truth, missed, answer, wrong, targets, brokenTargets } = linkCounts(comparison);
  const counts: Partial<Record<MetricName, string>> = {
    misses: `${missed} of ${truth}`,
    falseLinks: `${wrong} of ${answer}`,
    itcp: `${brokenTargets} of ${targets} targets`,
  };
  const rows = METRIC_NAMES.map((name) => [
    METRICS[name].label,
    formatScore(name, scores[name]),
    METRICS[name].title + (counts[name] === undefined ? "" : ` (${counts[name]})`),
  ]);
  return formatTable(["metric", "value", "what"], rows);
}
