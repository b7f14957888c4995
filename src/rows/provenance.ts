import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { usableCores } from "../core/cores.js";
import type { made } from "./measurement.js";

/** The program, machine and time that made a result; every row has it. */
export type Provenance = z.infer<typeof made>;

/** Provenance of a run at `date`. */
export function provenance(date: Date): Provenance {
  return {
    ...software(),
    node: process.versions.node,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: usableCores(),
    memory: totalmem(),
    platform: `${process.platform}-${process.arch}`,
    date: date.toISOString(),
  };
}

const packageRoot = new URL("../../", import.meta.url);

export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8")) as { version: string }).version;
}

let known: Pick<Provenance, "version" | "revision"> | null = null;

/** The fields that stay the same for the whole process. */
export function software(): Pick<Provenance, "version" | "revision"> {
  known ??= { version: packageVersion(), revision: gitRevision() };
  return known;
}

/** As messages name it. */
export function shownSoftware({ version, revision }: Pick<Provenance, "version" | "revision">): string {
  const changed = revision?.endsWith("+") ? "+" : "";
  return `rmap ${version} (${revision === null ? "no revision known" : `revision ${revision.slice(0, 12)}${changed}`})`;
}

/** One process of git says both what is checked out and whether it was changed: each takes as long as a small solve's arithmetic. */
function gitRevision(): string | null {
  const cwd = resolve(fileURLToPath(packageRoot));
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 5000 });
  try {
    const checkout = checkoutAround(cwd);
    // An installed rmap may lie inside some other project's checkout.
    if (checkout === null || (checkout !== cwd && git("ls-files", "--", "package.json") === "")) return givenRevision();
    const state = git("status", "--porcelain=v2", "--branch", "--untracked-files=no", "--", "src", "package-lock.json");
    const head = /^# branch\.oid ([0-9a-f]+)$/m.exec(state)?.[1];
    if (head === undefined) return givenRevision();
    return head + (/^[^#]/m.test(state) ? "+" : "");
  } catch {
    return givenRevision();
  }
}

/** The nearest folder of `folder` and those around it that is git's, null where there is none. */
function checkoutAround(folder: string): string | null {
  if (existsSync(join(folder, ".git"))) return folder;
  const around = dirname(folder);
  return around === folder ? null : checkoutAround(around);
}

function givenRevision(): string | null {
  return process.env.RMAP_REVISION || null;
}
