/**
 * What other solvers make of instances in libmpopt's text: HiGHS (in WebAssembly) of the linear and the integer program, and CBC of the integer one, where it is installed;
 * and HiGHS of the linear program with twins, which is the best bound that rmap's ascent can come to, alone (twins), with a row for each daughter (daughters) and with one for daughters that exclude
 * each other (cliques).
 *
 *     node lab/lineages/references.mjs FILE ... [--seconds 600] [--solvers linear,highs,cbc,twins,daughters,cliques] [--rows lab/results/lineages.jsonl]
 *
 * Seconds are of CPU.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import highs from "highs";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";
import { parseJug } from "./libmpopt-instance.mjs";
import { programOf, twinsProgramOf } from "./program.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "600" },
    solvers: { type: "string", default: "linear,highs,cbc" },
    rows: { type: "string" },
  },
});
const seconds = Number(options.seconds);
const used = () => Object.values(process.cpuUsage()).reduce((sum, value) => sum + value, 0) / 1e6;

/** Programs by the names of `--solvers`. */
const PROGRAMS = {
  linear: (jug) => programOf(jug, false),
  highs: (jug) => programOf(jug),
  twins: (jug) => twinsProgramOf(jug, "none"),
  daughters: (jug) => twinsProgramOf(jug, "daughters"),
  cliques: (jug) => twinsProgramOf(jug, "cliques"),
};

async function byHighs(program) {
  const solver = await /** @type {any} */ (highs)();
  const before = used();
  const { Status, ObjectiveValue } = solver.solve(program, { mip_rel_gap: 0, time_limit: seconds });
  return { status: Status, cost: ObjectiveValue, cpuSeconds: used() - before };
}

function byCbc(jug) {
  const folder = mkdtempSync(join(tmpdir(), "rmap-cbc-"));
  try {
    writeFileSync(join(folder, "program.lp"), programOf(jug));
    const ask = ["ratioGap", "0", "seconds", String(seconds), "solve"];
    const { stdout } = spawnSync("cbc", [join(folder, "program.lp"), ...ask], { encoding: "utf8", maxBuffer: 2 ** 28 });
    const [, status] = /^Result - (.*)$/m.exec(stdout) ?? [null, "no result"];
    const number = (name) => Number(new RegExp(`^${name}:?\\s+(-?[\\d.]+)`, "m").exec(stdout)?.[1] ?? Number.NaN);
    return { status, cost: number("Objective value"), cpuSeconds: number("Total time \\(CPU seconds\\)") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const file of positionals) {
  const jug = parseJug(readFileSync(file, "utf8"));
  for (const solver of options.solvers.split(",")) {
    const found = solver === "cbc" ? byCbc(jug) : await byHighs(PROGRAMS[solver](jug));
    const size = { hypotheses: jug.detections.size, moves: jug.moves.length, divisions: jug.divisions.length };
    const row = { benchmark: "lineage-references", instance: basename(file), ...size, solver, ...found };
    console.log(JSON.stringify(keepRow(options.rows, { ...row, ...provenance(new Date()) })));
  }
}
