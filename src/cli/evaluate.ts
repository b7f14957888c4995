import { InvalidArgumentError } from "commander";
import { frameOfDetections } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import type { FrameNumbers } from "../core/frame-numbers.js";
import { readBytes } from "../files/text-file.js";
import { answerOf, isFolder, isTrackTable, parseForeign, readFolder } from "../formats/answer.js";
import { readRecording } from "../formats/input.js";
import { mothersOf, seenMothers } from "../formats/mothers.js";
import { mothersIn, namesDetections, parsePlacedTracks, parseTracks } from "../formats/tracks.js";
import {
  type Comparison,
  compareLabels,
  comparePositions,
  type Lineages,
  type Mothers,
  requireSameAxes,
} from "../scores/comparison.js";
import {
  LINEAGE_METRICS,
  LINEAGE_NAMES,
  type LineageMetric,
  type LineageScores,
  scoreLineages,
} from "../scores/lineages.js";
import { linkCounts } from "../scores/links.js";
import { formatScore, METRIC_NAMES, METRICS, type MetricName, type Scores, scoreTracks } from "../scores/metrics.js";
import { argument, command, didYouMean, type FlagsOf, option } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import { inputFile } from "./options/files.js";
import { reach } from "./options/output.js";
import { readingOptions, trackColumns } from "./options/reading.js";
import { integer } from "./options/values.js";
import { many, printProblem, warningsOf } from "./print.js";
import { formatPercent, formatTable } from "./text.js";

interface Requirement {
  readonly metric: MetricName | LineageMetric;
  readonly limit: number;
}

const options = {
  reach: reach("length", "for other programs' tracks: how far a point may be from a detection and still be it"),
  trackColumns: trackColumns(),
  frameBuffer: option(
    "--frame-buffer <frames>",
    "frames by which a division may be early or late",
    integer(0, 1000),
  ).or(0),
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
  notes: `--z-scale is about the detections, and the pages of volumes of the Cell Tracking Challenge; other tracks have z in units of x.
Metrics (docs/reference/scores.md defines them):
${METRIC_NAMES.map((name) => `  ${name.padEnd(12)} ${METRICS[name].title}${METRICS[name].unit === "" ? "" : `, ${METRICS[name].unit}`}`).join("\n")}
Where the truth has mothers:
${LINEAGE_NAMES.map((name) => `  ${name.padEnd(17)} ${LINEAGE_METRICS[name].title}, %`).join("\n")}`,
  async run({ detections, tracks }, flags) {
    const { require = [] } = flags;
    const { comparison, lineages, heard } = await compare(detections, tracks, flags);
    const scores = scoreTracks(comparison);
    if (scores === null) throw new InputError(`${detections}: no target is seen twice; there is nothing to score`);
    for (const said of heard) printProblem(said);
    const ofLineages = lineages && scoreLineages(lineages, flags.frameBuffer);
    const outcome = {
      text: describe(scores, comparison, ofLineages),
      json: { ...scores, links: linkCounts(comparison), ...(ofLineages && { lineages: ofLineages }) },
    };
    const named = require.flatMap((one) => unmet(one, scores, ofLineages) ?? []);
    if (named.length === 0) return outcome;
    return { ...outcome, problem: named.join("; "), code: EXIT.belowRequired };
  },
});

function requirement(text: string, before: readonly Requirement[] = []): readonly Requirement[] {
  const [name, limit] = text.split("=");
  const judged = [...METRIC_NAMES.filter((known) => METRICS[known].better !== null), ...LINEAGE_NAMES];
  const metric = judged.find((known) => known.toLowerCase() === name.trim().toLowerCase());
  if (metric === undefined) {
    throw new InvalidArgumentError(`Give METRIC=LIMIT with one of ${judged.join(", ")}.${didYouMean(name, judged)}`);
  }
  const value = limit === undefined || limit.trim() === "" ? Number.NaN : Number(limit);
  if (!Number.isFinite(value)) throw new InvalidArgumentError(`Give a number after ${metric}=.`);
  return [...before, { metric, limit: value }];
}

interface Heard {
  readonly comparison: Comparison;
  /** The same with who is whose daughter; null where the truth does not say. */
  readonly lineages: Comparison | null;
  /** What was understood of the files, and warnings; printed once nothing is refused, since a refusal is one line. */
  readonly heard: readonly string[];
}

