import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import { oneLine } from "../files/refusal.js";
import { type ResultRow, WEAK_MARGIN } from "../rows/results.js";
import type { Run } from "../run/run.js";
import { formatScore, METRICS, type MetricName } from "../scores/metrics.js";
import { type Line, labelled, many, textOf } from "./print.js";

/** Formats a number with eight significant digits, or "–" where there is none. */
export function formatNumber(value: number | null): string {
  return value === null || !Number.isFinite(value) ? "–" : String(Number(value.toPrecision(8)));
}

/** Formats a percentage with the digits that a small gap needs. */
export function formatPercent(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  return `${value === 0 ? "0" : value < 1 ? value.toPrecision(2) : value.toFixed(2)} %`;
}

const OUTCOME: Record<string, string> = {
  optimal: "proved optimal",
  gap: "as close as was asked for or rounding lets it come, not proved optimal",
  stopped: "stopped before the gap asked for",
  stalled: "the ascent can do no better",
  unsolved: "no allowed set of tracks was found",
};

/** The scores that `solve` prints, line by line; result.json and `rmap evaluate` have them all. The lengths of tracks are printed without a truth too. */
const ERROR_LINES: readonly (readonly [string, readonly MetricName[]])[] = [
  ["errors", ["misses", "falseLinks", "mmep", "itcp"]],
  ["scores", ["idf1", "hota", "mota", "idSwitches", "fragments"]],
];

function describeScores({ scores }: ResultRow, names: readonly MetricName[]): string {
  return names.map((name) => `${METRICS[name].label} ${formatScore(name, scores?.[name] ?? null)}`).join(", ");
}

/** The gap of a cost that is minus the logarithm of a probability. */
function describeNats({ motion, lowerBound, upperBound }: ResultRow): string {
  if (motion === undefined || lowerBound === null || upperBound === null) return "";
  return `, ${Number((upperBound - lowerBound).toPrecision(2))} nats`;
}

/** The summary a person reads after a solve. */
export function describeRun(row: ResultRow, written: readonly string[]): string {
  const lines: Line[] = [
    `${row.name}: ${row.frames} frames, ${row.detections} detections, ${row.edges} edges, ${row.triplets} triplets`,
    ["status", `${row.status} (${OUTCOME[row.status] ?? row.status})`],
    ["lower bound", `${formatNumber(row.lowerBound)} (certified)`],
    ["tracks", formatNumber(row.upperBound)],
    ["gap", `${formatPercent(row.gapPercent)}${describeNats(row)}`],
  ];
  if (row.exact) lines.push(["exact", describeExact(row.exact)]);
  if (row.windows) lines.push(["windows", describeWindows(row.windows, row.frames)]);
  if (row.links) lines.push(["links", describeLinks(row.links)]);
  if (row.tracks) lines.push(["found", describeTracks(row.tracks)]);
  for (const [label, names] of row.scores ? ERROR_LINES : []) lines.push([label, describeScores(row, names)]);
  const seconds = (row.times.wall ?? row.times.total).toFixed(2);
  const where = `${row.device.actual} ${row.precision}, ${many(row.threads, "thread")}`;
  lines.push(["ran", `${row.ascent}, ${row.iterations} iterations, ${where}, ${seconds} s`]);
  lines.push(...Object.entries(row.choices ?? {}), ...row.notes.map(labelled));
  if (written.length > 0) lines.push(["wrote", written.join(", ")]);
  return textOf(lines);
}

function describeTracks({ count, singles, medianLength }: NonNullable<ResultRow["tracks"]>): string {
  return `${many(count, "track")}, ${singles} of one detection, median length ${medianLength}`;
}

const EXACT_OUTCOME: Record<string, string> = {
  closed: "closed",
  large: "too much is left for an exact solve",
  time: "stopped",
  still: "still open",
  failed: "ended where a linear program was not solved",
};

function describeExact({ solver, outcome, cuts, leaves }: NonNullable<ResultRow["exact"]>): string {
  const tree = leaves > 0 ? ` and ${many(leaves, "leaf", "leaves")}` : "";
  return `${EXACT_OUTCOME[outcome] ?? outcome}, ${many(cuts, "cut")}${tree}; proposed by ${solver}, certified in f64`;
}

function describeWindows(windows: NonNullable<ResultRow["windows"]>, all: number): string {
  const { count, frames, overlap, learned, delay, queued } = windows;
  const where = queued === undefined ? "" : `, ${queued} of them solved by workers of the queue`;
  const beyond = `${count} of ${frames} frames, each with ${overlap} more on either side${where}`;
  const later = `; the tracks of a later frame were written when at most ${many(delay, "frame")} more had been read`;
  return `${beyond}; costs from the first ${learned} frames, which were read before any tracks were written${learned < all ? later : ""}`;
}

/** Which links are proved, and how many to look at first. */
function describeLinks({ total, sure, weak }: NonNullable<ResultRow["links"]>): string {
  if (total === 0) return "none";
  const proved = sure === total ? "all are" : `proved for ${sure} of ${total} to be`;
  const below =
    weak === 0
      ? `none has a margin below ${WEAK_MARGIN}`
      : `${weak} of ${total} ${weak === 1 ? "has" : "have"} a margin below ${WEAK_MARGIN}`;
  return `${proved} in every optimal set of tracks; ${below}${weak > 0 ? `: look there first (--unsure ${WEAK_MARGIN})` : ""}`;
}

/** The links with a margin below `limit`, the smallest margin first; detections as in tracks.csv. */
export function describeUnsure(
  { frameStart, margins, track }: Pick<Run, "frameStart" | "margins" | "track">,
  numbers: FrameNumbers,
  limit: number,
): string {
  if (margins === null || track === null) return "no margins: no tracks were found, or there are too many triplets\n";
  const links: { frame: number; from: number; margin: number; track: number; to: number }[] = [];
  const latest = new Map<number, { frame: number; from: number; margin: number }>();
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const before = latest.get(track[d]);
      const to = d - frameStart[p];
      if (before !== undefined && before.margin < limit) links.push({ ...before, track: track[d], to });
      latest.set(track[d], { frame: frameNumber(numbers, p), from: to, margin: margins.link[d] });
    }
  }
  if (links.length === 0) return `no link has a margin below ${limit}\n`;
  links.sort((a, b) => a.margin - b.margin);
  return formatTable(
    ["margin", "track", "frame", "detection", "next detection"],
    links.map(({ margin, track, frame, from, to }) =>
      [Number(margin.toPrecision(4)), track, frame, from, to].map(String),
    ),
  );
}

/** A table in columns of spaces; numbers to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows.map((row) => row.map(oneLine))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const numeric = header.map((_, column) => rows.some((row) => /^-?\d/.test(row[column])));
  const pad = (text: string, column: number) =>
    numeric[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]);
  return all.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}
