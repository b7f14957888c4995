/**
 * Errors of the flow where things hide each other, move far and blur: a made stand-in for MPI-Sintel (Table 2b and Fig. 13 of Romera et al. 2023), which is not here. And
 * the choice of a pyramid and a presmoothing, on the first half of the made pairs.
 *
 *     npm run build && node lab/flow/layered.mjs [--rows lab/results/flow-layered.jsonl] [--seeds 1,2] [--scenes slow,middle,fast] [--size 1024x436] [--device cpu]
 *     node lab/flow/layered.mjs --choose [--pairs ../shared/flow] [--rows …]     settings of the quality preset; the shared pairs are reported, and not chosen on
 *     node lab/flow/layered.mjs --table lab/notes/flow.md
 *
 * A scene is a ground and eight textured ellipses before it, each of which moves and turns evenly; ground and ellipses at most by the scene's speed. A frame is the mean of eight
 * moments of half a frame's time, as a shutter makes it. The truth is the motion of what is seen in the middle of the first frame to the middle of the second. It is scored as
 * Sintel's is: everywhere, where the pixel is seen in the second frame too (matched), and by its speed.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readFrame } from "rmap";
import { readFlo } from "rmap/formats";
import { computeFlow, FLOW_PRESETS, toGrey } from "rmap/pixels";
import { scoreFlow } from "rmap/scores";
import { randomStreams } from "../../dist/core/random.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openFlow } from "../../dist/run/flow.js";
import { deviceNamed } from "../device.mjs";
import { putTable } from "../docs-table.mjs";
import { keepRow, rowsOf } from "../rows.mjs";

const { values } = parseArgs({
  options: {
    rows: { type: "string" },
    seeds: { type: "string", default: "1,2" },
    scenes: { type: "string", default: "slow,middle,fast" },
    size: { type: "string", default: "1024x436" },
    device: { type: "string", default: "cpu" },
    choose: { type: "boolean", default: false },
    pairs: { type: "string", default: fileURLToPath(new URL("../../../shared/flow", import.meta.url)) },
    table: { type: "string" },
  },
});

/** Greatest speed in px a frame. */
const SCENES = { slow: 2, middle: 10, fast: 50 };
const ELLIPSES = 8;
const MOMENTS = 8;
const SHUTTER = 0.5;
const SIDE = 256;
const WAVES = 50;
const ITERATIONS = [5, 10, 20, 50, 100];
const { paper, quality } = FLOW_PRESETS;
/** Table 2b has five levels. */
const PAPER = { ...paper, levels: 5 };

/** A texture that repeats after SIDE pixels: waves whose amplitude falls with the root of their frequency. */
function textureOf(random) {
  const pixels = new Float32Array(SIDE * SIDE);
  for (let wave = 0; wave < WAVES; wave++) {
    const [size, direction, phase] = [
      1.5 * 25 ** random.uniform(),
      2 * Math.PI * random.uniform(),
      2 * Math.PI * random.uniform(),
    ];
    const [kx, ky] = [Math.round(size * Math.cos(direction)), Math.round(size * Math.sin(direction))];
    const height = 60 / Math.sqrt(WAVES * Math.max(1, Math.hypot(kx, ky) / 4));
    const along = (k) => Array.from({ length: SIDE }, (_, i) => (2 * Math.PI * k * i) / SIDE);
    const [ax, ay] = [along(kx), along(ky)];
    for (let y = 0, i = 0; y < SIDE; y++) {
      for (let x = 0; x < SIDE; x++, i++) pixels[i] += height * Math.cos(ax[x] + ay[y] + phase);
    }
  }
  const mean = 90 + 80 * random.uniform();
  return pixels.map((value) => value + mean);
}

const wrapped = (i) => i & (SIDE - 1);

function sampled(texture, x, y) {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const weights = (t) => [
    ((-0.5 * t + 1) * t - 0.5) * t,
    (1.5 * t - 2.5) * t * t + 1,
    ((-1.5 * t + 2) * t + 0.5) * t,
    (0.5 * t - 0.5) * t * t,
  ];
  const [across, down] = [weights(x - left), weights(y - top)];
  let sum = 0;
  for (let k = 0; k < 4; k++) {
    const row = wrapped(top + k - 1) * SIDE;
    let line = 0;
    for (let m = 0; m < 4; m++) line += across[m] * texture[row + wrapped(left + m - 1)];
    sum += down[k] * line;
  }
  return sum;
}

