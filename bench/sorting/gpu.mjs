/**
 * Auctions on the belts of scenarios/belt, on a GPU: the four boards, list and dense, with the host's test after every round and without, with
 * and without the border rule on the densest set; larger problems of the same kind; a stress set with four times d_max. Every answer is certified before its time
 * counts. The belts are simulated first on all cores, for a minute or less.
 *
 *     npm run build && node bench/sorting/gpu.mjs [gpu|software] [ROWS.jsonl]      appends rows [results/auction-gpu.jsonl], prints tables
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [device = "gpu", rows = "results/auction-gpu.jsonl"] = process.argv.slice(2);
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rmap-belts-"));
const FRAMES = 60;
const SETS = ["spheres-1", "spheres-2", "spheres-and-plates", "cylinders", "pepper-1-stand-in", "pepper-2-stand-in"];

const rmap = (args, quiet = false) =>
  new Promise((resolve, reject) => {
    const stdio = ["ignore", quiet ? "ignore" : "inherit", "inherit"];
    const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...args], { cwd: root, stdio });
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`rmap ${args.join(" ")}: exit code ${code}`)),
    );
  });
const file = (set) => join(folder, `${set}.csv`);
const bench = (sets, ...options) =>
  rmap(["bench", "auction", ...sets.map(file), "--device", device, "--append", rows, ...options]);

try {
  await Promise.all(
    SETS.map((set) =>
      rmap(["simulate", `scenarios/belt/${set}.json`, "--frames", String(FRAMES), "-o", file(set)], true),
    ),
  );
  await bench(SETS, "--frames", "40");
  await bench(["spheres-2"], "--frames", "40", "--border");
  await bench(["spheres-2"], "--frames", "20", "--crowd", "4", "--epsilon", "0.001", "--form", "list");
  // From which size on the GPU wins: 4,100 and 16,400 in view, sparse and crowded.
  for (const tiles of ["2", "4"]) {
    await bench(["spheres-2"], "--frames", "10", "--tiles", tiles, "--form", "list");
    await bench(
      ["spheres-2"],
      "--frames",
      "10",
      "--tiles",
      tiles,
      "--form",
      "list",
      "--crowd",
      "4",
      "--epsilon",
      "0.001",
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
