/**
 * Makes every table between marks in docs/ and lab/notes/ again from its rows, and fails where one differs from what the page had.
 *
 *     npm run build && npm run build -w lab && npm run tables -w lab
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The page, then the script and its arguments; the page's name is the last of them. */
const TABLES = [
  ["docs/benchmarks.md", "ascent/table.mjs", "--page"],
  ["docs/benchmarks.md", "gap/gap.mjs", "--table", "--page"],
  ["docs/benchmarks.md", "exact/instances.mjs", "--table", "--docs"],
  ["lab/notes/before-detection.md", "tbd/sweep.mjs", "--docs"],
  ["lab/notes/blobs.md", "blobs/blobs.mjs", "--table"],
  ["lab/notes/recordings.md", "costs/baselines-table.mjs"],
  ["lab/notes/own-tracks.md", "costs/known-costs.mjs", "--table"],
  ["lab/notes/priors.md", "priors/priors.mjs", "--table"],
  ["lab/notes/corrections.md", "corrections/corrections.mjs", "--table"],
  ["lab/notes/features.md", "features/choices.mjs"],
  ["lab/notes/flow.md", "flow/counts.mjs"],
  ["lab/notes/flow.md", "flow/layered.mjs", "--table"],
  ["lab/notes/sorting.md", "sorting/ratios.mjs"],
  ["lab/notes/sorting.md", "sorting/places.mjs", "--table"],
  ["lab/notes/papers.md", "papers/papers.mjs", "--table"],
  ["lab/notes/papers.md", "sorting/ratios.mjs", "lab/notes/sorting.md"],
  ["lab/notes/exact.md", "exact/room.mjs", "--table", "--docs"],
  ["lab/notes/exact.md", "exact/seeds.mjs", "--table", "--docs"],
  ["lab/notes/exact.md", "exact/axial.mjs", "--table", "--docs"],
];

const root = join(import.meta.dirname, "..");
let differing = 0;
for (const [page, script, ...args] of TABLES) {
  const text = () => readFileSync(join(root, page), "utf8");
  const before = text();
  execFileSync(process.execPath, [join("lab", script), ...args, page], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const same = text() === before;
  console.log(`${page}: ${script} ${same ? "makes what is there" : "makes another table, which is there now"}`);
  if (!same) differing++;
}
process.exitCode = differing > 0 ? 1 : 0;
