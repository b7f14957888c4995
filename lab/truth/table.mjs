/** Writes lab/notes/truth.md from the last row of each kind and ascent in lab/results/truth.jsonl: node lab/truth/table.mjs */
import { writeFileSync } from "node:fs";
import { rowsOf } from "../rows.mjs";
import { KINDS } from "./instances.mjs";

const all = rowsOf(new URL("../results/truth.jsonl", import.meta.url));
const rows = [...new Map(all.map((row) => [`${row.kind} ${row.ascent}`, row])).values()];
const any = rows[0];

/** Two significant digits, and no more than three decimals of a share. */
const figure = (value) => (value === null ? "–" : value === 0 ? "0" : String(Number(value.toPrecision(2))));
const share = (value) => (value === 100 ? "100" : value.toFixed(1));
const table = (head, body) =>
  [head, head.map((title) => (["kind", "ascent"].includes(title) ? "---" : "---:")), ...body]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
const sizesOf = ({ sizes }) => sizes.map(([targets, frames]) => `${targets} × ${frames}`).join(", ");
const kinds = Object.keys(KINDS).filter((kind) => rows.some((row) => row.kind === kind));
const firstOf = (kind) => rows.find((row) => row.kind === kind);

const total = (field) => kinds.reduce((sum, kind) => sum + firstOf(kind)[field], 0);

/** By kind of attack, the last row, and the first one, which tells what the attack found when it was new. */
const attacks = rowsOf(new URL("../results/truth-attacks.jsonl", import.meta.url));
const names = [...new Set(attacks.map((row) => row.attack))];
const lastOf = (name) => attacks.findLast((row) => row.attack === name);
const firstRowOf = (name) => attacks.find((row) => row.attack === name);
const latest = names.map(lastOf);
const endings = ({ ended }) =>
  Object.entries(ended)
    .toSorted(([, a], [, b]) => b - a)
    .map(([how, n]) => `${how} ${n}`)
    .join(", ");
const revisions = (rows) => [...new Set(rows.map(({ revision }) => revision?.slice(0, 8)))].join(", ");
const sum = (values) => values.reduce((total, value) => total + value, 0);
/** What each revision's run found. */
const runs = [...new Set(attacks.map(({ revision }) => revision))]
  .map((revision) => attacks.filter((row) => row.revision === revision))
  .map(
    (rows) =>
      `${sum(rows.map(({ violations }) => violations))} of ${sum(rows.map(({ instances }) => instances))} (${revisions(rows)})`,
  )
  .join(", ");

/** The first commit with elimination is of this time. */
const older = rows.every(({ date }) => date < "2026-11-21T23:08")
  ? ' They were made before [elimination](exact.md#2-elimination) existed, so "proven" counts only gaps that multipliers close.'
  : "";

const text = `# The solver against the truth

\`node lab/truth/table.mjs\` writes this page from lab/results/truth-attacks.jsonl and lab/results/truth.jsonl.

## Attacks

${sum(latest.map(({ instances }) => instances))} instances were attacked: problems of up to 4 frames with up to 4 detections each in most, of which exact rational arithmetic and an exact dynamic
program know all that is true. Not a number, ±Infinity, 1e308, subnormal numbers and plausible wrong ones stand wherever numbers enter. Everything that is stated is judged
(\`lab/truth/check.ts\`): every bound, the tracks and their price, the status, the gap, margins, what --require-gap decides, what rmap check finds of the
proof, and exit codes. Tracks may be called optimal only where rounding of the terms in which they differ from the cheapest ones explains all of the difference.

- **False statements: ${sum(latest.map(({ violations }) => violations))}**, of revision ${revisions(latest)}.
- Every run so far, oldest first: ${runs}. What a run found, in rmap or in how the attack judges (the 5, the 14 and the last 1), was mended before the next one.
- An attack that cannot find anything proves nothing: the last column has what its first run found, of revision ${revisions(names.map(firstRowOf))}.
  A kind that found nothing at first finds a copy of the code without its allowance for rounding.

${[
  ["kind", "instances", "false", "seeds", "s", "found at first"],
  ["---", "---:", "---:", "---:", "---:", "---:"],
  ...latest.map((row) => {
    const first = firstRowOf(row.attack);
    const { attack, instances, violations, seeds, seconds } = row;
    return [attack, instances, violations, seeds.join(" to "), seconds, `${first.violations} of ${first.instances}`];
  }),
]
  .map((cells) => `| ${cells.join(" | ")} |`)
  .join("\n")}

${latest.map((row) => `- ${row.attack}: ${row.what}. How they ended: ${endings(row)}.`).join("\n")}

The command, on a worker a core, of all kinds or those that are named:

    npm run build -w lab && RMAP_REVISION=$(git rev-parse HEAD) nice node dist-lab/source/lab/truth/attack.js --count 1000000

A violation names its kind and seed: \`attack.js KIND --from SEED --count 1\` repeats it. The tests run the first seeds of each kind (\`test/map/attacks.test.ts\`).

## How often the optimum is found and proved

\`node lab/truth/truth.mjs\` makes the rows from ${total("instances")} seeded instances. HiGHS gives the optimum of the linear program (LP) and of the integer program of each; it
failed on ${total("highsFailed")}. Every ascent ran until it proved optimality, until it stalled, or for ${any.iterationLimit} iterations. Each run was checked without tolerance:
bound ≤ integer optimum ≤ feasible, bound ≤ LP optimum, only an optimum is called optimal, and the bounds of rmap and bidirectional never fall.
**Violations: ${rows.reduce((sum, row) => sum + row.violations, 0)}.** The rows are of revision ${[...new Set(rows.map((row) => row.revision?.slice(0, 8)))].join(", ")}.${older}

${table(
  ["kind", "instances", "targets × frames", "LP optimum integral, %", "integrality gap, %"],
  kinds.map((kind) => {
    const row = firstOf(kind);
    const { instances, lpIntegralPercent, meanIntegralityGapPercent } = row;
    return [kind, instances, sizesOf(row), share(lpIntegralPercent), figure(meanIntegralityGapPercent)];
  }),
)}

${kinds.map((kind) => `- ${kind}: ${KINDS[kind].what}`).join("\n")}

In the next table "found" is the share of instances whose tracks are an integer optimum, and "proven" the share whose certified gap closed. The gap is the
certified (UB − LB)/|UB|, the excess is how much dearer the tracks are than the integer optimum, and LP − LB is how far the bound stays below the
LP optimum, relative to it.

${table(
  [
    "kind",
    "ascent",
    "found, %",
    "proven, %",
    "mean gap, %",
    "max gap, %",
    "mean excess, %",
    "LP − LB, %",
    "iterations",
  ],
  rows
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map((row) => [
      row.kind,
      row.ascent,
      share(row.foundPercent),
      share(row.provenPercent),
      figure(row.meanGapPercent),
      figure(row.maxGapPercent),
      figure(row.meanExcessPercent),
      figure(row.meanBoundDeficitPercent),
      figure(row.meanIterations),
    ]),
)}

The runs used Node ${any.node} on ${any.platform}, ${any.cpu}, with seeds ${any.seeds.join(" to ")} of each size.
`;
writeFileSync(new URL("../../lab/notes/truth.md", import.meta.url), text);
