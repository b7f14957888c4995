/**
 * What is asked of `rmap track` on belts of any seeds, from the command line (docs/explanation/sorting.md, "Unseen belts"): the sets are simulated clean, with a jitter of 0.1 mm, and
 * with 2 % missed besides, and tracked by default, with d_max of nn and 2 nn, with the auction, and to the separation line. Prints a line for each belt, and what does not hold.
 *
 *     npm run build && node lab/sorting/acceptance.mjs --seeds 2,4 [--sets spheres-2,cylinders] [--frames 200] [--processes 16] [--rows FILE]
 *
 * `--rows` appends the errors. A seed of all sets takes some 60 s on one core.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string", default: "2" },
    sets: { type: "string", default: "spheres-1,spheres-2,spheres-and-plates,cylinders" },
    frames: { type: "string", default: "200" },
    processes: { type: "string", default: String(availableParallelism()) },
    rows: { type: "string" },
  },
});
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rmap-acceptance-"));
const KINDS = { clean: 0, jitter: 0, missed: 0.02 };
/** Errors that are asked for: none on clean belts, else so many of 1,000 objects. */
const MOST = { "spheres-and-plates": 5 };

let running = 0;
/** @type {(() => void)[]} */
const waiting = [];
const rmap = async (/** @type {string[]} */ ...args) => {
  if (running >= Number(flags.processes)) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  running++;
  try {
    return await new Promise((resolve, reject) => {
      execFile(process.execPath, [join(root, "dist/cli/main.js"), ...args], { cwd: root }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`rmap ${args.join(" ")}: ${stderr}`)),
      );
    });
  } finally {
    running--;
    waiting.shift()?.();
  }
};
const summaryOf = async (/** @type {string} */ file, /** @type {string[]} */ ...args) =>
  JSON.parse(await rmap("track", file, "--json", "-o", "/dev/null", ...args));

/** @param {string} set @param {string} seed @param {keyof typeof KINDS} kind */
async function run(set, seed, kind) {
  const name = `${set}-${seed}-${kind}`;
  const scenario = JSON.parse(readFileSync(join(root, `scenarios/belt/${set}.json`), "utf8"));
  if (KINDS[kind] > 0) scenario.belt.missed = KINDS[kind];
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(scenario));
  const belt = join(folder, `${name}.csv`);
  const frames = set === "spheres-2" ? String(Number(flags.frames) / 2) : flags.frames;
  const noise = kind === "clean" ? [] : ["--noise", "0.0001"];
  await rmap("simulate", file, "--seed", seed, "--frames", frames, ...noise, "-o", belt);
  const tracked = await summaryOf(belt);
  const { nearest, timeStep } = tracked;
  const runs = { default: tracked };
  if (kind === "clean") {
    runs.nn = await summaryOf(belt, "--d-max", String(nearest), "--associate", "auction");
    runs["2 nn"] = await summaryOf(belt, "--d-max", String(2 * nearest), "--associate", "auction");
  }
  if (kind !== "missed")
    runs.line = await summaryOf(belt, "--view", "0.2,0.35,,", "--line", "x=0.39", "--decisions", "/dev/null");
  const errors = Object.entries(runs)
    .filter(([of]) => of !== "line")
    .map(([of, { errors }]) => `${of} ${errors.objectsInError} (${errors.mixedTracks})`);
  const most = kind === "clean" ? 0 : ((MOST[set] ?? 2) * tracked.errors.objects) / 1000;
  const failed = Object.entries(runs)
    .filter(
      ([of, { errors }]) =>
        of !== "line" && (errors.objectsInError > most || (kind === "clean" && errors.mixedTracks > 0)),
    )
    .map(([of]) => `errors, ${of}`);
  let text = `${name.padEnd(32)} ${tracked.errors.objects} objects; errors ${errors.join(", ")}`;
  if (kind === "clean") {
    const { mean, most: worst } = runs.nn.rounds;
    text += `; rounds at nn ${mean.toFixed(2)}, ${worst}`;
    if (mean > 2.5 || worst > 4) failed.push("rounds");
  }
  if (runs.line !== undefined) {
    const { time, position, plainTime, plainPosition } = runs.line.line;
    const ms = (/** @type {number} */ value) => (1000 * timeStep * value).toFixed(3);
    const mm = (/** @type {number} */ value) => (1000 * value).toFixed(3);
    text += `; line ${ms(time.median)}, ${ms(time.p99)} ms (last seen ${ms(plainTime.median)}, ${ms(plainTime.p99)}), across ${mm(position.median)}, ${mm(position.p99)} mm (${mm(plainPosition.median)}, ${mm(plainPosition.p99)})`;
    if (!(time.median < plainTime.median / 2)) failed.push("line: time");
    if (position.median > plainPosition.median || position.p99 > plainPosition.p99) failed.push("line: across");
    const isExact = kind === "clean" && /^spheres-[12]$/.test(set);
    if (isExact && (1000 * timeStep * time.p99 >= 1 || position.p99 >= 0.0008)) failed.push("line: p99");
  }
  const judged = Object.entries(runs).map(([of, { errors }]) => [
    of,
    errors && { inError: errors.objectsInError, mixed: errors.mixedTracks },
  ]);
  const row = { benchmark: "sorting-acceptance", set, seed: Number(seed), kind, objects: tracked.errors.objects };
  keepRow(flags.rows, {
    ...row,
    frames: Number(frames),
    errors: Object.fromEntries(judged.filter(([of]) => of !== "line")),
    ...provenance(new Date()),
  });
  return { text, failed: failed.map((what) => `${name}: ${what}`) };
}

try {
  const jobs = flags.seeds
    .split(",")
    .flatMap((seed) =>
      flags.sets
        .split(",")
        .flatMap((set) => Object.keys(KINDS).map((kind) => run(set, seed, /** @type {keyof typeof KINDS} */ (kind)))),
    );
  const done = await Promise.all(jobs);
  for (const { text } of done) console.log(text);
  const failed = done.flatMap(({ failed }) => failed);
  console.log(failed.length === 0 ? `all of ${done.length} belts hold` : `does not hold: ${failed.join("; ")}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
