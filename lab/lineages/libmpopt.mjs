/**
 * Solves the instances of cell tracking of a folder in the text of libmpopt (libmpopt-instance.mjs): bound, cost, gap and time of each. It fetches nothing; the instances of
 * "A primal-dual solver for large-scale tracking-by-assignment" are published with that program.
 *
 *     node lab/lineages/libmpopt.mjs FOLDER [--time 60] [--gap 0] [--threads 2] [--exact] [--rows FILE]
 *
 * The bound holds for the text as it stands. The cost is that of the tracks in it. "relaxed" says that its divisions cannot be told to rmap exactly.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { solve } from "rmap";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";
import { costInText, instanceOf, parseJug } from "./libmpopt-instance.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    time: { type: "string", default: "60" },
    gap: { type: "string", default: "0" },
    threads: { type: "string", default: "2" },
    exact: { type: "boolean", default: false },
    rows: { type: "string" },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("give a folder of instances in libmpopt's text");
const [time, gap, threads] = [options.time, options.gap, options.threads].map(Number);
for (const name of readdirSync(folder).sort()) {
  if (!statSync(join(folder, name)).isFile()) continue;
  const jug = parseJug(readFileSync(join(folder, name), "utf8"));
  const instance = instanceOf(jug);
  const before = performance.now();
  const solved = await solve(instance.problem, { device: "cpu", time, gap, threads, exact: options.exact });
  const seconds = (performance.now() - before) / 1000;
  const cost =
    solved.tracks === null
      ? Number.POSITIVE_INFINITY
      : costInText(jug, instance, { tracks: solved.tracks, parents: solved.parents });
  const percent = (100 * (cost - solved.lowerBound)) / Math.abs(cost);
  const size = {
    hypotheses: jug.detections.size,
    moves: jug.moves.length,
    divisions: jug.divisions.length,
    sets: jug.sets.length,
  };
  const found = {
    lowerBound: solved.lowerBound,
    cost,
    gapPercent: percent,
    seconds,
    status: solved.status,
    relaxed: !instance.isExact,
  };
  keepRow(options.rows, {
    benchmark: "libmpopt",
    instance: name,
    ...size,
    time,
    threads,
    exact: options.exact,
    ...found,
    ...provenance(new Date()),
  });
  console.log(
    `${name}: ${Object.entries(size)
      .map(([what, count]) => `${count} ${what}`)
      .join(", ")}${found.relaxed ? " (relaxed)" : ""}\n` +
      `  bound ${found.lowerBound.toFixed(4)}  cost ${cost.toFixed(4)}  gap ${percent.toFixed(4)} %  ${solved.status}  ${seconds.toFixed(1)} s`,
  );
}
