import { existsSync, realpathSync, truncateSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lock } from "proper-lockfile";
import { refuse, withFile } from "../../files/refusal.js";
import { readBytes } from "../../files/text-file.js";
import { appendRow, ensureAppendable, parseRows, type ResultRow } from "../../rows/results.js";

/**
 * A rows file while one sweep writes it.
 *
 * The lock is a folder FILE.lock whose time its holder renews every second; one that is `STALE` ms old belongs to a process
 * that is gone (SIGKILL, power cut) and is taken over. This holds across machines on a shared file system too.
 */
export interface RowsFile {
  /** The rows that were there at the start. */
  readonly rows: readonly ResultRow[];
  append(row: ResultRow): void;
  close(): Promise<void>;
}

const STALE = 5000;
const RENEW = 1000;

/**
 * Opens a rows file for one sweep. What a killed writer left of a last line is removed: it is no row, and its run is made
 * again.
 *
 * @throws InputError when another sweep is writing it, and when it holds something else than rows
 */
export async function openRowsFile(file: string, lost: (error: Error) => void): Promise<RowsFile> {
  ensureAppendable(file);
  const path = existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
  const release = await lock(path, {
    realpath: false,
    stale: STALE,
    update: RENEW,
    // Somewhat longer than a lock left behind takes to become stale.
    retries: { retries: 12, factor: 1, minTimeout: 500, maxTimeout: 500 },
    onCompromised: lost,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ELOCKED") withFile(file, () => raise(error));
    return refuse(file, "another sweep is writing it", "wait for its end, or name another file");
  });
  try {
    const rows = existsSync(path) ? mendRows(path) : [];
    return { rows, append: (row) => appendRow(path, row), close: release };
  } catch (error) {
    await release();
    throw error;
  }
}

function raise(error: Error): never {
  throw error;
}

/** The rows of a file, once a last line that was cut short is gone from it. */
function mendRows(file: string): ResultRow[] {
  const bytes = readBytes(file);
  const end = bytes.lastIndexOf(10) + 1;
  const last = bytes.subarray(end).toString("utf8");
  const rows = parseRows(file, bytes.subarray(0, end));
  if (last.trim() === "") return rows;
  if (isWhole(last)) return [...rows, ...parseRows(file, bytes.subarray(end))];
  // As rows begin; anything else is not the work of a sweep, and is left alone.
  const start = '{"name":';
  if (!last.startsWith(start) && !start.startsWith(last)) {
    refuse(file, "its last line is no result row", "name a file of rows, or a new one");
  }
  withFile(file, () => truncateSync(file, end));
  return rows;
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