/** Layers from the front to the back: a place at time t has the layer's coordinates by `toLayer`, and the layer is there where `depth` is positive, in px. */
function layersOf(seed, speed, width, height) {
  const [stream] = randomStreams(seed);
  const random = { uniform: () => stream.uniform(0, 1) };
  const layer = (isGround) => {
    const texture = textureOf(random);
    const fast = speed * (isGround ? 0.3 : 1) * random.uniform();
    const heading = 2 * Math.PI * random.uniform();
    const [vx, vy] = [fast * Math.cos(heading), fast * Math.sin(heading)];
    const spin = isGround ? 0 : (random.uniform() - 0.5) * 0.1 * Math.min(1, speed / 10);
    const [cx, cy] = isGround ? [width / 2, height / 2] : [width * random.uniform(), height * random.uniform()];
    const [a, b] = [height * (0.08 + 0.17 * random.uniform()), height * (0.08 + 0.17 * random.uniform())];
    /** @returns {[number, number]} */
    const toLayer = (x, y, t) => {
      const [dx, dy] = [x - cx - vx * t, y - cy - vy * t];
      const [cos, sin] = [Math.cos(spin * t), Math.sin(spin * t)];
      return [cos * dx + sin * dy, cos * dy - sin * dx];
    };
    /** @returns {[number, number]} */
    const toImage = ([x, y], t) => {
      const [cos, sin] = [Math.cos(spin * t), Math.sin(spin * t)];
      return [cx + vx * t + cos * x - sin * y, cy + vy * t + sin * x + cos * y];
    };
    const depth = ([x, y]) => (isGround ? 1 : (1 - Math.hypot(x / a, y / b)) * Math.min(a, b));
    return { texture, toLayer, toImage, depth };
  };
  return [...Array.from({ length: ELLIPSES }, () => layer(false)), layer(true)];
}

function frameAt(layers, width, height, time) {
  const pixels = new Float32Array(width * height);
  for (let moment = 0; moment < MOMENTS; moment++) {
    const t = time + SHUTTER * ((moment + 0.5) / MOMENTS - 0.5);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        let left = 1;
        for (const { texture, toLayer, depth } of layers) {
          const at = toLayer(x, y, t);
          const cover = left * Math.min(1, Math.max(0, depth(at) + 0.5));
          if (cover === 0) continue;
          pixels[i] += (cover * sampled(texture, at[0], at[1])) / MOMENTS;
          left -= cover;
          if (left <= 0) break;
        }
      }
    }
  }
  return { width, height, pixels: pixels.map((grey) => Math.round(Math.min(255, Math.max(0, grey)))) };
}

/** A pair with its flow, and whether each pixel is matched. */
function makeLayered(scene, seed, width, height) {
  const layers = layersOf(seed, SCENES[scene], width, height);
  const frontAt = (x, y, t) => layers.find(({ toLayer, depth }) => depth(toLayer(x, y, t)) > 0);
  const truth = { width, height, u: new Float32Array(width * height), v: new Float32Array(width * height) };
  const matched = new Uint8Array(width * height);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const layer = frontAt(x, y, 0);
      const [nextX, nextY] = layer.toImage(layer.toLayer(x, y, 0), 1);
      truth.u[i] = nextX - x;
      truth.v[i] = nextY - y;
      const inside = nextX >= 0 && nextX <= width - 1 && nextY >= 0 && nextY <= height - 1;
      matched[i] = Number(inside && frontAt(nextX, nextY, 1) === layer);
    }
  }
  const [first, second] = [0, 1].map((time) => frameAt(layers, width, height, time));
  return { first, second, truth, matched };
}

/** Scores where `holds`, the rest of the truth taken as unknown. */
function scoreWhere(flow, { truth }, holds) {
  const u = truth.u.map((value, i) => (holds(i) ? value : 2e9));
  if (u.every((value) => value === 2e9)) return { epe: null, aae: null, share: 0 };
  const { epe, aae, valid } = scoreFlow(flow, { ...truth, u }, 0);
  return { epe, aae, share: valid };
}

function scoresOf(flow, pair) {
  const { truth, matched } = pair;
  const speed = (i) => Math.hypot(truth.u[i], truth.v[i]);
  const parts = {
    all: () => true,
    matched: (i) => matched[i] === 1,
    unmatched: (i) => matched[i] === 0,
    "below 10": (i) => speed(i) < 10,
    "10 to 40": (i) => speed(i) >= 10 && speed(i) < 40,
    "above 40": (i) => speed(i) >= 40,
  };
  return Object.fromEntries(Object.entries(parts).map(([name, holds]) => [name, scoreWhere(flow, pair, holds)]));
}

const now = () => performance.now() / 1000;
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

async function onDevice(work) {
  const { steps, close } = await openFlow({ device: deviceNamed(values.device), precision: "f32", now });
  try {
    await work((pair, options) => computeFlow(pair.first, pair.second, options, steps));
  } finally {
    await close();
  }
}

const seeds = values.seeds.split(",").map(Number);
const scenes = values.scenes.split(",");
const [width, height] = values.size.split("x").map(Number);

async function errors(flowOf) {
  for (const scene of scenes) {
    for (const seed of seeds) {
      const pair = makeLayered(scene, seed, width, height);
      const settings = [
        ...ITERATIONS.map((iterations) => ({ preset: "paper", options: { ...PAPER, iterations } })),
        { preset: "quality", options: quality },
      ];
      for (const { preset, options } of settings) {
        const flow = await flowOf(pair, options);
        const scores = scoresOf(flow, pair);
        const { iterations, levels } = options;
        const { device, schemes } = flow;
        const row = {
          benchmark: "flow-layered",
          scene,
          seed,
          width,
          height,
          preset,
          levels,
          iterations,
          device,
          scheme: schemes[0],
          scores,
        };
        keepRow(values.rows, { ...row, ...provenance(new Date()) });
        const shown = Object.entries(scores).map(
          ([name, { epe, share }]) => `${name} ${share === 0 ? "–" : epe.toFixed(3)}`,
        );
        console.log(
          `${scene} ${seed} ${preset} ${iterations}: EPE ${shown.join(", ")}; AAE ${scores.all.aae.toFixed(2)}`,
        );
      }
    }
  }
}

