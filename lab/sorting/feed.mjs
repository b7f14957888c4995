/**
 * `rmap track -` behind a camera: the frames of a recording are written to its standard input as CSV, one every 1/rate seconds, and its rows are read as they come. The delay of a
 * frame is from when the next one was due, whose first row closes it, to when its last row was read here. Prints delays, frames that took longer than a frame lasts, and the
 * program's own summary. `--warm` are the seconds that made-up frames are given before the first real one.
 *
 *     npm run build && node lab/sorting/feed.mjs BELT.csv [--rate 200] [--associate jv] [--warm 5] [--rows FILE]
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { provenance } from "../../dist/rows/provenance.js";
import { overFrames } from "../../dist-lab/sorting/auction.js";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: "string", default: "200" },
    associate: { type: "string", default: "jv" },
    warm: { type: "string", default: "5" },
    rows: { type: "string" },
  },
});
if (positionals.length !== 1) throw new Error("give one CSV file of a belt");
const root = fileURLToPath(new URL("../../", import.meta.url));
const step = 1000 / Number(flags.rate);

/** The text and the number of rows of each frame; comments and header go with the first. */
const frames = [];
let head = "";
for (const line of readFileSync(positionals[0], "utf8").split("\n")) {
  if (line === "") continue;
  const frame = Number.parseInt(line, 10);
  if (Number.isNaN(frame)) head += `${line}\n`;
  else {
    if (frames.at(-1)?.frame !== frame) frames.push({ frame, text: "", rows: 0 });
    const last = frames[frames.length - 1];
    last.text += `${line}\n`;
    last.rows++;
  }
}

const options = ["track", "-", "--realtime", flags.rate, "--associate", flags.associate, "--json"];
const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...options], {
  stdio: ["pipe", "pipe", "pipe"],
});
let summary = "";
child.stderr.on("data", (piece) => {
  summary += piece;
});
/** When the rows so far were read: numbers of line ends behind the header and times. */
const seen = [];
let lines = -1;
child.stdout.on("data", (piece) => {
  for (const byte of piece) if (byte === 10) lines++;
  seen.push([lines, performance.now()]);
});
const ended = new Promise((resolve) => child.on("close", resolve));
// The header is answered before made-up frames warm the program up: wait for it, and for those.
child.stdin.write(head);
while (lines < 0) await new Promise((resolve) => setTimeout(resolve, 10));
await new Promise((resolve) => setTimeout(resolve, 1000 * Number(flags.warm)));

const begun = performance.now() + 10;
const due = frames.map((_, k) => begun + k * step);
const lateness = [];
for (let k = 0; k < frames.length; k++) {
  const wait = due[k] - performance.now();
  if (wait > 1.5) await new Promise((resolve) => setTimeout(resolve, wait - 1));
  while (performance.now() < due[k]) await new Promise((resolve) => setImmediate(resolve));
  lateness.push(performance.now() - due[k]);
  child.stdin.write(frames[k].text);
}
child.stdin.end();
const code = await ended;
if (code !== 0) throw new Error(`rmap track: exit code ${code}: ${summary}`);

const delays = [];
let rows = 0;
let at = 0;
for (let k = 0; k < frames.length - 1; k++) {
  rows += frames[k].rows;
  while (at < seen.length && seen[at][0] < rows) at++;
  if (at === seen.length) throw new Error(`${lines} rows came back of ${rows} and more`);
  delays.push(seen[at][1] - due[k + 1]);
}
const { times, counts, errors } = JSON.parse(summary);
if (counts.rows !== frames.reduce((sum, frame) => sum + frame.rows, 0)) throw new Error("rows are missing");
// The first frames wait for votes.
const settled = delays.slice(Math.floor(delays.length / 4));
const row = {
  set: basename(positionals[0]).replace(/\.[^.]*$/, ""),
  frames: frames.length,
  rowsPerFrame: counts.rows / frames.length,
  rate: Number(flags.rate),
  associate: flags.associate,
  delay: overFrames(settled),
  delayFirstQuarter: overFrames(delays.slice(0, Math.floor(delays.length / 4))),
  late: settled.filter((delay) => delay > step).length,
  feederLate: overFrames(lateness),
  last: delays[delays.length - 1],
  times,
  objectsInError: errors?.objectsInError ?? null,
  ...provenance(new Date()),
};
if (flags.rows !== undefined) appendFileSync(flags.rows, `${JSON.stringify(row)}\n`);
const show = ({ mean, median, p99, max }) =>
  `mean ${mean.toFixed(2)}, median ${median.toFixed(2)}, p99 ${p99.toFixed(2)}, worst ${max.toFixed(2)} ms`;
console.log(
  `${row.set}: ${row.frames} frames of ${row.rowsPerFrame.toFixed(0)} rows at ${flags.rate} Hz, ${flags.associate}; objects with an error ${row.objectsInError}`,
);
console.log(
  `  delay           ${show(row.delay)}; ${row.late} of ${settled.length} above ${step} ms; the last ${row.last.toFixed(2)}`,
);
console.log(`  first quarter   ${show(row.delayFirstQuarter)}`);
console.log(`  feeder itself   ${show(row.feederLate)}`);
console.log(
  `  tracking alone  mean ${times.wall.mean.toFixed(3)}, p99 ${times.wall.p99.toFixed(3)}, p99.9 ${times.wall.p999.toFixed(3)}, worst ${times.wall.worst.toFixed(3)} ms by the wall clock; CPU (${times.cpuClock}) mean ${times.cpu.mean.toFixed(3)}, worst ${times.cpu.worst.toFixed(3)}`,
);
