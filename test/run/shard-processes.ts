import { readdirSync, readFileSync } from "node:fs";

/** The processes of shards that a process has started. */
export function shardProcesses(of: number | "self" = "self"): number[] {
  const tasks = readdirSync(`/proc/${of}/task`);
  const children = tasks.flatMap((task) => readFileSync(`/proc/${of}/task/${task}/children`, "utf8").trim().split(" "));
  return children
    .filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("shards/process"))
    .map(Number);
}
