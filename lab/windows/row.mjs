// A long run as a row: node lab/windows/row.mjs RESULT_FOLDER TIME_FILE >> results/windows.jsonl
// TIME_FILE is what /usr/bin/time -v -o TIME_FILE wrote about the rmap that made RESULT_FOLDER; lab/notes/windows.md §4 has the commands.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, timeFile] = process.argv.slice(2);
const row = JSON.parse(readFileSync(join(folder, "result.json"), "utf8"));
const measured = readFileSync(timeFile, "utf8");

/** @param {string} label */
function number(label) {
  const line = measured.split("\n").find((text) => text.trim().startsWith(label));
  const value = Number(line?.split(": ").at(-1));
  if (!Number.isFinite(value)) throw new Error(`${timeFile}: no line "${label}"; make it with /usr/bin/time -v`);
  return value;
}

if (number("Exit status") !== 0) throw new Error(`${timeFile}: that run failed`);
const times = { ...row.times, user: number("User time"), system: number("System time") };
const notes = [...row.notes, `Most memory: ${number("Maximum resident set size")} kB (/usr/bin/time -v).`];
process.stdout.write(`${JSON.stringify({ ...row, times, notes })}\n`);
