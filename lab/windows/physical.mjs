/**
 * The cores of a machine as sets for taskset, a line each: a physical core with all its hardware threads.
 *
 *     node lab/windows/physical.mjs CORES [ROWS]
 *
 * A virtual machine need not say which of its processors share a core. So copies of one loop are run at once on every second processor, on the first half of them,
 * and on all: those that share a core do less work each. Where neither half does more than the other by a tenth, each processor passes for a core.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

const MORE = 1.1;
const [cores, rows] = process.argv.slice(2);
const all = Array.from({ length: availableParallelism() }, (_, k) => k);

/** Four streams that do not wait for one another, so that one thread fills its core. */
const LOOP = `
  let [a, b, c, d, rounds] = [1, 2, 3, 4, 0];
  const turn = (n) => { for (let k = 0; k < n; k++) {
    a ^= a << 13; b ^= b << 13; c ^= c << 13; d ^= d << 13; a ^= a >>> 17; b ^= b >>> 17; c ^= c >>> 17; d ^= d >>> 17; a ^= a << 5; b ^= b << 5; c ^= c << 5; d ^= d << 5;
  } };
  for (let k = 0; k < 20; k++) turn(1e5);
  const until = Number(process.argv[1]);
  while (Date.now() < until - 1000);
  while (Date.now() < until) { turn(1e5); rounds++; }
  console.log(rounds + 0 * (a + b + c + d));`;

/** Rounds of each processor in a second, all at once. */
function rates(processors) {
  const until = Date.now() + 2500;
  return Promise.all(
    processors.map(
      (processor) =>
        new Promise((resolve) => {
          const child = spawn("taskset", ["-c", `${processor}`, process.execPath, "-e", LOOP, `${until}`]);
          let text = "";
          child.stdout.on("data", (piece) => {
            text += piece;
          });
          child.on("close", () => resolve(Number(text)));
        }),
    ),
  );
}
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const stated = all.map((k) => {
  try {
    return readFileSync(`/sys/devices/system/cpu/cpu${k}/topology/thread_siblings_list`, "utf8").trim();
  } catch {
    return `${k}`;
  }
});
const half = all.length >> 1;
const [alone, second, first, together] = [
  mean(await rates([0])),
  mean(await rates(all.filter((k) => k % 2 === 0))),
  mean(await rates(all.slice(0, half))),
  mean(await rates(all)),
];
let sets = [...new Set(stated)];
let by = sets.length < all.length ? "stated" : "none";
if (by === "none" && half > 1) {
  by = second > MORE * first ? "neighbours" : first > MORE * second ? "halves" : "none";
  if (by === "neighbours") sets = all.slice(0, half).map((k) => `${2 * k},${2 * k + 1}`);
  if (by === "halves") sets = all.slice(0, half).map((k) => `${k},${k + half}`);
}
const rate = { everySecond: second / alone, firstHalf: first / alone, all: together / alone };
const row = { benchmark: "windows-cores", kind: "topology", processors: all.length, physical: sets.length, by, rate };
if (rows !== undefined)
  appendFileSync(rows, `${JSON.stringify({ ...row, cpu: cpus()[0].model, date: new Date().toISOString() })}\n`);
console.error(row);
console.log(sets.slice(0, Number(cores)).join("\n"));
