import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import type { made } from "./measurement.js";

/** The program, machine and time that made a result; every row has it. */
export type Provenance = z.infer<typeof made>;

/** Provenance of a run at `date`. */
export function provenance(date: Date): Provenance {
  return {
    ...software(),
    node: process.versions.node,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
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

function gitRevision(): string | null {
  const cwd = fileURLToPath(packageRoot);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 5000 }).trim();
  try {
    // An installed rmap may lie inside some other project's checkout.
    if (git("ls-files", "--", "package.json") === "") return givenRevision();
    const changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", "package-lock.json") !== "";
    return git("rev-parse", "HEAD") + (changed ? "+" : "");
  } catch {
    return givenRevision();
  }
}

function givenRevision(): string | null {
  return process.env.RMAP_REVISION || null;
}
