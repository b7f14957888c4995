#!/usr/bin/env node
/**
 * `rmap detect --method blobs` against scikit-image's blob_log on made images: found, false, and the error of the place.
 *
 *     apt-get install python3-skimage; npm run build && node lab/blobs/blobs.mjs [--seeds 16] [--rows lab/results/blobs.jsonl]
 *     node lab/blobs/blobs.mjs --table [lab/notes/blobs.md]                                       the table from rows alone
 *
 * Gaussian spots of random places and equal contrast on a slope, white noise, rounded to integers of 8 or 16 bits; `crowded` spots lie 4 σ apart and fill a
 * third of the image. A spot is found by what lies within its σ or 1.5 pixels, each with the nearest. Both detectors know the same range of sizes, two thirds to one and a half of the spots';
 * `blob_log, σ known` knows the size itself. Thresholds are chosen for each scene and method as the least with one false spot an image or fewer
 * in the images of odd seeds, and judged by those of even seeds. `rmap, default` has the threshold that users get, and chooses nothing.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { BLOB_DEFAULTS, detectBlobs } from "rmap/pixels";
import { randomStreams } from "../../dist/core/random.js";
import { encodeNpy } from "../../dist/files/npy-writer.js";
import { writeWhole } from "../../dist/files/whole-file.js";
import { provenance } from "../../dist/rows/provenance.js";
import { putTable } from "../docs-table.mjs";
import { keepRow, rowsOf } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "lab/results/blobs.jsonl" },
    seeds: { type: "string", default: "16" },
    side: { type: "string", default: "256" },
    snr: { type: "string", default: "2,3,5,10" },
    python: { type: "string", default: "/usr/bin/python3" },
    /** For machines without scikit-image: rmap alone. */
    alone: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
  },
});

/** σ of the spots, and the grey levels of one σ of noise. */
const SIZES = [
  { name: "σ 1.2", sigmas: [1.2], bits: 16, noise: 200 },
  { name: "σ 2.5", sigmas: [2.5], bits: 8, noise: 8 },
  { name: "σ 1.2 to 4", sigmas: [1.2, 2.2, 4], bits: 16, noise: 200 },
];
const TOLERANCE = 1.5;
const FALSE_PER_IMAGE = 1;
const DIAMETER = 2 * Math.SQRT2;
/** Of blob_log's response to noise of 1, the greatest first. */
const LOG_THRESHOLDS = Array.from({ length: 64 }, (_, k) => 6 / 1.05 ** k);
const SCORES = Array.from({ length: 64 }, (_, k) => 12 / 1.035 ** k);
/** Lists of more false spots than this in an image are not looked at. */
const MOST_FALSE = 60;

const side = Number(values.side);
const thirdOf = (least) => Math.floor((side * side) / 3 / (4 * least) ** 2);

/** Places at least `apart` mean σ from each other and 8 pixels from the border, as many as fit in many tries. */
function spotsOf(random, sigmas, count, apart) {
  const spots = [];
  const between = (from, to) => random.uniform(from, to);
  for (let tries = 0; spots.length < count && tries < 200 * count; tries++) {
    const sigma = sigmas[Math.floor(random.uniform(0, sigmas.length))];
    const [x, y] = [between(8, side - 8), between(8, side - 8)];
    if (spots.every((o) => Math.hypot(o.x - x, o.y - y) > (apart * (o.sigma + sigma)) / 2)) spots.push({ x, y, sigma });
  }
  return spots;
}

