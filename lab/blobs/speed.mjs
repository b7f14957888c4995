#!/usr/bin/env node
/**
 * Wall clock of `rmap detect --method blobs` on made images: one thread, all threads, and a GPU, by turns, with the spots of each compared with one thread's.
 *
 *     npm run build && node lab/blobs/speed.mjs [--images 8] [--side 2048] [--repeat 3] [--devices gpu] [--rows lab/results/blobs-speed.jsonl]
 *
 * Images of 8 bits: Gaussian spots of σ 1.2, 2.2 and 4 at 10 times the noise, one in 2,500 pixels. The whole command is timed, reading and writing included. Devices
 * that are absent are left out by --devices "".
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { randomStreams } from "../../dist/core/random.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values } = parseArgs({
  options: {
    images: { type: "string", default: "8" },
    side: { type: "string", default: "2048" },
    repeat: { type: "string", default: "3" },
    devices: { type: "string", default: "" },
    rows: { type: "string", default: "lab/results/blobs-speed.jsonl" },
  },
});
const [images, side, repeat] = [values.images, values.side, values.repeat].map(Number);
const [GROUND, NOISE, SNR] = [40, 8, 10];
const SIGMAS = [1.2, 2.2, 4];

function imageOf(seed) {
  const [random] = randomStreams(seed);
  const plain = new Float64Array(side * side).fill(GROUND);
  for (let n = 0; n < (side * side) / 2500; n++) {
    const sigma = SIGMAS[n % SIGMAS.length];
    const [x, y] = [random.uniform(0, side), random.uniform(0, side)];
    const reach = Math.ceil(5 * sigma);
    for (let row = Math.max(0, Math.floor(y) - reach); row <= Math.min(side - 1, y + reach); row++)
      for (let column = Math.max(0, Math.floor(x) - reach); column <= Math.min(side - 1, x + reach); column++)
        plain[row * side + column] += SNR * NOISE * Math.exp(-((column - x) ** 2 + (row - y) ** 2) / (2 * sigma ** 2));
  }
  return Uint8Array.from(plain, (value) => Math.min(255, Math.max(0, Math.round(value + NOISE * random.normal()))));
}

/** The spots of each frame, as [x, y] in order of the table. */
function spotsOf(file) {
  const text = readFileSync(file, "utf8").trim().split("\n");
  const [header, ...lines] = text.filter((line) => !line.startsWith("#"));
  const at = ["frame", "x", "y"].map((name) => header.split(",").indexOf(name));
  return lines.map((line) => at.map((column) => Number(line.split(",")[column])));
}

/** The greatest distance of a spot from the nearest of the same frame in the other list. */
function farthest(some, others) {
  const byFrame = groupsOf(others);
  const far = ([frame, x, y]) =>
    Math.min(...(byFrame.get(frame) ?? []).map(([, a, b]) => (Math.abs(a - x) > 2 ? 2 : Math.hypot(a - x, b - y))));
  return Math.max(...some.map(far));
}

function groupsOf(spots) {
  const groups = new Map();
  for (const spot of spots) {
    if (!groups.has(spot[0])) groups.set(spot[0], []);
    groups.get(spot[0]).push(spot);
  }
  return groups;
}

const folder = mkdtempSync(join(tmpdir(), "rmap-blobs-"));
const input = join(folder, "images");
mkdirSync(input);
for (let n = 0; n < images; n++) {
  const content = Buffer.concat([Buffer.from(`P5\n${side} ${side}\n255\n`), imageOf(n + 1)]);
  writeFileSync(join(input, `${String(n).padStart(3, "0")}.pgm`), content);
}

const cores = availableParallelism();
const ways = [
  ["--device", "cpu", "--threads", "1"],
  ...(cores > 1 ? [["--device", "cpu", "--threads", String(cores)]] : []),
  ...values.devices.split(",").flatMap((device) => (device === "" ? [] : [["--device", device]])),
];
const runs = ways.map(() => []);
let first = [];
for (let n = 0; n < repeat; n++) {
  for (const [w, way] of ways.entries()) {
    const output = join(folder, `${w}.csv`);
    const command = ["dist/cli/main.js", "detect", input, "--method", "blobs", "-q", "--json", "-o", output, ...way];
    const began = performance.now();
    const answer = JSON.parse(execFileSync(process.execPath, command, { encoding: "utf8", maxBuffer: 2 ** 28 }));
    const seconds = (performance.now() - began) / 1000;
    const spots = spotsOf(output);
    if (w === 0) first = spots;
    runs[w].push({ seconds, spots, device: answer.device });
  }
}
for (const [w, way] of ways.entries()) {
  const sorted = runs[w].map(({ seconds }) => seconds).sort((a, b) => a - b);
  const { spots, device } = runs[w][0];
  const row = keepRow(values.rows, {
    benchmark: "blobs-speed",
    device,
    threads: way.includes("--threads") ? Number(way.at(-1)) : null,
    images,
    side,
    spots: spots.length,
    spotsOfOneThread: first.length,
    farthest: Math.max(farthest(spots, first), farthest(first, spots)),
    seconds: { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted.at(-1) },
    ...provenance(new Date()),
  });
  console.log(
    way.join(" ").padEnd(28),
    `${row.seconds.median.toFixed(2)} s (${row.seconds.min.toFixed(2)} to ${row.seconds.max.toFixed(2)}), ${row.spots} spots, ${row.farthest.toFixed(3)} px from one thread's`,
  );
}
rmSync(folder, { recursive: true });
