import type { FrameTimes } from "../../run/frame-clock.js";
import type { LineErrors } from "../../run/line-errors.js";
import type { TrackSummary } from "../../run/track.js";
import { type Line, labelled, many, textOf } from "../print.js";

/** The data of the summary that `rmap track` prints at its end. */
export interface TrackReport extends TrackSummary {
  readonly input: string;
  readonly associate: string;
  /** Device and precision of the association. */
  readonly ran: string;
  /** Seconds (or the file's time unit) between frames, null where the file does not state it. */
  readonly timeStep: number | null;
  readonly unit: string | null;
  readonly resumed: boolean;
  readonly interrupted: boolean;
  /** Decisions at the line, null without one. */
  readonly crossings: number | null;
  readonly line: LineErrors | null;
  readonly times: FrameTimes | null;
  /** Made-up frames before the first real one. */
  readonly warmed: number;
  readonly notes: readonly string[];
}

/** The text that a person reads at the end: the tracks first; with `verbose` also how large the work was. */
export function describeTracking(report: TrackReport, verbose: boolean): string {
  const { counts, rounds, displacement, noise, resumed, interrupted } = report;
  const lines: Line[] = [`${report.input}: ${many(counts.rows, "row")} in ${many(counts.frames, "frame")}`];
  const add = (label: string, text: string) => lines.push([label, text]);
  add("tracks", String(report.tracks));
  lines.push(...errorLines(report), ...lineLines(report));
  const notes = report.notes.map(labelled);
  lines.push(...notes.filter(([label]) => label === "warning"));
  add("d_max", `${digits(report.reach)}${report.unit ? ` ${report.unit}` : ""}`);
  const votes = report.votes === null ? "" : `, ${report.votes} votes`;
  if (displacement) add("displacement", `${displacement.map(digits).join(", ")} a frame${votes}`);
  if (noise) add("noise", `q ${digits(noise.q)}, r ${digits(noise.r)}`);
  if (verbose) {
    add("largest frame", `${report.largest.tracks} tracks, ${report.largest.measurements} measurements`);
    if (rounds)
      add("rounds", `mean ${rounds.mean.toFixed(2)}, worst ${rounds.most}; ${report.capped} frames left to jv`);
  }
  const odd = [
    [counts.emptyFrames, "empty frames"],
    [counts.reorderedFrames, "frames put in order"],
    [counts.lateRows, "late rows"],
    [counts.repeatedRows, "repeated rows"],
    [report.hidden, "rows out of view"],
  ].filter(([count]) => (count as number) > 0);
  if (odd.length > 0) add("also", odd.map(([count, what]) => `${count} ${what}`).join(", "));
  lines.push(...timeLines(report));
  const ended = `${resumed ? ", resumed" : ""}${interrupted ? ", interrupted" : ""}`;
  add("ran", `${report.associate}, ${report.ran}${ended}`);
  lines.push(...notes.filter(([label]) => label !== "warning"));
  return textOf(lines, 14);
}

function digits(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : String(Number(value.toPrecision(4)));
}

function errorLines({ errors }: TrackReport): Line[] {
  if (!errors) return [];
  const long = `${errors.longObjectsInError} of ${errors.longObjects} seen 5 times or more`;
  const objects = `${errors.objectsInError} of ${errors.objects} objects (${long})`;
  return [
    ["errors", `${objects}, ${errors.mixedTracks} of ${errors.tracks} tracks mixed`],
    ["links", `${errors.brokenLinks} broken, ${errors.wrongLinks} wrong`],
  ];
}

/** Decisions at the separation line, and their errors where the truth is known. */
function lineLines({ crossings, line, timeStep }: TrackReport): Line[] {
  const lines: Line[] = crossings === null ? [] : [["line", `${crossings} decisions`]];
  if (!line) return lines;
  const scale = timeStep === null ? 1 : timeStep * 1000;
  const time = (value: number) => `${digits(value * scale)} ${timeStep === null ? "frames" : "ms"}`;
  const spread = (what: { median: number; p99: number }, show: (value: number) => string) =>
    `${show(what.median)} median, ${show(what.p99)} p99`;
  const filtered = `${spread(line.time, time)}; across ${spread(line.position, digits)}`;
  lines.push(["  by filter", `${filtered}, ${line.compared} compared`]);
  lines.push(["  last seen", `${spread(line.plainTime, time)}; across ${spread(line.plainPosition, digits)}`]);
  return lines;
}

/** Times of a frame against the camera's. */
function timeLines({ times, warmed }: TrackReport): Line[] {
  if (!times) return [];
  const show = ({ mean, p50, p99, p999, worst, over }: FrameTimes["cpu"]) =>
    `mean ${mean.toFixed(3)}, p50 ${p50.toFixed(3)}, p99 ${p99.toFixed(3)}, p99.9 ${p999.toFixed(3)}, worst ${worst.toFixed(3)} ms, ${over} over`;
  const share = (mean: number) => `${((100 * mean) / times.budget).toFixed(1)} %`;
  const shares = `${share(times.cpu.mean)} as CPU time, ${share(times.wall.mean)} by the wall clock`;
  return [
    [`of ${digits(times.budget)} ms`, `${shares}, ${times.frames} frames after ${warmed} made-up ones`],
    [times.cpuClock === "thread" ? "  CPU" : "  CPU at most", show(times.cpu)],
    ["  wall clock", show(times.wall)],
    ["  empty loop", show(times.emptyLoop.wall)],
  ];
}
