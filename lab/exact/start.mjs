#!/usr/bin/env node
/**
 * CPU seconds of commands that do next to nothing, by turns: a row for each Node.js, with and without its cache of compiled code, in lab/results/exact-start.jsonl.
 *
 *     npm run build && node lab/exact/start.mjs [--node /path/to/another/node] [--rounds 9]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "d3-array";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values: options } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: [process.execPath] },
    rounds: { type: "string", default: "9" },
    rows: { type: "string", default: "lab/results/exact-start.jsonl" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "rmap-start-"));
const main = "dist/cli/main.js";
const tiny = "scenarios/tiny.json";
const COMMANDS = {
  node: ["-e", "0"],
  version: [main, "--version"],
  solve: [main, "solve", tiny, "-q"],
  check: [main, "check", join(folder, "out/proof.json"), tiny],
};

/**
 * User and system seconds of a command and of the processes that it waits for.
 * @param {string} node
 * @param {string[]} args
 * @param {string | null} cache
 */
function cpuSeconds(node, args, cache) {
  const shown = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1', "-", node, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...(cache && { NODE_COMPILE_CACHE: cache }) },
  });
  const [user, system] = shown.stderr.trim().split(" ").map(Number);
  if (!(user + system >= 0)) throw new Error(`${args.join(" ")}: ${shown.stderr}`);
  return user + system;
}

spawnSync(process.execPath, [main, "solve", tiny, "-q", "-o", join(folder, "out")]);
const kinds = options.node.flatMap((node) =>
  [null, join(folder, "cache")].map((cache) => ({
    node,
    cache,
    seconds: /** @type {Record<string, number[]>} */ ({}),
  })),
);
for (let round = -1; round < Number(options.rounds); round++) {
  for (const { node, cache, seconds } of kinds) {
    for (const [name, args] of Object.entries(COMMANDS)) {
      const taken = cpuSeconds(node, args, cache);
      // The first round fills the cache.
      if (round >= 0) seconds[name] = [...(seconds[name] ?? []), taken];
    }
  }
}
for (const { node, cache, seconds } of kinds) {
  const medians = Object.fromEntries(
    Object.entries(seconds).map(([name, all]) => [name, Math.round(1000 * (median(all) ?? 0)) / 1000]),
  );
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1);
  keepRow(options.rows, {
    benchmark: "start",
    cache: cache !== null,
    rounds: Number(options.rounds),
    cpuSeconds: medians,
    ...provenance(new Date()),
    node: version,
  });
  process.stdout.write(`node ${version} ${cache ? "cached" : "plain"}: ${JSON.stringify(medians)}\n`);
}
rmSync(folder, { recursive: true });
