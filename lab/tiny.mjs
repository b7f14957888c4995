/**
 * Runs the scripts of the lab that write rows at a tiny size, on the CPU or the software device, so that continuous integration sees each of them work.
 * The rows go to a temporary folder; a script must end well and write a row or more.
 *
 *     npm run build && npm run tiny -w lab [-- NAME …]       all, or those whose command holds one of the names
 *
 * Left out: exact/instances --solve (its rows belong to instances/), truth/truth (writes its table's rows), exact/seeds, tbd/acceptance and tbd/vectors (one size,
 * minutes), sorting/gpu, feed and repeated (belts that are simulated in minutes), tbd/passes, speed and variants, flow/speed, features/sift-speed, sift-cpu and best-bin-first
 * (a GPU's clock, and many kernels to compile), costs/warm-starts, flow/accuracy, sorting/places, lap/scipy, lp/pdlp and lineages/solve, page/page (recordings, images, instances and a Python that are not here).
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** ROWS stands for a file of the command's own, FOLDER for a folder. */
const COMMANDS = `
lap/chains.mjs --iterations 3 gated:8,8
lap/gpu.mjs software 12,4
lap/warm.mjs software gated:8,6 --ascents rmap,polyak,bundle --steps 2
ascent/ascent.mjs software gated:8,6 authors:6,5 --repeat 1 --iterations 6
ascent/device-profile.mjs software --iterations 3 --rows ROWS scenarios/tiny.json
ascent/device-tracks.mjs software --iterations 3 --rows ROWS scenarios/tiny.json
ascent/warm-from-zero.mjs --rows ROWS scenarios/tiny.json
gap/gap.mjs --only tiny --rows ROWS
gap/relaxation.mjs --time 5 --rows ROWS scenarios/tiny.json
exact/margins.mjs --only recording --rows ROWS scenarios/data/ngsim_us101_0.5s.csv
exact/room.mjs --sizes 12x6 --seeds 1 --time 2 --rows ROWS
exact/validate.mjs --count 20 --rows ROWS
exact/cut-share.mjs --iterations 5 --rows ROWS scenarios/demo.json
exact/start.mjs --rounds 1 --rows ROWS
costs/known-costs.mjs --rows ROWS scenarios/data/ngsim_us101_0.5s.csv
costs/suite.mjs tiny --kinds crowd --faults clean --seeds 1 --rows ROWS
priors/priors.mjs --seeds 4 --rows ROWS
corrections/corrections.mjs --order margin --rows ROWS scenarios/data/opensky_uk_120s.csv
gates/gates.mjs --detections 300 --rows ROWS scenarios/data/ngsim_us101_0.5s.csv
scale/scale.mjs --on cpu,software --rows ROWS 10x10 30x10-births
pricing/pricing.mjs --repeat 1 --rows ROWS 10,5
papers/papers.mjs kawtikwar --tiny --device software --out FOLDER
papers/papers.mjs maier --tiny --device software --out FOLDER
papers/papers.mjs mazurek --tiny --device software --out FOLDER
papers/papers.mjs muecke --tiny --device software --out FOLDER
papers/papers.mjs romera --tiny --device software --out FOLDER
blobs/blobs.mjs --alone --seeds 2 --side 96 --snr 10 --rows ROWS
blobs/speed.mjs --images 2 --side 96 --repeat 1 --devices software --rows ROWS
features/selection.mjs --seeds 1 --size 160x120 --rows ROWS
tbd/tracking.mjs --snr 1.5 --seeds 1 --rows ROWS
lineages/libmpopt.mjs --rows ROWS lab/lineages/tiny
flow/tracking.mjs cpu --seeds 1 --scenes 0 --time 5 --rows ROWS
`
  .trim()
  .split("\n");

const LIMIT_SECONDS = 120;
const named = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "rmap-lab-"));
const root = join(import.meta.dirname, "..");
const failed = [];
for (const [number, command] of COMMANDS.entries()) {
  if (named.length > 0 && !named.some((name) => command.includes(name))) continue;
  const rows = join(folder, `${number}.jsonl`);
  const [script, ...args] = command
    .split(" ")
    .map((word) => (word === "ROWS" ? rows : word === "FOLDER" ? `${rows}.d` : word));
  const program = script.endsWith(".sh") ? "bash" : process.execPath;
  const began = performance.now();
  const { status, stderr } = spawnSync(program, [join("lab", script), ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 1000 * LIMIT_SECONDS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const wrote = args.includes(rows) ? existsSync(rows) && readFileSync(rows, "utf8").trim() !== "" : true;
  console.log(`${seconds.padStart(6)} s  ${command}`);
  if (status === 0 && wrote) continue;
  const reason = status === 0 ? "wrote no row" : `ended with ${status ?? `a limit of ${LIMIT_SECONDS} s`}`;
  failed.push(`${command}: ${reason}\n${stderr.slice(-2000)}`);
}
rmSync(folder, { recursive: true, force: true });
for (const failure of failed) console.error(`\n${failure}`);
process.exitCode = failed.length > 0 ? 1 : 0;
