/**
 * What births and deaths by place would gain the tracker (Maier et al. 2019 name them as a way to go on), and what an ε that adapts would: `rmap track` with and without them.
 *
 *     npm run build && node lab/sorting/places.mjs FILE.csv… [--rows lab/results/sorting-places.jsonl]
 *     node lab/sorting/places.mjs --table lab/notes/sorting.md
 *
 * FILEs have a `target` column, and one displacement that all objects share. Places are told along it: a birth within a displacement and d_max of the first place that any measurement has
 * is at the inlet; a track that is predicted within as much of the last place is at the outlet. The rule is put on the tracker from outside, before the program begins: a birth elsewhere has
 * the score `middle` instead of 5, and at the outlet a track without a measurement loses `outlet` instead of 1.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { Tracker } from "../../dist/track/tracker.js";
import { putTable } from "../docs-table.mjs";
import { keepRow, rowsOf } from "../rows.mjs";

const roundsOf = ({ rounds, errors }) => `${rounds.mean.toFixed(2)}, ${rounds.most}; ${errors.objectsInError}`;

/** Scores of a birth elsewhere, and what a track without a measurement loses at the outlet; first as the tracker has them. */
const RULES = [
  [5, 1],
  [3, 1],
  [1, 1],
  [0, 1],
  [5, 3],
  [5, 20],
  [1, 3],
];

const { PLACES } = process.env;
if (PLACES === undefined) main();
else putRule(JSON.parse(PLACES));

/** Changes the tracker of the program that this module is loaded before. */
function putRule({ middle, outlet, first, last }) {
  const { update } = Tracker.prototype;
  Tracker.prototype.update = function (x, y, measurementOfTrack) {
    const [vx, vy] = this.settings.velocity;
    const length = Math.hypot(vx, vy);
    const along = (px, py) => (px * vx + py * vy) / length;
    const near = length + this.settings.reach;
    for (let i = 0; i < this.count; i++) {
      if (measurementOfTrack[i] < 0 && along(this.filters.x[i], this.filters.y[i]) > last - near)
        this.score[i] -= outlet - 1;
    }
    const known = this.nextTrack;
    const tracks = update.call(this, x, y, measurementOfTrack);
    for (let i = 0; i < this.count; i++) {
      if (this.track[i] >= known && along(this.lastX[i], this.lastY[i]) > first + near) this.score[i] = middle;
    }
    return tracks;
  };
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rows: { type: "string" }, table: { type: "string" } },
  });
  if (values.table !== undefined) return table(values.table);
  const root = join(import.meta.dirname, "../..");
  const track = (file, rule, ...args) => {
    const command = ["dist/cli/start.js", "track", file, "--json", "-o", "/dev/null", ...args];
    const preload = rule === null ? [] : ["--import", import.meta.filename];
    const env = rule === null ? process.env : { ...process.env, PLACES: JSON.stringify(rule) };
    const { stdout, stderr, status } = spawnSync(process.execPath, [...preload, ...command], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const keep = (set, rule, { errors, rounds, largest, version, revision, node, cpu, platform, date }) => {
    keepRow(values.rows, {
      benchmark: "sorting-places",
      set,
      ...rule,
      errors,
      rounds,
      largest,
      version,
      revision,
      node,
      cpu,
      platform,
      date,
    });
    console.log(set, JSON.stringify(rule), JSON.stringify(errors), JSON.stringify(rounds));
  };
  for (const file of positionals) {
    const set = basename(file, ".csv");
    const plain = track(file, null);
    keep(set, { middle: 5, outlet: 1 }, plain);
    const [vx, vy] = plain.displacement;
    const places = placesOf(file).map(([x, y]) => (x * vx + y * vy) / Math.hypot(vx, vy));
    const [first, last] = [Math.min(...places), Math.max(...places)];
    for (const [middle, outlet] of RULES.slice(1)) {
      keep(set, { middle, outlet }, track(file, { middle, outlet, first, last }));
    }
    for (const epsilon of [0.1, 0.01, 0.001, 0.0001]) {
      for (const reach of [1, 2]) {
        const args = [
          "--associate",
          "auction",
          "--epsilon",
          String(epsilon * reach * plain.nearest),
          "--d-max",
          String(reach * plain.nearest),
        ];
        keep(set, { epsilon, reach }, track(file, null, ...args));
      }
    }
  }
}

function placesOf(file) {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const names = lines[0].split(",");
  const [x, y] = ["x", "y"].map((name) => names.indexOf(name));
  return lines
    .slice(1)
    .map((line) => line.split(","))
    .map((cells) => [Number(cells[x]), Number(cells[y])]);
}

function table(page) {
  const rows = rowsOf("lab/results/sorting-places.jsonl");
  const sets = [...new Set(rows.map(({ set }) => set))];
  const find = (set, wanted) =>
    rows.findLast((row) => row.set === set && Object.entries(wanted).every(([key, value]) => row[key] === value));
  const cell = ({ errors }) =>
    `${errors.objectsInError} (${errors.mixedTracks}), ${errors.brokenLinks} + ${errors.wrongLinks}`;
  const lines = sets.map(
    (set) => `| ${[set, ...RULES.map(([middle, outlet]) => cell(find(set, { middle, outlet })))].join(" | ")} |\n`,
  );
  const heads = RULES.map(([middle, outlet]) =>
    middle === 5 && outlet === 1
      ? "as it is"
      : [middle === 5 ? "" : `births ${middle}`, outlet === 1 ? "" : `outlet ${outlet}`].filter(Boolean).join(", "),
  );
  putTable(page, "places", `| set | ${heads.join(" | ")} |\n|---|${"---|".repeat(RULES.length)}\n${lines.join("")}`);
  const settings = [1, 2].flatMap((reach) => [0.1, 0.01, 0.001, 0.0001].map((epsilon) => ({ reach, epsilon })));
  const counts = sets.map(
    (set) => `| ${[set, ...settings.map((wanted) => roundsOf(find(set, wanted)))].join(" | ")} |\n`,
  );
  putTable(
    page,
    "rounds by epsilon",
    `| set | ${settings.map(({ reach, epsilon }) => `${reach} nn, ${epsilon}`).join(" | ")} |\n|---|${"---|".repeat(settings.length)}\n${counts.join("")}`,
  );
}
