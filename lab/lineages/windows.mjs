#!/usr/bin/env node
/**
 * Recordings whose cells divide, solved whole and in 2, 4 and 8 windows: scores of tracks and divisions, and what windows lose of bound and cost.
 *
 *     npm run build && node lab/lineages/windows.mjs FILE.csv ... [--windows 1,2,4,8] [--rows lab/results/lineages.jsonl]
 *
 * `divisions.mjs --csv FOLDER` writes such recordings; the costs are learned from all frames.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { windows: { type: "string", default: "1,2,4,8" }, rows: { type: "string" } },
});

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** @param {readonly string[]} args */
const rmap = (...args) => execFileSync(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "ignore"] });

for (const file of files) {
  const folder = mkdtempSync(join(tmpdir(), "rmap-windows-"));
  for (const windows of options.windows.split(",").map(Number)) {
    const last = Number(readFileSync(file, "utf8").trim().split("\n").at(-1)?.split(",")[0]);
    const size = Math.ceil(last / windows);
    const how = windows === 1 ? [] : ["--window", String(size), "--learn", String(last + 1)];
    rmap("solve", file, "--threads", "1", "-o", folder, "-q", ...how);
    const { detections, status, lowerBound, upperBound, tracks } = JSON.parse(
      readFileSync(join(folder, "result.json"), "utf8"),
    );
    const { idf1, linkErrors, lineages } = JSON.parse(
      rmap("evaluate", file, join(folder, "tracks.csv"), "--json").toString(),
    );
    const row = {
      ...{ benchmark: "windows-of-lineages", name: basename(file, ".csv"), detections, windows, size, status },
      ...{ lowerBound, upperBound, divisions: tracks.divisions, idf1, linkErrors },
      ...{
        divisionF1: lineages?.divisionF1,
        tra: lineages?.tra,
        precision: lineages?.divisionPrecision,
        recall: lineages?.divisionRecall,
      },
    };
    console.log(JSON.stringify(keepRow(options.rows, { ...row, ...provenance(new Date()) })));
  }
  rmSync(folder, { recursive: true });
}
