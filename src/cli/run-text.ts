/** The text that a person reads after a solve: the tracks first, then the proof, then the files. */
import { type ResultRow, WEAK_MARGIN } from "../rows/results.js";
import type { UnsureLink } from "../run/margins.js";
import { formatScore, METRICS, type MetricName } from "../scores/metrics.js";
import { andWhy, forShell, grainNote, type Line, labelled, many, textOf } from "./print.js";
import { formatBound, formatNumber, formatPercent, formatTable } from "./text.js";

/** Facts of a run that its row does not have. */
export interface Told {
  /** Files that were written. */
  readonly written: readonly string[];
  /** Links with a small margin, the smallest first; null without margins. */
  readonly doubts: readonly UnsureLink[] | null;
  /** Whether the problem, the costs and the reasons are told too. */
  readonly verbose: boolean;
  /** A command, or what else to do next. */
  readonly next?: string | undefined;
}

const OUTCOME: Record<string, string> = {
  optimal: "proved",
  gap: "as close as was asked for or rounding lets it come, not proved optimal",
  stopped: "before the gap asked for was reached",
  stalled: "the ascent can do no better",
  unsolved: "no allowed set of tracks was found",
};

/** The scores that `solve` prints, line by line; result.json and `rmap evaluate` have them all. */
const ERROR_LINES: readonly (readonly [string, readonly MetricName[]])[] = [
  ["errors", ["misses", "falseLinks", "mmep", "itcp"]],
  ["scores", ["idf1", "hota", "mota", "idSwitches", "fragments"]],
];

/** Doubtful links that are named; --unsure lists all. */
const NAMED_DOUBTS = 3;

export function describeRun(row: ResultRow, { written, doubts, verbose, next }: Told): string {
  const lines: Line[] = [
    `${row.name}: ${many(row.detections, "detection")} in ${many(row.frames, "frame")}`,
    ["tracks", row.tracks ? describeTracks(row.tracks) : "none were found"],
  ];
  if (row.tracks) lines.push(["doubtful", describeDoubts(row, doubts)]);
  for (const [label, names] of row.scores ? ERROR_LINES : []) lines.push([label, describeScores(row, names)]);
  const notes = row.notes.map(labelled);
  lines.push(...notes.filter(([label]) => label === "warning"));
  lines.push(["proof", describeProof(row)]);
  if (row.exact && (verbose || row.status !== "optimal")) lines.push(["exact", describeExact(row.exact)]);
  if (row.windows) lines.push(["windows", describeWindows(row.windows, row.frames)]);
  const seconds = (row.times.wall ?? row.times.total).toFixed(2);
  const { actual, hosts, why } = row.device;
  const place = hosts === undefined ? "" : ` on ${[...new Set(hosts)].join(", ")}`;
  const where = `${actual} ${row.precision}${place}, ${many(row.threads, "thread")}`;
  lines.push(["ran", `${row.ascent}, ${many(row.iterations, "iteration")}, ${where}, ${seconds} s${andWhy(why)}`]);
  if (verbose) lines.push(...reasons(row));
  lines.push(...notes.filter(([label]) => label !== "warning"));
  if (written.length > 0) lines.push(["wrote", written.join(", ")]);
  if (next !== undefined && row.tracks) lines.push(["next", next]);
  return textOf(lines);
}

function describeTracks(tracks: NonNullable<ResultRow["tracks"]>): string {
  const { divisions = 0 } = tracks;
  return `${describeLengths(tracks)}${divisions === 0 ? "" : `; ${divisions} ${divisions === 1 ? "divides" : "divide"} into two others each`}`;
}

function describeLengths({ count, singles, medianLength, medianLinked }: NonNullable<ResultRow["tracks"]>): string {
  if (singles === 0) return `${count}, median length ${medianLength}; none is a single detection`;
  if (singles === count) return `${count}, and each of them is a single detection`;
  const single = singles === 1 ? "1 of them is a single detection" : `${singles} of them are single detections`;
  return `${count}; ${single}, the others have a median length of ${medianLinked ?? "–"}`;
}

