#!/usr/bin/env node
/**
 * `rmap solve` on problems of four decades of edges, on a GPU and on the CPU: wall clock, phases, certified gap, and the memory of host and device.
 *
 *     npm run build && node lab/scale/scale.mjs [--on gpu,cpu@16] [--gap 0.01] [--cost mine.mjs] [--triplets csr] [--limit 600] [--rows lab/results/scale.jsonl] NAME …
 *
 * A name is TARGETSxFRAMES, with -births for births and deaths; those of scenarios/scale are read there, and others are made alike, on a field
 * of the same density. Files that rmap solves may be named too. cpu@16 is the CPU with 16 threads, 2xgpu two shards with a card each. A run beyond the limit in seconds is ended, and leaves no row.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { keepRow, rowsOf } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    on: { type: "string", default: "gpu,cpu@16" },
    gap: { type: "string", default: "0.01" },
    cost: { type: "string" },
    triplets: { type: "string" },
    limit: { type: "string", default: "600" },
    rows: { type: "string" },
  },
});

/** Of a result, for a row. */
const MEASURED = [
  ...[
    "status",
    "lowerBound",
    "upperBound",
    "gapPercent",
    "iterations",
    "device",
    "xLaps",
    "precision",
    "threads",
    "frames",
    "detections",
    "edges",
    "triplets",
    "storage",
    "times",
  ],
  ...["version", "revision", "node", "cpu", "cores", "memory", "platform", "date"],
];

/** Milliseconds between two looks at the memory; the host's peak is kept by the kernel, the device's is not. */
const LOOK_EVERY = 50;

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "rmap-scale-"));
try {
  for (const name of positionals) {
    for (const place of options.on.split(",")) await measure(name, place);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * @param {string} name
 * @param {string} place
 */
async function measure(name, place) {
  const file = fileOf(name);
  const rows = join(folder, "row.jsonl");
  rmSync(rows, { force: true });
  const [, shards, device, threads] = /^(?:(\d+)x)?(\w+)(?:@(\d+))?$/.exec(place) ?? [];
  const { code, wall, hostMiB, deviceMiB } = await watched([
    join(root, "dist/cli/main.js"),
    ...["solve", file, "--device", device, "--gap", options.gap, "--append", rows, "--quiet"],
    ...(threads === undefined ? [] : ["--threads", threads]),
    ...(shards === undefined ? [] : ["--shards", shards]),
    ...(options.cost === undefined ? [] : ["--cost", options.cost]),
    ...(options.triplets === undefined ? [] : ["--triplets", options.triplets]),
  ]);
  if (code !== 0) {
    console.log(`${name} on ${place}: ended with ${code} after ${wall.toFixed(1)} s`);
    return;
  }
  const [row] = rowsOf(rows);
  const measured = Object.fromEntries(MEASURED.map((field) => [field, row[field]]));
  keepRow(options.rows, {
    benchmark: "scale",
    problem: name,
    cost: options.cost,
    ...measured,
    wall,
    hostMiB,
    deviceMiB,
  });
  console.log(
    `${name} on ${place}: ${row.edges} edges, ${wall.toFixed(2)} s, ${row.status} at ${row.gapPercent.toPrecision(2)} % after ${row.iterations}, host ${hostMiB} MiB, device ${deviceMiB ?? "?"} MiB, ` +
      Object.entries(row.times)
        .flatMap(([phase, seconds]) => (seconds >= 0.05 ? [`${phase} ${seconds.toFixed(2)}`] : []))
        .join(", "),
  );
}

/** @param {string} name */
function fileOf(name) {
  const size = /^(\d+)x(\d+)(-births)?$/.exec(name);
  if (size === null) return name;
  const [, targets, frames, births = ""] = size;
  const kept = join(root, "scenarios/scale", `n${targets}-t${frames}${births}.json`);
  if (existsSync(kept)) return kept;
  const file = join(folder, `${name}.json`);
  const spread = Math.round(132 * Math.sqrt(Number(targets) / 1000));
  const scenario = {
    name: basename(file, ".json"),
    simulation: { targets: Number(targets), frames: Number(frames), path: "spline", spread },
    cost: "spline",
    births: births === "" ? "none" : { birth: 20, death: 20 },
    seed: 5,
  };
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}

/**
 * Runs Node with these arguments; its seconds, and the peaks of its memory: resident on the host, and what the card had more than before.
 * @param {string[]} args
 */
async function watched(args) {
  const card = await watchCard();
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  let kilobytes = 0;
  const looking = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      kilobytes = Math.max(kilobytes, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended.
    }
  }, LOOK_EVERY);
  const limit = setTimeout(() => child.kill("SIGKILL"), 1000 * Number(options.limit));
  const code = await new Promise((resolve) => child.once("exit", (status, signal) => resolve(status ?? signal)));
  clearInterval(looking);
  clearTimeout(limit);
  const wall = (performance.now() - began) / 1000;
  return { code, wall, hostMiB: Math.round(kilobytes / 1024), deviceMiB: card.peak() };
}

/** Watches the first card's memory, which takes a moment to begin; null as its peak where there is none. */
async function watchCard() {
  const query = ["--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0", `-lms=${LOOK_EVERY}`];
  const smi = spawn("nvidia-smi", query, { stdio: ["ignore", "pipe", "ignore"] });
  /** @type {number[]} */
  const seen = [];
  await new Promise((resolve) => {
    smi.once("error", resolve);
    smi.stdout.on("data", (text) => {
      seen.push(...`${text}`.trim().split("\n").map(Number));
      resolve(null);
    });
  });
  return {
    peak() {
      smi.kill();
      return seen.length === 0 ? null : Math.max(...seen) - seen[0];
    },
  };
}