function sceneOf({ sigmas, bits, noise }, snr, crowded, seed) {
  const [random] = randomStreams(seed);
  const mean = Math.sqrt(sigmas.reduce((sum, sigma) => sum + sigma ** 2, 0) / sigmas.length);
  const spots = crowded ? spotsOf(random, sigmas, thirdOf(mean), 4) : spotsOf(random, sigmas, 30, 12);
  const plain = Float64Array.from({ length: side * side }, (_, p) => noise * (8 + (2 * (p % side)) / side));
  for (const { x, y, sigma } of spots) {
    const reach = Math.ceil(6 * sigma);
    for (let row = Math.max(0, Math.floor(y) - reach); row <= Math.min(side - 1, y + reach); row++)
      for (let column = Math.max(0, Math.floor(x) - reach); column <= Math.min(side - 1, x + reach); column++)
        plain[row * side + column] += snr * noise * Math.exp(-((column - x) ** 2 + (row - y) ** 2) / (2 * sigma ** 2));
  }
  const most = 2 ** bits - 1;
  const rounded = plain.map((value) => Math.min(most, Math.max(0, Math.round(value + noise * random.normal()))));
  return { spots, pixels: bits === 8 ? Uint8Array.from(rounded) : Uint16Array.from(rounded) };
}

/** Each spot with the nearest of what was found, one to one, nearest pairs first. */
function judge(spots, found) {
  const pairs = [];
  for (const [t, { x, y, sigma }] of spots.entries()) {
    const reach = Math.max(1.5, sigma);
    for (const [f, blob] of found.entries()) {
      if (Math.abs(blob.x - x) > reach || Math.abs(blob.y - y) > reach) continue;
      const distance = Math.hypot(blob.x - x, blob.y - y);
      if (distance <= reach) pairs.push([distance, t, f]);
    }
  }
  pairs.sort((a, b) => a[0] - b[0]);
  const [usedSpots, usedFound] = [new Set(), new Set()];
  let [squares, sizes] = [0, 0];
  for (const [distance, t, f] of pairs) {
    if (usedSpots.has(t) || usedFound.has(f)) continue;
    usedSpots.add(t);
    usedFound.add(f);
    squares += distance ** 2;
    sizes += Math.log(found[f].sigma / spots[t].sigma) ** 2;
  }
  const hits = usedSpots.size;
  return { spots: spots.length, hits, false: found.length - hits, squares, sizes };
}

const summed = (judged) => {
  const total = { spots: 0, hits: 0, false: 0, squares: 0, sizes: 0 };
  for (const one of judged) for (const key of Object.keys(total)) total[key] += one[key];
  return total;
};