/** The links to look at first, and where they are. */
function describeDoubts({ links, windows, tracks }: ResultRow, doubts: Told["doubts"]): string {
  if (!links || doubts === null)
    return `not known: ${windows ? "margins are not computed in windows" : "no margins were computed"}`;
  const { total, sure, weak } = links;
  if (total === 0) return `nothing, as there are no links${tracks?.divisions ? " but those of divisions" : ""}`;
  const unproved = total - sure;
  if (weak === 0) return `none of ${many(total, "link")} has a margin below ${WEAK_MARGIN}`;
  const named = doubts.slice(0, NAMED_DOUBTS).map(({ track, frame }) => `track ${track} after frame ${frame}`);
  const first = weak <= NAMED_DOUBTS ? "" : "first ";
  const counted = `${weak} of ${many(total, "link")} ${weak === 1 ? "has" : "have"} a margin below ${WEAK_MARGIN}`;
  const open = unproved === 0 ? "" : `, and ${unproved} of these may be missing from an optimal set`;
  return `${counted}${open}: ${first}${named.join(", ")} (--unsure ${WEAK_MARGIN} lists ${weak === 1 ? "it" : "them"})`;
}

function describeScores({ scores }: ResultRow, names: readonly MetricName[]): string {
  return names.map((name) => `${METRICS[name].label} ${formatScore(name, scores?.[name] ?? null)}`).join(", ");
}

/** How the run ended, and between which bounds. */
function describeProof({ status, lowerBound, upperBound, gapPercent, grain }: ResultRow): string {
  const ended = `${status} (${OUTCOME[status] ?? status})`;
  // Where both are the same cost, both are rounded alike.
  const bounded = status === "optimal" ? formatNumber(lowerBound) : formatBound(lowerBound);
  const bound = lowerBound === null ? "no lower bound is known" : `no others cost less than ${bounded}`;
  const rounded = lowerBound === null || grain === undefined ? "" : `; ${grainNote(grain)}`;
  if (upperBound === null) return `${ended}; ${bound.replace("others", "tracks")}${rounded}`;
  return `${ended}: the tracks cost ${formatNumber(upperBound)}, ${bound}; gap ${formatPercent(gapPercent)}${rounded}`;
}

/** The problem's size, the costs and where they come from. */
function reasons(row: ResultRow): Line[] {
  const { edges, triplets, storage, motion, lowerBound, upperBound } = row;
  const lines: Line[] = [["problem", `${edges} edges, ${triplets} triplets${storage ? `, ${storage}` : ""}`]];
  // Only the cost motion is minus the logarithm of a probability.
  if (motion !== undefined && lowerBound !== null && upperBound !== null)
    lines.push(["gap", `${Number((upperBound - lowerBound).toPrecision(2))} nats`]);
  if (row.links)
    lines.push(["links", `${row.links.sure} of ${row.links.total} are proved to be in every optimal set of tracks`]);
  lines.push(...Object.entries(row.choices ?? {}));
  lines.push(...(row.estimates ?? []).map((estimate): Line => ["estimate", estimate]));
  return lines;
}

const EXACT_OUTCOME: Record<NonNullable<ResultRow["exact"]>["outcome"], string> = {
  closed: "closed",
  large: "too much is left for an exact solve",
  time: "stopped",
  still: "still open",
  fruitless: "still open after as much work as the ascent's without effect",
  failed: "ended where a linear program was not solved",
};

function describeExact({ solver, outcome, cuts, leaves }: NonNullable<ResultRow["exact"]>): string {
  const tree = leaves > 0 ? ` and ${many(leaves, "leaf", "leaves")}` : "";
  return `${EXACT_OUTCOME[outcome]}, ${many(cuts, "cut")}${tree}; proposed by ${solver}, certified in f64`;
}

function describeWindows(windows: NonNullable<ResultRow["windows"]>, all: number): string {
  const { count, frames, overlap, learned, delay } = windows;
  const beyond = `${count} of ${frames} frames, each with ${overlap} more on either side`;
  const later = `; the tracks of a later frame were written when at most ${many(delay, "frame")} more had been read`;
  return `${beyond}; costs from the first ${learned} frames, which were read before any tracks were written${learned < all ? later : ""}`;
}

/** The links with a margin below `limit`; detections as in tracks.csv. */
export function describeUnsure(links: readonly UnsureLink[] | null, limit: number): string {
  if (links === null) return "not known: no margins were computed\n";
  if (links.length === 0) return `no link has a margin below ${limit}\n`;
  return formatTable(
    ["margin", "track", "frame", "detection", "next detection"],
    links.map(({ margin, track, frame, detection, next }) =>
      [Number(margin.toPrecision(4)), track, frame, detection, next].map(String),
    ),
  );
}

/** What to do next with tracks that were written into a folder, or were not. */
export function afterSolve(folder: string | undefined, writes = "the tracks, a picture of them and the proof"): string {
  return folder === undefined
    ? `give -o FOLDER to write ${writes}`
    : `rmap ${forShell(folder)} writes page.html there, to see, doubt and correct the tracks`;
}
