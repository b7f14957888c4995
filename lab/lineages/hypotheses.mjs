/**
 * An embryo-like instance of segmentation hypotheses: cells that move in a box; of each one hypothesis that is right, its two halves, and one with each near neighbour, which
 * exclude each other. Links cost less the nearer and the more alike two hypotheses are.
 *
 *     node lab/lineages/hypotheses.mjs FOLDER [--cells 40] [--frames 10] [--seed 1]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { randomStreams } from "../../dist/core/random.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cells: { type: "string", default: "40" },
    frames: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
  },
});
const [folder] = positionals;
const [cells, frames, seed] = ["cells", "frames", "seed"].map((name) => Number(values[name]));
const random = randomStreams(seed).next().value;
const normal = () => Math.sqrt(-2 * Math.log(1 - random.uniform(0, 1))) * Math.cos(random.uniform(0, 2 * Math.PI));

/** Cells have the radius 1 and half the box each to themselves; neighbours nearer than 2.2 may be taken for one. */
const side = Math.cbrt(8 * cells);
const [STEP, NEAR, GATE] = [0.35, 2.2, 1.5];
const places = Array.from({ length: cells }, () => [0, 1, 2].map(() => random.uniform(0, side)));
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Hypotheses by frame: place, size, and the cells that they cover. */
const all = [];
const sets = [];
for (let p = 0; p < frames; p++) {
  const here = [];
  const covering = Array.from({ length: cells }, () => ({ whole: -1, halves: [], merged: [] }));
  const add = (place, size) => here.push({ place, size }) - 1;
  const shaken = (place) => place.map((x) => x + 0.15 * normal());
  places.forEach((place, c) => {
    if (random.uniform(0, 1) < 0.97) covering[c].whole = add(shaken(place), 1 + 0.1 * normal());
    const axis = [normal(), normal(), normal()];
    const length = 2 * Math.hypot(...axis);
    for (const sign of [1, -1])
      covering[c].halves.push(add(shaken(place.map((x, k) => x + (sign * axis[k]) / length)), 0.5 + 0.1 * normal()));
  });
  for (const [a, b] of nearPairs(places, NEAR)) {
    const middle = places[a].map((x, k) => (x + places[b][k]) / 2);
    const merged = add(shaken(middle), 2 + 0.2 * normal());
    covering[a].merged.push(merged);
    covering[b].merged.push(merged);
  }
  for (const { whole, halves, merged } of covering)
    for (const half of halves) sets.push({ frame: p, members: [half, ...(whole < 0 ? [] : [whole]), ...merged] });
  all.push(here);
  for (const place of places) for (let k = 0; k < 3; k++) place[k] += STEP * normal();
}

function nearPairs(points, radius, others = points) {
  const grid = new Map();
  const cell = (place) => place.map((x) => Math.floor(x / radius));
  others.forEach((place, n) => {
    const key = cell(place).join();
    grid.set(key, [...(grid.get(key) ?? []), n]);
  });
  const pairs = [];
  points.forEach((place, n) => {
    const [x, y, z] = cell(place);
    for (const dx of [-1, 0, 1])
      for (const dy of [-1, 0, 1])
        for (const dz of [-1, 0, 1])
          for (const m of grid.get([x + dx, y + dy, z + dz].join()) ?? [])
            if ((points !== others || n < m) && distance(place, others[m]) < radius) pairs.push([n, m]);
  });
  return pairs;
}

const pairs = ["frame,i,j,cost"];
for (let p = 0; p + 1 < frames; p++) {
  const [from, to] = [all[p], all[p + 1]];
  const near = nearPairs(
    from.map(({ place }) => place),
    GATE,
    to.map(({ place }) => place),
  );
  for (const [i, j] of near) {
    const d = distance(from[i].place, to[j].place);
    const alike = Math.min(from[i].size, to[j].size) / Math.max(from[i].size, to[j].size);
    const worth = 2 * Math.exp(-(d ** 2)) * alike ** 2 + 0.2 * normal();
    if (worth > 0.02) pairs.push(`${p},${i},${j},${(-worth).toFixed(6)}`);
  }
}
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/pairs.csv`, `${pairs.join("\n")}\n`);
const rows = sets.flatMap(({ frame, members }, s) => members.map((i) => `${frame},${i},${s}`));
writeFileSync(`${folder}/exclusions.csv`, `frame,i,set\n${rows.join("\n")}\n`);
const counts = all.map((here) => here.length);
writeFileSync(`${folder}/instance.json`, `${JSON.stringify({ counts, birth: 0.6, death: 0.4, unused: 0 })}\n`);
console.log(`${counts.reduce((a, b) => a + b, 0)} hypotheses, ${pairs.length - 1} links, ${sets.length} sets`);
