#!/usr/bin/env node
/**
 * Recordings whose cells divide, solved whole on a GPU and on the CPU, and in windows, which the CPU alone solves. crossed.mjs compares the costs that both learn.
 *
 *     npm run build && node lab/lineages/devices.mjs [--on gpu,cpu,windows] [--threads 16] [--seconds 118] [--rows lab/results/lineages-devices.jsonl] RECORDING.csv …
 *
 * `divisions.mjs --csv FOLDER` writes such recordings. A run that has not ended after --seconds of this script is ended, and leaves no row.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    on: { type: "string", default: "gpu,cpu,windows" },
    threads: { type: "string", default: "16" },
    seconds: { type: "string", default: "118" },
    rows: { type: "string" },
  },
});

const { threads } = options;
const folder = mkdtempSync(join(tmpdir(), "rmap-devices-"));
const left = () => Number(options.seconds) * 1000 - performance.now();

/** Runs a script within the time that is left. @param {readonly string[]} args */
function run(...args) {
  const [script, ...others] = args;
  const path = fileURLToPath(new URL(script, import.meta.url));
  const before = performance.now();
  execFileSync(process.execPath, [path, ...others], {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: Math.max(1, Math.floor(left())),
    killSignal: "SIGKILL",
  });
  return (performance.now() - before) / 1000;
}

/** @param {string} file @param {string} place */
function solved(file, place) {
  const last = Number(readFileSync(file, "utf8").trim().split("\n").at(-1)?.split(",")[0]);
  const device = place === "windows" ? "cpu" : place;
  const how =
    place === "windows" ? ["--window", String(Math.max(3, Math.ceil(last / 4))), "--learn", String(last + 1)] : [];
  const main = "../../dist/cli/main.js";
  const out = join(folder, `${basename(file, ".csv")}-${place}`);
  const wall = run(main, "solve", file, "--device", device, "--threads", threads, "-o", out, "-q", ...how);
  const result = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
  const { status, lowerBound, upperBound, gapPercent, iterations, detections, edges, triplets, times, motion } = result;
  return {
    ...{ name: basename(file, ".csv"), place, status, lowerBound, upperBound, gapPercent, iterations },
    ...{ device: result.device.actual, threads: Number(threads), detections, edges, triplets },
    ...{ divisions: result.tracks.divisions, motion, seconds: wall, times },
  };
}

for (const input of positionals) {
  for (const place of options.on.split(",")) {
    try {
      const row = solved(input, place);
      console.log(
        `${row.name} on ${place}: ${row.status}, bound ${row.lowerBound}, cost ${row.upperBound}, ${row.iterations} iterations, ${row.seconds.toFixed(2)} s`,
      );
      keepRow(options.rows, { benchmark: "devices-of-lineages", ...row, ...provenance(new Date()) });
    } catch (error) {
      console.log(`${input} on ${place}: ${String(/** @type {Error} */ (error).message).split("\n")[0]}`);
    }
  }
}
rmSync(folder, { recursive: true });