async function compare(detectionsFile: string, tracksFile: string, flags: EvaluateFlags): Promise<Heard> {
  const { reach } = flags;
  const recording = readRecording(detectionsFile, "ignored", flags);
  const { detections, numbers, notes } = recording;
  const { frames, frameStart, target } = detections;
  if (target === null) {
    throw new InputError(`${detectionsFile}: has no column target; add the true target of each detection`);
  }
  const frame = frameOfDetections(frameStart);
  const { parent: mothers, notes: unseen } = seenMothers(frame, target, mothersOf(detectionsFile, recording));
  const heard = [...warningsOf(detectionsFile, notes), ...unseen.map((note) => `note: ${detectionsFile}: ${note}`)];
  /** Without lineages, and with them where the truth has some. */
  const both = (compared: (lineages: Lineages | null) => Comparison, answer: Mothers, read: readonly string[]) => {
    const unscored = `${many(answer.size, "track has", "tracks have")} a mother, and no target of the detections has one: divisions are not scored.`;
    const said = [...read, ...(answer.size > 0 && mothers.size === 0 ? [unscored] : [])];
    return {
      comparison: compared(null),
      lineages: mothers.size === 0 ? null : compared({ truth: mothers, answer }),
      heard: [...heard, ...said.map((note) => `note: ${tracksFile}: ${note}`)],
    };
  };
  const bytes = isFolder(tracksFile) ? null : readBytes(tracksFile);
  if (bytes !== null && isTrackTable(bytes) && namesDetections(tracksFile, bytes)) {
    if (reach !== undefined) {
      throw new InputError(`${tracksFile}: names its detections; leave --reach out, or its column detection`);
    }
    const tracks = parseTracks(tracksFile, bytes, detections, numbers);
    const compared = (lineages: Lineages | null) => compareLabels(frameStart, target, tracks, lineages);
    const { parent, notes } = seenMothers(frame, tracks, mothersIn(tracksFile, bytes));
    return both(compared, parent, notes);
  }
  const { answer, parent, notes: read } = await answerIn(tracksFile, bytes, frames, numbers, flags);
  if (reach === undefined) {
    throw new InputError(
      `${tracksFile}: has no column detection; give --reach LENGTH to find the detections by their positions`,
    );
  }
  const truth = { ...detections, frame, identity: target };
  if (flags.zScale !== 0) requireSameAxes(tracksFile, truth, answer, "compare x and y alone by --z-scale 0");
  const compared = (lineages: Lineages | null) => comparePositions(frames, truth, answer, reach, lineages);
  return both(compared, parent, read);
}

/** Points of another program's tracks, and what is to be said of how they were read. */
async function answerIn(
  file: string,
  bytes: Buffer | null,
  frames: number,
  numbers: FrameNumbers,
  { trackColumns, zScale }: EvaluateFlags,
) {
  const isTable = bytes !== null && trackColumns === undefined && isTrackTable(bytes);
  const tracks = isTable
    ? { ...parsePlacedTracks(file, bytes, frames, numbers), notes: [] }
    : bytes === null
      ? await readFolder(file, zScale)
      : parseForeign(file, bytes, numbers, trackColumns);
  const answer = "identity" in tracks ? tracks : answerOf(file, tracks, numbers, frames);
  const { parent, notes } = seenMothers(answer.frame, answer.identity, tracks.parent);
  return { answer, parent, notes: [...tracks.notes, ...notes] };
}

/** What is to be said of a metric that is worse than required; null where it is not. */
function unmet({ metric, limit }: Requirement, scores: Scores, lineages: LineageScores | null): string | null {
  const [{ label, better }, value, said] = isOfLineages(metric)
    ? ([{ ...LINEAGE_METRICS[metric], better: "more" }, lineages?.[metric] ?? null, formatPercent] as const)
    : ([METRICS[metric], scores[metric], (known: number) => formatScore(metric, known)] as const);
  if (value !== null && (better === "more" ? value >= limit : value <= limit)) return null;
  return `${label} is ${value === null ? "–" : said(value)}, required ${better === "more" ? "≥" : "≤"} ${limit}`;
}

function isOfLineages(metric: MetricName | LineageMetric): metric is LineageMetric {
  return metric in LINEAGE_METRICS;
}

function describe(scores: Scores, comparison: Comparison, lineages: LineageScores | null): string {
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
  return formatTable(["metric", "value", "what"], [...rows, ...(lineages === null ? [] : lineageRows(lineages))]);
}

function lineageRows(scores: LineageScores): string[][] {
  const { truth, answer, found } = scores.divisions;
  const { falseNegatives, falsePositives, edgesDeleted, edgesAdded, edgesChanged } = scores.operations;
  const counts: Partial<Record<LineageMetric, string>> = {
    divisionPrecision: `${found} of ${answer}`,
    divisionRecall: `${found} of ${truth}`,
    tra: `${falseNegatives} points missed, ${falsePositives} false; edges: ${edgesDeleted} false, ${edgesAdded} missed, ${edgesChanged} of the wrong kind`,
  };
  return LINEAGE_NAMES.map((name) => {
    const { label, title } = LINEAGE_METRICS[name];
    return [label, formatPercent(scores[name]), counts[name] === undefined ? title : `${title} (${counts[name]})`];
  });
}
