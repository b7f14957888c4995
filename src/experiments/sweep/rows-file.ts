import fs, {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  realpathSync,
  rmdir,
  rmdirSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { InputError } from "../../core/errors.js";
import { refuse, withFile } from "../../files/refusal.js";
import { readBytes } from "../../files/text-file.js";
import { stageFile } from "../../files/whole-file.js";
import { ensureAppendable, formatRow, type Placed, placedRows, type ResultRow } from "../../rows/results.js";

/**
 * A rows file while one sweep writes it.
 *
 * Two things keep a second writer out. The lock, a folder FILE.lock whose time its holder renews every second, refuses one that
 * comes while the first is at work; a lock that is `staleAfter` ms old belongs to a process that is gone (SIGKILL, power cut) or
 * frozen (SIGSTOP, a paused machine) and is taken over. A sweep that opens the file puts a copy of it in its place and keeps that
 * copy open: a holder that resumes after a takeover writes to a file that has no name any more, so that none of its rows gets
 * into the new file, however late it resumes. This holds across machines on a shared file system too.
 */
export interface RowsFile {
  /** The rows that were there at the start. */
  readonly rows: readonly ResultRow[];
  /** Rows that were there twice, and are gone. */
  readonly dropped: number;
  /** @throws InputError when another sweep has taken the file over; nothing is written then */
  append(row: ResultRow): void;
  /** @throws as append; the second call does nothing */
  close(): Promise<void>;
}

/** Milliseconds. Five renewals may come late before a lock counts as left behind. */
const STALE_AFTER = 5000;
const RENEW = 1000;

/**
 * Opens a rows file for one sweep. A last line that a killed writer left incomplete is removed: it is no row, and its run is made
 * again. Of rows that two writers made of one run the first is kept.
 *
 * @param lost called when another sweep is found to have taken over
 * @param staleAfter age in ms at which a lock is taken over, 2000 or more; null for no lock: the file is taken over at once, so that a shard that is given
 *   again on another machine, whose clock may differ, waits for nobody
 * @throws InputError when another sweep is writing it, and when it holds something else than rows
 */
export async function openRowsFile(
  file: string,
  lost: (error: InputError) => void,
  staleAfter: number | null = STALE_AFTER,
): Promise<RowsFile> {
  ensureAppendable(file);
  const path = existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
  let descriptor: number | null = null;
  const owned = (): boolean => descriptor === null || isOpenAt(path, descriptor);
  const takenOver = () =>
    new InputError(`${file}: another sweep has taken it over; wait for that one's end, and give the command again`);
  const lock = staleAfter === null ? withoutLock() : takeLock(path, owned, () => lost(takenOver()), staleAfter);
  const release = await lock.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ELOCKED") withFile(file, () => raise(error));
    return refuse(file, "another sweep is writing it", "wait for its end, or name another file");
  });
  try {
    const { rows, dropped, opened } = renew(path);
    descriptor = opened;
    let closed = false;
    const refuseLost = (): void => {
      if (!owned()) throw takenOver();
    };
    return {
      rows,
      dropped,
      append(row) {
        refuseLost();
        withFile(file, () => writeSync(opened, `${formatRow(row)}\n`));
      },
      async close() {
        if (closed) return;
        closed = true;
        try {
          refuseLost();
        } finally {
          // Where the lock is another's by now, it stays.
          await release().catch(() => {});
          closeSync(opened);
        }
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function withoutLock(): Promise<() => Promise<void>> {
  return async () => {};
}

/** Takes the lock of a file; it is left alone at the end, and when the process exits, unless `owned`. */
async function takeLock(
  path: string,
  owned: () => boolean,
  lost: () => void,
  stale: number,
): Promise<() => Promise<void>> {
  // It handles signals from its import on, which would disturb other commands.
  const { lock } = await import("proper-lockfile");
  return lock(path, {
    realpath: false,
    stale,
    update: RENEW,
    // Somewhat longer than a lock left behind takes to become stale.
    retries: { retries: (stale + RENEW) / 500, factor: 1, minTimeout: 500, maxTimeout: 500 },
    onCompromised: lost,
    fs: {
      ...fs,
      rmdir: (folder: string, callback: (error: NodeJS.ErrnoException | null) => void) =>
        owned() ? rmdir(folder, callback) : callback(null),
      rmdirSync: (folder: string) => owned() && rmdirSync(folder),
    },
  });
}

/** Whether a path still leads to the file that is open. */
function isOpenAt(path: string, descriptor: number): boolean {
  const [atPath, opened] = [statSync(path, { throwIfNoEntry: false }), fstatSync(descriptor)];
  return atPath?.ino === opened.ino && atPath.dev === opened.dev;
}

function raise(error: Error): never {
  throw error;
}

/** Puts a copy in a file's place, without incomplete rows and repeated ones; returns its rows, and the copy open for more. */
function renew(file: string): Pick<RowsFile, "rows" | "dropped"> & { readonly opened: number } {
  const { placed, lines, whole } = wholeRows(file, existsSync(file) ? readBytes(file) : Buffer.alloc(0));
  const rows = placed.map(({ row }) => row);
  const seen = new Set<string>();
  const first = rows.map((row) => {
    const identity = identityOf(row);
    if (identity === null) return true;
    return seen.size < seen.add(identity).size;
  });
  const kept = rows.filter((_, n) => first[n]);
  const end = whole.length === 0 || whole.at(-1) === 10 ? "" : "\n";
  const mended = lines.filter((_, n) => first[n]).map((line) => `${line}\n`);
  const copy = stageFile(file, first.includes(false) ? mended.join("") : Buffer.concat([whole, Buffer.from(end)]));
  // Opened before it has the name, under which another process may put its own copy at once.
  const opened = withFile(file, () => openSync(copy.path, "a"));
  copy.commit();
  return { rows: kept, dropped: rows.length - kept.length, opened };
}

/** Rows of one run, made by one revision on one device, are one; null for rows of other work. */
function identityOf({ sweep, device, version, revision }: ResultRow): string | null {
  return sweep === undefined ? null : JSON.stringify([sweep.name, sweep.key, device.requested, version, revision]);
}

/** The rows of a file, their lines and all its bytes, without a last line that was cut short. */
export function wholeRows(
  file: string,
  bytes: Buffer,
): { placed: Placed<ResultRow>[]; lines: string[]; whole: Buffer } {
  const end = bytes.lastIndexOf(10) + 1;
  const last = bytes.subarray(end).toString("utf8");
  const whole = last.trim() === "" || isWhole(last) ? bytes : bytes.subarray(0, end);
  if (whole.length < bytes.length) {
    // Rows begin like this; anything else was not written by a sweep and is left alone.
    const start = '{"name":';
    if (!last.startsWith(start) && !start.startsWith(last)) {
      placedRows(file, whole);
      refuse(file, "its last line is no result row", "name a file of rows, or a new one");
    }
  }
  const placed = placedRows(file, whole);
  const lines = whole
    .toString("utf8")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  return { placed, lines, whole };
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
