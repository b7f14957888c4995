import { rmSync } from "node:fs";
import { join } from "node:path";
import { withFile } from "../files/refusal.js";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { formatTracks } from "../formats/tracks.js";
import { tracksSvg } from "../report/tracks-svg.js";
import { formatHistory } from "../rows/history.js";
import { formatRow, type ResultRow } from "../rows/results.js";
import { formatScore, METRICS } from "../scores/metrics.js";
import type { Problem } from "./problem.js";
import type { Run } from "./run.js";

/** Writes what a run leaves in its folder, each file whole or not at all; returns their paths. */
export function writeRun(folder: string, problem: Problem, run: Run, row: ResultRow): string[] {
  ensureFolder(folder);
  const written: string[] = [];
  const write = (name: string, content: string): void => {
    const path = join(folder, name);
    writeWhole(path, content);
    written.push(path);
  };
  write("result.json", `${JSON.stringify(JSON.parse(formatRow(row)), null, 2)}\n`);
  write("history.csv", formatHistory(run.solution.history));
  if (run.track === null) {
    // Tracks of an earlier run would pass for those of this one.
    for (const name of ["tracks.csv", "tracks.svg"])
      withFile(folder, () => rmSync(join(folder, name), { force: true }));
    return written;
  }
  const x = problem.detections?.x ?? null;
  const y = problem.detections?.y ?? null;
  write("tracks.csv", formatTracks({ frameStart: run.frameStart, x, y }, run.track, problem.firstFrame, run.margins));
  const picture = {
    title: title(row),
    frameStart: run.frameStart,
    x,
    y,
    track: run.track,
    target: problem.target,
    margin: run.margins?.link ?? null,
  };
  write("tracks.svg", tracksSvg(problem.unit === null ? picture : { ...picture, unit: problem.unit }));
  return written;
}

/** The two shares of wrong links and the share of points on the right track. */
function describeErrors(scores: NonNullable<ResultRow["scores"]>): string {
  const shown = (["misses", "falseLinks", "idf1"] as const).map(
    (name) => ` · ${METRICS[name].label} ${formatScore(name, scores[name] ?? null)}`,
  );
  return shown.join("");
}

function title({ name, gapPercent, scores, status }: ResultRow): string {
  const gap = gapPercent === null ? "gap unknown" : `certified gap ${Number(gapPercent.toPrecision(2))} %`;
  const errors = scores ? describeErrors(scores) : "";
  return `${name}\n${status === "optimal" ? "proved optimal" : gap}${errors}`;
}
