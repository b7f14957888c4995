import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { InputError } from "../core/errors.js";
import { digestOfBytes } from "../files/input-stream.js";
import { withFile } from "../files/refusal.js";
import { ensureFolder } from "../files/whole-file.js";
import { shownSoftware, software } from "../rows/provenance.js";
import { settingsOnHosts } from "../run/shards/backend.js";
import { gather, serveFirst, taskOf } from "../run/shards/hosts.js";
import { type ShardProcess, startShard } from "../run/shards/start.js";
import { now } from "./clock.js";
import type { Outcome } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import type { SolveFlags } from "./options/solving.js";

/** The shards of all tasks, for the first one; the outcome of any other, which has served its shard by then. */
export async function meet(input: string, flags: SolveFlags): Promise<readonly ShardProcess[] | Outcome> {
  const { output, device, threads, xLaps } = flags;
  if (output === undefined)
    throw new InputError("--shards hosts: the tasks meet in the folder of -o; give -o FOLDER on a disk that all share");
  const task = taskOf(output);
  const settings = settingsOnHosts(device, { threads, now, ...(xLaps && { xLaps }) });
  const facts = {
    rmap: shownSoftware(software()),
    "Node.js": process.version,
    "the number of tasks": `${task.tasks}`,
    "the device": settings.device,
    "the digest of the input": await digestOf(input, output),
  };
  if (task.rank === 0) {
    ensureFolder(output);
    const others = await gather(task, facts);
    return [startShard(task.local, settings, task.host), ...others];
  }
  const lost = await serveFirst(task, facts, settings);
  return lost === null ? { text: "", json: [] } : { text: "", json: [], problem: lost, code: EXIT.failed };
}

/** SHA-256 over a file, or the files in a folder but for what the tasks write there. */
async function digestOf(input: string, output: string): Promise<string> {
  if (input === "-" || input === "/dev/stdin")
    throw new InputError("--shards hosts: a pipe is read by one task alone; name a file");
  const isFolder = withFile(input, () => statSync(input)).isDirectory();
  const written = relative(input, output) || ".rmap-";
  const hash = createHash("sha256");
  for (const name of isFolder ? readdirSync(input, { recursive: true, encoding: "utf8" }).sort() : [""]) {
    const file = join(input, name);
    if (name.startsWith(written) || !withFile(file, () => statSync(file)).isFile()) continue;
    hash.update(`${name}\n`);
    hash.update(await digestOfBytes(file));
  }
  return hash.digest("hex").slice(0, 12);
}
