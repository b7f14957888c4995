/**
 * An instance folder without triplets, whose unused detections cost nothing, in libmpopt's text: a division for each two links out of a detection that may divide.
 *
 *     node lab/lineages/as-text.mjs FOLDER FILE
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvParse } from "d3-dsv";

const [folder, file] = process.argv.slice(2);
const { counts, birth, death } = JSON.parse(readFileSync(join(folder, "instance.json"), "utf8"));
const rowsOf = (name) => {
  try {
    return csvParse(readFileSync(join(folder, `${name}.csv`), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
};
const start = [0];
for (const count of counts) start.push(start.at(-1) + count);
const idOf = (frame, i) => start[Number(frame)] + Number(i);
const lines = [];
let variable = 0;
for (const [frame, count] of counts.entries())
  for (let i = 0; i < count; i++) {
    const id = idOf(frame, i);
    const [begins, ends] = [frame === 0 ? 0 : birth, frame === counts.length - 1 ? 0 : death];
    lines.push(`H ${frame} ${id} 0`, `APP ${variable++} ${id} ${begins}`, `DISAPP ${variable++} ${id} ${ends}`);
  }
const out = new Map();
for (const { frame, i, j, cost } of rowsOf("pairs")) {
  const [from, to] = [idOf(frame, i), idOf(Number(frame) + 1, j)];
  lines.push(`MOVE ${variable++} ${from} ${to} ${cost}`);
  if (!out.has(from)) out.set(from, []);
  out.get(from).push([to, Number(cost)]);
}
for (const { frame, i, cost } of rowsOf("divisions")) {
  const links = out.get(idOf(frame, i)) ?? [];
  for (const [n, [j, a]] of links.entries())
    for (const [k, b] of links.slice(0, n))
      lines.push(`DIV ${variable++} ${idOf(frame, i)} ${j} ${k} ${a + b + Number(cost)}`);
}
const sets = new Map();
for (const { frame, i, set } of rowsOf("exclusions")) {
  if (!sets.has(set)) sets.set(set, []);
  sets.get(set).push(idOf(frame, i));
}
for (const members of sets.values()) lines.push(`CONFSET ${members.join(" + ")} <= 1`);
writeFileSync(file, `${lines.join("\n")}\n`);
