/**
 * Best-bin-first search of SIFT descriptors (Lowe 2004 §7.2; Mücke 2007 names it) beside the exact one: recall against time and against distances computed.
 *
 *     npm run build && node lab/features/best-bin-first.mjs [IMAGE IMAGE] [--top 5000] [--rows lab/results/features-choices.jsonl]
 *
 * A k-d tree over the second image's descriptors, halved at the median of the number that varies most; buckets of 8; nodes are visited in the order of their least possible distance until
 * so many descriptors were compared. Recall: the share of the first image's descriptors whose nearest is found, and of the matches by Lowe's ratio of 0.8 that come out the same.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { detectSift, SIFT_DEFAULTS } from "rmap/pixels";
import { DESCRIPTOR_LENGTH, strongestPlaces } from "../../dist/core/keypoints.js";
import { nearestOnCpu, squareDistance } from "../../dist/pixels/features/match.js";
import { provenance } from "../../dist/rows/provenance.js";
import { readFeatureImage } from "../../dist/run/features/image.js";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { top: { type: "string", default: "5000" }, rows: { type: "string" } },
});
const files =
  positionals.length === 2 ? positionals : ["left", "right"].map((name) => `../shared/images/cudasift-${name}.pgm`);
for (const file of files) if (!existsSync(file)) throw new Error(`${file} is not there; name two images of one scene`);
const BUCKET = 8;
const RATIO = 0.8;

/** @typedef {{ members: Uint32Array, dimension: number, at: number, low: Node | null, high: Node | null }} Node */

/** @returns {Node} */
function treeOf(descriptors, members) {
  const leaf = { members, dimension: 0, at: 0, low: null, high: null };
  if (members.length <= BUCKET) return leaf;
  let [dimension, most] = [0, -1];
  for (let d = 0; d < DESCRIPTOR_LENGTH; d++) {
    let [sum, squares] = [0, 0];
    for (const member of members) {
      const value = descriptors[member * DESCRIPTOR_LENGTH + d];
      sum += value;
      squares += value * value;
    }
    const variance = squares - sum ** 2 / members.length;
    if (variance > most) [dimension, most] = [d, variance];
  }
  const numberOf = (member) => descriptors[member * DESCRIPTOR_LENGTH + dimension];
  const sorted = members.slice().sort((a, b) => numberOf(a) - numberOf(b));
  let middle = sorted.length >> 1;
  while (middle > 0 && numberOf(sorted[middle - 1]) === numberOf(sorted[middle])) middle--;
  if (middle === 0) return leaf;
  const at = (numberOf(sorted[middle - 1]) + numberOf(sorted[middle])) / 2;
  return {
    members,
    dimension,
    at,
    low: treeOf(descriptors, sorted.subarray(0, middle)),
    high: treeOf(descriptors, sorted.subarray(middle)),
  };
}

/** The two nearest among the first `checks` descriptors that are met. */
function search(tree, descriptors, query, from, checks) {
  const heap = [{ bound: 0, node: tree }];
  const found = { nearest: -1, best: Number.POSITIVE_INFINITY, second: Number.POSITIVE_INFINITY };
  let compared = 0;
  while (heap.length > 0 && compared < checks) {
    const { bound, node: top } = pop(heap);
    if (bound >= found.second) break;
    let node = top;
    while (node.low !== null && node.high !== null) {
      const apart = query[from + node.dimension] - node.at;
      push(heap, { bound: bound + apart * apart, node: apart < 0 ? node.high : node.low });
      node = apart < 0 ? node.low : node.high;
    }
    for (const member of node.members) {
      const square = squareDistance(query, from, descriptors, member * DESCRIPTOR_LENGTH);
      if (square < found.best) {
        found.second = found.best;
        found.best = square;
        found.nearest = member;
      } else if (square < found.second) found.second = square;
      compared++;
    }
  }
  return { ...found, compared };
}

function push(heap, item) {
  let k = heap.push(item) - 1;
  for (; k > 0 && heap[(k - 1) >> 1].bound > item.bound; k = (k - 1) >> 1) heap[k] = heap[(k - 1) >> 1];
  heap[k] = item;
}

function pop(heap) {
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0) return top;
  let k = 0;
  for (;;) {
    let child = 2 * k + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1].bound < heap[child].bound) child++;
    if (heap[child].bound >= last.bound) break;
    heap[k] = heap[child];
    k = child;
  }
  heap[k] = last;
  return top;
}

const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const sides = [];
for (const file of files) {
  const image = await readFeatureImage(file, () => {});
  const { keypoints } = await detectSift(image, SIFT_DEFAULTS, { device: null });
  sides.push(strongestPlaces(keypoints, Number(values.top)).descriptors);
}
const [a, b] = sides;
const [n, m] = sides.map(({ length }) => length / DESCRIPTOR_LENGTH);
let begin = seconds();
const exact = nearestOnCpu(a, b);
const exactSeconds = seconds() - begin;
const passes = (best, second) => best < RATIO ** 2 * second;
begin = seconds();
const tree = treeOf(
  b,
  Uint32Array.from({ length: m }, (_, k) => k),
);
const treeSeconds = seconds() - begin;
console.log(`${n} × ${m} descriptors: exact ${exactSeconds.toFixed(2)} CPU s, tree ${treeSeconds.toFixed(2)}`);
for (const checks of [25, 50, 100, 200, 400, 800, 1600]) {
  begin = seconds();
  let [same, matches, sameMatches, wrongMatches, compared] = [0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const found = search(tree, b, a, i * DESCRIPTOR_LENGTH, checks);
    compared += found.compared;
    const isSame = found.best === exact.best[i];
    if (isSame) same++;
    const [matched, wanted] = [passes(found.best, found.second), passes(exact.best[i], exact.second[i])];
    if (wanted) matches++;
    if (wanted && matched && isSame) sameMatches++;
    if (matched && !(wanted && isSame)) wrongMatches++;
  }
  const used = seconds() - begin;
  const row = {
    benchmark: "best-bin-first",
    descriptors: [n, m],
    checks,
    compared: compared / n,
    recallPercent: (100 * same) / n,
    matches,
    matchRecallPercent: (100 * sameMatches) / matches,
    wrongMatches,
    cpuSeconds: used,
    treeSeconds,
    exactSeconds,
  };
  keepRow(values.rows, { ...row, ...provenance(new Date()) });
  console.log(
    `${String(checks).padStart(5)} compared: nearest ${row.recallPercent.toFixed(1)} %, matches ${row.matchRecallPercent.toFixed(1)} % of ${matches}, ${wrongMatches} others; ${used.toFixed(2)} CPU s, exact ${(exactSeconds / (used + treeSeconds)).toFixed(1)} times`,
  );
}