async function sharedPairs() {
  if (!existsSync(values.pairs)) return [];
  const folders = readdirSync(values.pairs).filter((name) => existsSync(join(values.pairs, name, "flow10.flo")));
  return Promise.all(
    folders.map(async (name) => {
      const image = async (one) => toGrey(await readFrame(join(values.pairs, name, one)));
      const truth = readFlo(join(values.pairs, name, "flow10.flo"));
      return { name, first: await image("frame10.png"), second: await image("frame11.png"), truth };
    }),
  );
}

/** Levels down to the size that five levels of ½ reach. */
const levelsFor = (zoom) => 1 + Math.round((4 * Math.log(0.5)) / Math.log(zoom));

async function choose(flowOf) {
  const made = (seed) =>
    scenes.map((scene) => ({ name: `${scene} ${seed}`, ...makeLayered(scene, seed, width, height) }));
  const halves = { chosen: [1, 2].flatMap(made), others: [3, 4].flatMap(made), shared: await sharedPairs() };
  for (const zoom of [0.5, 0.6, 0.7, 0.8]) {
    for (const presmooth of [0, 0.4, 0.6, 0.8]) {
      const options = { ...quality, zoom, levels: levelsFor(zoom), presmooth };
      const epe = {};
      let seconds = 0;
      for (const [half, pairs] of Object.entries(halves)) {
        epe[half] = {};
        for (const pair of pairs) {
          const begin = process.cpuUsage();
          const flow = await flowOf(pair, options);
          const { user, system } = process.cpuUsage(begin);
          seconds += (user + system) / 1e6;
          epe[half][pair.name] = scoreFlow(flow, pair.truth, 0).epe;
        }
      }
      const row = {
        benchmark: "flow-pyramid",
        zoom,
        levels: options.levels,
        presmooth,
        width,
        height,
        epe,
        cpuSeconds: seconds,
      };
      keepRow(values.rows, { ...row, ...provenance(new Date()) });
      const shown = Object.entries(epe).map(([half, of]) => `${half} ${mean(Object.values(of)).toFixed(4)}`);
      console.log(
        `zoom ${zoom}, ${options.levels} levels, presmoothing ${presmooth}: ${shown.join(", ")}; ${seconds.toFixed(1)} CPU s`,
      );
    }
  }
}

function tables(page) {
  const rows = rowsOf("lab/results/flow-layered.jsonl");
  const layered = rows.filter(({ benchmark }) => benchmark === "flow-layered");
  const cell = (scene, preset, iterations, part) => {
    const those = layered.filter(
      (row) => row.scene === scene && row.preset === preset && row.iterations === iterations,
    );
    const scored = those.map(({ scores }) => scores[part]).filter(({ share }) => share > 0);
    if (scored.length === 0) return "–";
    return `${mean(scored.map(({ epe }) => epe)).toFixed(3)} / ${mean(scored.map(({ aae }) => aae)).toFixed(1)}`;
  };
  const columns = [...ITERATIONS.map((iterations) => ["paper", iterations]), ["quality", quality.iterations]];
  const lines = Object.keys(SCENES).flatMap((scene) =>
    ["all", "matched", "unmatched", "below 10", "10 to 40", "above 40"]
      .map((part) => [
        `${scene}, ${part}`,
        ...columns.map(([preset, iterations]) => cell(scene, preset, iterations, part)),
      ])
      .filter((cells) => cells.slice(1).some((one) => one !== "–"))
      .map((cells) => `| ${cells.join(" | ")} |\n`),
  );
  const head = `| EPE px / AAE ° | ${columns.map(([preset, n]) => (preset === "paper" ? `${n} it` : preset)).join(" | ")} |\n|---|${"---|".repeat(columns.length)}\n`;
  putTable(page, "flow layered", head + lines.join(""));
  const chosen = rows.filter(({ benchmark }) => benchmark === "flow-pyramid");
  const means = chosen.map(({ zoom, levels, presmooth, epe, cpuSeconds }) => {
    const of = ["chosen", "others", "shared"].map((half) => mean(Object.values(epe[half])).toFixed(3));
    return `| ${[zoom, levels, presmooth, ...of, cpuSeconds.toFixed(0)].join(" | ")} |\n`;
  });
  putTable(
    page,
    "flow pyramid",
    `| zoom | levels | presmoothing | chosen on | other made pairs | shared pairs | CPU s |\n|---|---|---|---|---|---|---|\n${means.join("")}`,
  );
}

if (values.table !== undefined) tables(values.table);
else await onDevice(values.choose ? choose : errors);
