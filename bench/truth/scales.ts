/**
 * The attack of docs/truth.md: random problems of every scale, each solved and judged in exact arithmetic.
 *
 *     npm run build:truth && RMAP_REVISION=$(git rev-parse HEAD) nice node dist-truth/bench/truth/scales.js [count] [first seed]
 *
 * Appends a row to results/truth-scales.jsonl; exit code 1 when anything is false.
 */
import { appendFileSync } from "node:fs";
import { provenance } from "../../src/rows/provenance.js";
import { attack } from "../../truth/attack.js";

const CHUNK = 1000;
const [count, from] = [Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 1)];
const begin = performance.now();
const total = await attack(from, 0);
for (let seed = from; seed < from + count; seed += CHUNK) {
  const tally = await attack(seed, Math.min(CHUNK, from + count - seed));
  for (const key of ["instances", "missed", "found", "capped"] as const) total[key] += tally[key];
  for (const [status, n] of Object.entries(tally.statuses)) total.statuses[status] = (total.statuses[status] ?? 0) + n;
  for (const what of tally.violations) process.stderr.write(`VIOLATION ${what}\n`);
  total.violations.push(...tally.violations);
  process.stderr.write(`${total.instances} instances, ${total.violations.length} violations\n`);
}
const { violations, ...figures } = total;
const row = {
  bench: "truth-scales",
  seeds: [from, from + count - 1],
  ...figures,
  violations: violations.length,
  seconds: Math.round((performance.now() - begin) / 1000),
  ...provenance(new Date()),
};
process.stdout.write(`${JSON.stringify(row, null, 1)}\n`);
appendFileSync("results/truth-scales.jsonl", `${JSON.stringify(row)}\n`);
if (violations.length > 0) process.exitCode = 1;
