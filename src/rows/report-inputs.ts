import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { refuse, withFile } from "../files/refusal.js";
import { readHistory } from "./history.js";
import type { Measurement } from "./measurement.js";
import { readMixedRows, SCHEMAS } from "./report-rows.js";
import { type ResultFolder, readResultFolder } from "./result-folder.js";
import type { Placed, RunRow } from "./results.js";

/** The input of a report. */
export interface ReportInputs {
  /** Those of folders included. */
  readonly rows: readonly Placed<RunRow | Measurement>[];
  readonly folders: readonly ResultFolder[];
  readonly histories: readonly { readonly file: string; readonly history: ReturnType<typeof readHistory> }[];
}

/**
 * Reads rows (JSON Lines, or one row as .json), folders that `rmap solve -o` wrote, and history.csv files.
 * @param progress called with the paths read, and their number
 * @throws InputError for a path that is none of these, and whatever reading it finds
 */
export function readReportInputs(
  given: readonly string[],
  schemas = SCHEMAS,
  progress?: (done: number, total: number) => void,
): ReportInputs {
  const folders: ResultFolder[] = [];
  const histories: { file: string; history: ReturnType<typeof readHistory> }[] = [];
  const rows: Placed<RunRow | Measurement>[] = [];
  // A path given twice counts once.
  const paths = [...new Set(given)];
  for (const [n, path] of paths.entries()) {
    progress?.(n, paths.length);
    if (withFile(path, () => statSync(path)).isDirectory()) {
      const folder = readResultFolder(path);
      folders.push(folder);
      rows.push({ file: join(path, "result.json"), line: 1, row: folder.row });
    } else if (path.toLowerCase().endsWith(".csv")) {
      if (basename(path) === "tracks.csv") refuse(path, "lacks the rest of its result", "name its folder");
      histories.push({ file: path, history: readHistory(path) });
    } else {
      for (const row of readMixedRows(path, schemas)) rows.push(row);
    }
  }
  return { rows, folders, histories };
}
