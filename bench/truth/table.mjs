/** Writes docs/truth.md from the last row of each kind and ascent in results/truth.jsonl: node bench/truth/table.mjs */
import { writeFileSync } from "node:fs";
import { rowsOf } from "../rows.mjs";
import { KINDS } from "./instances.mjs";

const all = rowsOf(new URL("../../results/truth.jsonl", import.meta.url));
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

const attack = rowsOf(new URL("../../results/truth-scales.jsonl", import.meta.url)).at(-1);
const statuses = Object.entries(attack.statuses)
  .toSorted(([, a], [, b]) => b - a)
  .map(([status, n]) => `${status} ${n}`)
  .join(", ");

/** The first commit with elimination is of this time. */
const older = rows.every(({ date }) => date < "2026-11-21T23:08")
  ? ' They were made before [elimination](exact.md#2-elimination) existed, so "proven" counts only gaps that multipliers close.'
  : "";

const text = `# The solver against the truth

\`node bench/truth/table.mjs\` writes this page from results/truth-scales.jsonl and results/truth.jsonl.

## Random problems of every scale

This check draws ${attack.instances} random problems of up to 4 frames with up to 3 detections each (\`truth/scales.ts\`). Links, triplets, births and deaths
cost from 1e-12 to 1e30 in size, each kind on a scale of its own or all on one, of one sign or of both. Some entries are far dearer than the rest, some
births and deaths cancel, links and triplets are missing, and triplets are stored or implicit. One of the ascents solves each problem. Exact rational
arithmetic and an exact dynamic program then judge everything it states (\`truth/check.ts\`): the bound and every bound in the history, the
tracks and their price, the status, the gap, what --require-gap decides, and what rmap check finds of the proof.

- **False statements: ${attack.violations}.**
- Problems that ended unsolved although tracks exist: ${attack.missed}.
- How the runs ended: ${statuses}. A run is "refused" with an error that names where no links are left.
- Births or deaths were capped ([algorithm.md §1.1](algorithm.md#11-births-and-deaths-beyond-any-saving)) in ${attack.capped} problems.

The command

    npm run build:truth && RMAP_REVISION=$(git rev-parse HEAD) nice node dist-truth/bench/truth/scales.js 100000

took ${attack.seconds} s on a shared machine (revision ${attack.revision?.slice(0, 8)}, seeds ${attack.seeds.join(" to ")}). The tests run the first 3000 problems, or as many as 30 s allow
(\`test/map/scales.test.ts\`).

## How often the optimum is found and proved

\`node bench/truth/truth.mjs\` makes the rows from ${total("instances")} seeded instances. HiGHS gives the optimum of the linear program (LP) and of the integer program of each; it
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
writeFileSync(new URL("../../docs/truth.md", import.meta.url), text);