function openPeer() {
  const child = spawn(values.python, [join(import.meta.dirname, "blob_log.py")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("blob_log.py has ended");
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

/** Of each image what every threshold finds: methods by name. */
async function foundIn({ spots, pixels }, size, [least, greatest], file, peer, check) {
  /** @type {import("rmap/pixels").BlobOptions} */
  const options = { ...BLOB_DEFAULTS, diameter: [DIAMETER * least, DIAMETER * greatest] };
  const image = { width: side, height: side, pixels };
  const run = async (threshold) => {
    const { blobs } = await detectBlobs(image, { ...options, threshold }, { device: null });
    return blobs.map((blob) => ({ ...blob, sigma: blob.diameter / DIAMETER }));
  };
  const all = await run(SCORES.at(-1));
  const most = spots.length + MOST_FALSE;
  const few = (lists) => lists.filter((list) => list.length <= most);
  const methods = {
    rmap: few(SCORES.map((least) => all.filter(({ score }) => score >= least))),
    "rmap, default": [await run(null)],
  };
  if (peer === null) return { methods, version: null };
  const scaled = Float32Array.from(pixels, (value) => value / size.noise);
  writeWhole(file, encodeNpy([side, side], scaled));
  const ask = async (least, greatest, count) => {
    const { version, found } = await peer.ask({
      file,
      least,
      greatest,
      count,
      thresholds: LOG_THRESHOLDS,
      most,
      check,
    });
    return { version, blobs: found.map((list) => list.map(([x, y, sigma]) => ({ x, y, sigma }))) };
  };
  const log = await ask(least, greatest, 10);
  methods.blob_log = log.blobs;
  if (size.sigmas.length === 1) methods["blob_log, σ known"] = (await ask(size.sigmas[0], size.sigmas[0], 1)).blobs;
  return { methods, version: log.version };
}

async function measure(size, snr, crowded, peer, folder) {
  /** @type {[number, number]} */
  const range = [Math.min(...size.sigmas) / TOLERANCE, Math.max(...size.sigmas) * TOLERANCE];
  const judged = {};
  let peerVersion = null;
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const scene = sceneOf(size, snr, crowded, 1000 * seed + 10 * snr + Number(crowded));
    const { methods, version } = await foundIn(
      scene,
      size,
      range,
      join(folder, "image.npy"),
      peer,
      seed === 1 ? 30 : null,
    );
    peerVersion = version;
    for (const [method, found] of Object.entries(methods)) {
      judged[method] ??= [];
      judged[method].push({ seed, each: found.map((blobs) => judge(scene.spots, blobs)) });
    }
  }
  for (const [method, images] of Object.entries(judged)) {
    const [odd, even] = [1, 0].map((rest) => images.filter(({ seed }) => seed % 2 === rest));
    const at = (some, k) => summed(some.map(({ each }) => each[k]));
    const count = Math.min(...images.map(({ each }) => each.length));
    let chosen = 0;
    while (chosen < count - 1 && at(odd, chosen + 1).false <= FALSE_PER_IMAGE * odd.length) chosen++;
    const { spots, hits, false: falses, squares, sizes } = at(even, chosen);
    const thresholds = method === "rmap" ? SCORES : method === "rmap, default" ? [null] : LOG_THRESHOLDS;
    const row = {
      benchmark: "blobs",
      method,
      peer: method.startsWith("blob_log") ? `scikit-image ${peerVersion}` : null,
      size: size.name,
      bits: size.bits,
      crowded,
      snr,
      images: even.length,
      side,
      threshold: thresholds[chosen],
      spots,
      recall: hits / spots,
      falsePerImage: falses / even.length,
      error: Math.sqrt(squares / hits),
      sizeError: Math.sqrt(sizes / hits),
      ...provenance(new Date()),
    };
    keepRow(values.rows, row);
    const told = [
      size.name,
      crowded ? "crowded" : "sparse",
      `SNR ${snr}`,
      method.padEnd(18),
      `found ${row.recall.toFixed(3)}`,
    ];
    console.log(
      ...told,
      `false ${row.falsePerImage.toFixed(2)}`,
      `error ${row.error.toFixed(3)} px, size ${row.sizeError.toFixed(3)}`,
    );
  }
}

/** The last row of each scene and method. */
function table() {
  const rows = new Map(rowsOf(values.rows).map((row) => [`${row.size} ${row.crowded} ${row.snr} ${row.method}`, row]));
  const lines = [
    "| spots | | SNR | rmap: found, false, px | rmap, default | blob_log | blob_log, σ known |",
    "|---|---|--:|---|---|---|---|",
  ];
  const cell = (row) =>
    row === undefined
      ? "–"
      : `${(100 * row.recall).toFixed(1)} %, ${row.falsePerImage.toFixed(2)}, ${row.error.toFixed(2)}`;
  for (const { name, bits } of SIZES)
    for (const crowded of [false, true])
      for (const snr of [2, 3, 5, 10]) {
        const of = (method) => cell(rows.get(`${name} ${crowded} ${snr} ${method}`));
        const methods = ["rmap", "rmap, default", "blob_log", "blob_log, σ known"].map(of);
        lines.push(`| ${name}, ${bits} bits | ${crowded ? "crowded" : "sparse"} | ${snr} | ${methods.join(" | ")} |`);
      }
  return `${lines.join("\n")}\n`;
}

if (values.table) {
  const text = table();
  process.stdout.write(text);
  if (positionals[0] !== undefined) putTable(positionals[0], "blobs", text);
} else {
  const folder = mkdtempSync(join(tmpdir(), "rmap-blobs-"));
  const peer = values.alone ? null : openPeer();
  try {
    for (const size of SIZES)
      for (const crowded of [false, true])
        for (const snr of values.snr.split(",").map(Number)) await measure(size, snr, crowded, peer, folder);
  } finally {
    peer?.end();
    rmSync(folder, { recursive: true });
  }
}
