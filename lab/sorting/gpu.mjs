/**
 * Auctions on the belts of scenarios/belt, on a GPU: the four boards, list and dense, with the host's test after every round and without. Every answer is
 * certified before its time counts; what the device has no room for is named with the reason, and the others go on.
 *
 *     npm run build && node lab/sorting/gpu.mjs PART… [--device gpu|software] [--rows lab/results/auction-gpu.jsonl]      appends rows, prints tables
 *
 *     sets     the six sets, list and dense                      tiles-2, tiles-4   4 and 16 copies of Spheres 2, list: from which size on the GPU wins
 *     border   Spheres 2 with the border rule                    crowd-2, crowd-4   the same with four times d_max
 *     crowd    Spheres 2 with four times d_max                   dense-2            4 copies, dense
 *     frames   each frame of the paper's Fig. 6, dense
 *
 * Each takes less than a minute. The belts are simulated once on all cores, in a minute or less, and kept in the system's temporary folder.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requireParts } from "../parts.mjs";

const { values: flags, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string", default: "lab/results/auction-gpu.jsonl" },
  },
});
const root = fileURLToPath(new URL("../../", import.meta.url));
const FRAMES = 60;
const SETS = ["spheres-1", "spheres-2", "spheres-and-plates", "cylinders", "pepper-1-stand-in", "pepper-2-stand-in"];
const larger = (tiles, ...options) => [["spheres-2"], "--frames", "10", "--tiles", String(tiles), ...options];
const CROWD = ["--crowd", "4", "--epsilon", "0.001", "--form", "list"];
const PARTS = {
  sets: [SETS, "--frames", "40"],
  border: [["spheres-2"], "--frames", "40", "--border"],
  crowd: [["spheres-2"], "--frames", "20", ...CROWD],
  "tiles-2": larger(2, "--form", "list"),
  "tiles-4": larger(4, "--form", "list"),
  "crowd-2": larger(2, ...CROWD),
  "crowd-4": larger(4, ...CROWD),
  "dense-2": larger(2, "--form", "dense"),
  frames: [["pepper-2-stand-in", "spheres-2"], "--frames", "48", "--form", "dense", "--each"],
};
requireParts(parts, PARTS);

const run = (program, args, quiet = false) =>
  new Promise((resolve, reject) => {
    /** @type {import("node:child_process").StdioOptions} */
    const stdio = ["ignore", quiet ? "ignore" : "inherit", "inherit"];
    const child = spawn(process.execPath, [join(root, program), ...args], { cwd: root, stdio });
    child.on("close", (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`${program} ${args.join(" ")}: exit code ${code}`)),
    );
  });
const folder = join(tmpdir(), `rmap-belts-${FRAMES}`);
mkdirSync(folder, { recursive: true });
const file = (set) => join(folder, `${set}.csv`);
const made = async (set) => {
  if (existsSync(file(set))) return;
  const part = join(folder, `${set}-${process.pid}.csv`);
  await run(
    "dist/cli/main.js",
    ["simulate", `scenarios/belt/${set}.json`, "--frames", String(FRAMES), "-o", part],
    true,
  );
  renameSync(part, file(set));
};

await Promise.all([...new Set(parts.flatMap((part) => PARTS[part][0]))].map(made));
for (const part of parts) {
  const begun = performance.now();
  const [sets, ...options] = PARTS[part];
  const asked = ["--device", flags.device, "--append", flags.rows, ...options];
  await run("dist-lab/sorting/bench.js", [...sets.map(file), ...asked]);
  console.log(`${part}: ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}
