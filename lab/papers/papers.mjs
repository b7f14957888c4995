/**
 * The tables and figures of a paper, by the commands of items.mjs, and the tables of lab/notes/papers.md.
 *
 *     npm run build && npm run build -w lab
 *     node lab/papers/papers.mjs kawtikwar|maier|mazurek|muecke|romera [--device gpu|software] [--out papers] [--tiny]
 *     node lab/papers/papers.mjs --table lab/notes/papers.md
 *
 * `--tiny` runs those that have a size of seconds, without a GPU. Each command is printed before it runs; the first that fails ends the script.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { putTable } from "../docs-table.mjs";
import { PAPERS } from "./items.mjs";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "gpu" },
    out: { type: "string", default: "papers" },
    tiny: { type: "boolean", default: false },
    table: { type: "string" },
  },
});
const root = join(import.meta.dirname, "../..");

if (flags.table !== undefined) {
  for (const [name, { items }] of Object.entries(PAPERS)) {
    const lines = items.map(({ item, what, command, ours, theirs, why }) => {
      const made = command === undefined ? `cannot be had: ${why}` : `\`${command.replaceAll("|", "\\|")}\``;
      return `| ${[item, what, made, (typeof ours === "function" ? ours() : ours) ?? "–", theirs ?? "–"].join(" | ")} |\n`;
    });
    putTable(flags.table, name, `| item | what | made by | ours | theirs |\n|---|---|---|---|---|\n${lines.join("")}`);
  }
} else {
  const paper = PAPERS[positionals[0]];
  if (positionals.length !== 1 || paper === undefined) throw new Error(`name one of ${Object.keys(PAPERS).join(", ")}`);
  mkdirSync(flags.out, { recursive: true });
  const begun = new Set();
  for (const { item, command, tiny } of paper.items) {
    const chosen = flags.tiny ? tiny : command;
    if (chosen === undefined || begun.has(chosen)) continue;
    begun.add(chosen);
    const line = chosen
      .replaceAll("RMAP", "node dist/cli/main.js")
      .replaceAll("DEVICE", flags.device)
      .replaceAll("OUT", flags.out);
    console.log(`${item}: ${line}`);
    const { status } = spawnSync("bash", ["-e", "-c", line], { cwd: root, stdio: "inherit" });
    if (status !== 0) throw new Error(`${item} ended with ${status}`);
  }
}
