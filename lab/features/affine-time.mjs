/**
 * What the affine check of KLT takes of a match on the CPU: processor seconds of `rmap match` with and without it, in turn. A kernel could take away no more than the difference.
 *
 *     npm run build && node lab/features/affine-time.mjs [--rows lab/results/affine-time.jsonl] [--repeat 5] ../shared/flow/Grove2/frame10.png ../shared/flow/Grove2/frame11.png
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { median } from "d3-array";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  options: { rows: { type: "string" }, repeat: { type: "string", default: "5" } },
  allowPositionals: true,
});
const usage = "process.on('exit', () => console.error('USAGE ' + JSON.stringify(process.resourceUsage())))";
const seconds = (/** @type {string[]} */ options) => {
  const match = ["match", ...positionals, "--method", "klt", "--top", "500", "--device", "cpu", ...options, "--json"];
  const command = ["--import", `data:text/javascript,${usage}`, "dist/cli/main.js", ...match];
  const { stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  const { userCPUTime, systemCPUTime } = JSON.parse(/USAGE (.*)/.exec(stderr)?.[1] ?? "{}");
  return (userCPUTime + systemCPUTime) / 1e6;
};
const [plain, affine] = [[], []];
for (let n = 0; n < Number(values.repeat); n++) {
  plain.push(seconds([]));
  affine.push(seconds(["--affine", "10"]));
}
const row = { input: positionals[0], points: 500, plain: median(plain), affine: median(affine), repeat: plain.length };
keepRow(values.rows, { benchmark: "affine-time", ...row, ...provenance(new Date()) });
console.log(`${row.input}: ${row.plain.toFixed(2)} CPU s without the affine check, ${row.affine.toFixed(2)} with it`);
