/**
 * An embryo-like instance as trees of a segmentation give it: cells that move and divide in a volume, and in each frame a tree of hypotheses over them. Its leaves are the halves of cells;
 * a cell is a node above them, and clumps of near cells are nodes above that. Two hypotheses on one path to the root exclude each other. Links are worth more the more two
 * hypotheses overlap; a division links one hypothesis with two.
 *
 *     node lab/lineages/embryo.mjs FOLDER [--cells 500] [--frames 40] [--seed 1]
 *
 * `--cells` is their number in the middle of the recording.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { randomStreams } from "../../dist/core/random.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cells: { type: "string", default: "500" },
    frames: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
  },
});
const [folder] = positionals;
const [cells, frames, seed] = ["cells", "frames", "seed"].map((name) => Number(values[name]));
const random = randomStreams(seed).next().value;
const normal = () => Math.sqrt(-2 * Math.log(1 - random.uniform(0, 1))) * Math.cos(random.uniform(0, 2 * Math.PI));

/** Cells have the radius 1, and 6 units of the box each to themselves in the middle of the recording. Steps, the reach of a link, of a clump, and the chance that a cell divides in a frame. */
const [STEP, GATE, CLUMP, MOST_IN_CLUMP, DIVIDES] = [0.3, 1.9, 2.2, 6, 0.01];
/** Seen of a hypothesis: its place and volume are shaken; some cells have no node of their own. */
const [SHAKEN, MISSED] = [0.15, 0.03];
const side = Math.cbrt(6 * cells);
const born = Math.round(cells * (1 + DIVIDES) ** (-frames / 2));
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const shaken = (place, by) => place.map((x) => x + by * normal());

/** Pairs of points of two lists that are nearer than a radius. */
function nearPairs(points, others, radius) {
  const grid = new Map();
  const cellOf = (place) => place.map((x) => Math.floor(x / radius));
  for (const [n, place] of others.entries()) {
    const key = cellOf(place).join();
    if (!grid.has(key)) grid.set(key, []);
    grid.get(key).push(n);
  }
  return points.flatMap((place, n) => {
    const [x, y, z] = cellOf(place);
    const found = [];
    for (const dx of [-1, 0, 1])
      for (const dy of [-1, 0, 1])
        for (const dz of [-1, 0, 1])
          for (const m of grid.get([x + dx, y + dy, z + dz].join()) ?? [])
            if (distance(place, others[m]) < radius) found.push([n, m]);
    return found;
  });
}

/** The hypotheses of a frame, each with its place and its volume, and the paths from the leaves to the roots. */
function segment(places) {
  const nodes = [];
  const above = [];
  const add = (place, volume, below) => {
    const node = nodes.push({ place: shaken(place, SHAKEN), volume: volume * Math.exp(0.1 * normal()) }) - 1;
    above.push(-1);
    for (const one of below) above[one] = node;
    return node;
  };
  const clumps = places.map((place) => {
    const axis = [normal(), normal(), normal()];
    const length = 2 * Math.hypot(...axis);
    const halves = [1, -1].map((sign) =>
      add(
        place.map((x, k) => x + (sign * axis[k]) / length),
        0.5,
        [],
      ),
    );
    return { place, volume: 1, cells: 1, tops: random.uniform(0, 1) < MISSED ? halves : [add(place, 1, halves)] };
  });
  const inClump = [...clumps];
  const near = nearPairs(places, places, CLUMP)
    .filter(([a, b]) => a < b)
    .map(([a, b]) => [distance(places[a], places[b]), a, b]);
  for (const [, a, b] of near.sort((x, y) => x[0] - y[0])) {
    const [one, other] = [inClump[a], inClump[b]];
    if (one === other || one.cells + other.cells > MOST_IN_CLUMP) continue;
    const volume = one.volume + other.volume;
    const place = one.place.map((x, k) => (x * one.volume + other.place[k] * other.volume) / volume);
    const tops = [add(place, volume, [...one.tops, ...other.tops])];
    const both = { place, volume, cells: one.cells + other.cells, tops };
    for (const [c, clump] of inClump.entries()) if (clump === one || clump === other) inClump[c] = both;
  }
  const inner = new Set(above);
  const leaves = [...above.keys()].filter((node) => !inner.has(node));
  const paths = leaves.map((leaf) => {
    const path = [leaf];
    while (above[path.at(-1)] >= 0) path.push(above[path.at(-1)]);
    return path;
  });
  return { nodes, paths };
}

let places = Array.from({ length: born }, () => [0, 1, 2].map(() => random.uniform(0, side)));
const all = [];
for (let p = 0; p < frames; p++) {
  all.push(segment(places));
  places = places.flatMap((place) => {
    const moved = shaken(place, STEP).map((x) => Math.min(side, Math.max(0, x)));
    if (random.uniform(0, 1) >= DIVIDES) return [moved];
    const axis = [normal(), normal(), normal()];
    const length = 1.6 * Math.hypot(...axis);
    return [1, -1].map((sign) => moved.map((x, k) => x + (sign * axis[k]) / length));
  });
}

const pairs = [];
const divisions = [];
for (let p = 0; p + 1 < frames; p++) {
  const [from, to] = [all[p].nodes, all[p + 1].nodes];
  const placeOf = ({ place }) => place;
  for (const [i, j] of nearPairs(from.map(placeOf), to.map(placeOf), GATE)) {
    const [a, b] = [from[i], to[j]];
    const size = Math.cbrt(Math.max(a.volume, b.volume));
    const alike = Math.min(a.volume, b.volume) / Math.max(a.volume, b.volume);
    const overlap = Math.exp(-((distance(a.place, b.place) / size) ** 2)) * alike;
    // A link of two hypotheses that cover more is worth more, as that of a clump replaces those of its cells.
    const worth = overlap ** 2 * Math.sqrt(a.volume * b.volume) ** 0.5 * Math.exp(0.2 * normal());
    if (worth > 0.005) pairs.push(`${p},${i},${j},${(-worth).toFixed(6)}`);
  }
  if (p > 0) for (const [i] of from.entries()) divisions.push(`${p},${i},0.02`);
}
const exclusions = [];
let set = 0;
for (const [p, { paths }] of all.entries()) {
  for (const path of paths) {
    if (path.length > 1) for (const node of path) exclusions.push(`${p},${node},${set}`);
    set++;
  }
}
mkdirSync(folder, { recursive: true });
const write = (name, head, rows) => writeFileSync(`${folder}/${name}.csv`, `${[head, ...rows].join("\n")}\n`);
write("pairs", "frame,i,j,cost", pairs);
write("divisions", "frame,i,cost", divisions);
write("exclusions", "frame,i,set", exclusions);
const counts = all.map(({ nodes }) => nodes.length);
writeFileSync(`${folder}/instance.json`, `${JSON.stringify({ counts, birth: 0.2, death: 0.1, unused: 0 })}\n`);
console.log(`${counts.reduce((a, b) => a + b, 0)} hypotheses, ${pairs.length} links, ${set} paths`);
