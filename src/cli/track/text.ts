import type { FrameTimes } from "../../run/frame-clock.js";
import type { LineErrors } from "../../run/line-errors.js";
import type { TrackSummary } from "../../run/track.js";
import { type Line, labelled, textOf } from "../print.js";

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

/** The summary a person reads. */
export function describeTracking(report: TrackReport): string {
  const { counts, errors, times, line, rounds, displacement, noise } = report;
  const of = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : String(Number(value.toPrecision(4)));
  const lines: Line[] = [`${report.input}: ${counts.frames} frames, ${counts.rows} rows, ${report.tracks} tracks`];
  const add = (label: string, text: string) => lines.push([label, text]);
  add(
    "ran",
    `${report.associate}, ${report.ran}${report.resumed ? ", resumed" : ""}${report.interrupted ? ", interrupted" : ""}`,
  );
  add("d_max", `${of(report.reach)}${report.unit ? ` ${report.unit}` : ""}`);
  if (displacement)
    add(
      "displacement",
      `${displacement.map(of).join(", ")} a frame${report.votes === null ? "" : `, ${report.votes} votes`}`,
    );
  if (noise) add("noise", `q ${of(noise.q)}, r ${of(noise.r)}`);
  add("largest frame", `${report.largest.tracks} tracks, ${report.largest.measurements} measurements`);
  if (rounds) add("rounds", `mean ${rounds.mean.toFixed(2)}, worst ${rounds.most}; ${report.capped} frames left to jv`);
  const odd = [
    [counts.emptyFrames, "empty frames"],
    [counts.reorderedFrames, "frames put in order"],
    [counts.lateRows, "late rows"],
    [counts.repeatedRows, "repeated rows"],
    [report.hidden, "rows out of view"],
  ].filter(([count]) => (count as number) > 0);
  if (odd.length > 0) add("also", odd.map(([count, what]) => `${count} ${what}`).join(", "));
  if (errors) {
    add(
      "errors",
      `${errors.objectsInError} of ${errors.objects} objects (${errors.longObjectsInError} of ${errors.longObjects} seen 5 times or more), ${errors.mixedTracks} of ${errors.tracks} tracks mixed`,
    );
    add("links", `${errors.brokenLinks} broken, ${errors.wrongLinks} wrong`);
  }
  if (report.crossings !== null) add("line", `${report.crossings} decisions`);
  if (line) {
    const scale = report.timeStep === null ? 1 : report.timeStep * 1000;
    const time = (value: number) => `${of(value * scale)} ${report.timeStep === null ? "frames" : "ms"}`;
    const spread = (what: { median: number; p99: number }, show: (value: number) => string) =>
      `${show(what.median)} median, ${show(what.p99)} p99`;
    add("  by filter", `${spread(line.time, time)}; across ${spread(line.position, of)}, ${line.compared} compared`);
    add("  last seen", `${spread(line.plainTime, time)}; across ${spread(line.plainPosition, of)}`);
  }
  if (times) {
    const show = ({ mean, p50, p99, p999, worst, over }: FrameTimes["cpu"]) =>
      `mean ${mean.toFixed(3)}, p50 ${p50.toFixed(3)}, p99 ${p99.toFixed(3)}, p99.9 ${p999.toFixed(3)}, worst ${worst.toFixed(3)} ms, ${over} over`;
    add(
      `of ${of(times.budget)} ms`,
      `${((100 * times.cpu.mean) / times.budget).toFixed(1)} % as CPU time, ${((100 * times.wall.mean) / times.budget).toFixed(1)} % by the wall clock, ${times.frames} frames after ${report.warmed} made-up ones`,
    );
    add(times.cpuClock === "thread" ? "  CPU" : "  CPU at most", show(times.cpu));
    add("  wall clock", show(times.wall));
    add("  empty loop", show(times.emptyLoop.wall));
  }
  lines.push(...report.notes.map(labelled));
  return textOf(lines, 14);
}
