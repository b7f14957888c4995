// Velocities from optical flow for the solver: particles in a steady cellular vortex, after `npm run build`:
//
//     node lab/flow/tracking.mjs [gpu|software|cpu] [--rows FILE] [--seeds 1,2,3,4,5] [--scenes 0,1,2] [--cost motion] [--time 60]
//
// Spots of σ 1.2 px and peak 75 to 150 over 20, noise of 2 grey levels, in 512²; flow v (sin X cos Y, −cos X sin Y), X = 2πx/256. Detections have noise, some are
// missed and some false. `rmap solve X.csv --gate radius=R` gets them without velocities, with those that `rmap flow --median 0 --zoom 0.7 --levels 8` finds, and with the true
// ones; each for --time seconds at most. A row a seed and scene with the MMEP of each, percent, and the error of the flow at the spots. With --make FOLDER it
// writes the first scene and seed asked for as frames.npy and spots.csv, and no more.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { formatDetections } from "rmap/formats";
import { FLOW_PRESETS } from "rmap/pixels";
import { randomStreams } from "../../dist/core/random.js";
import { encodeNpy } from "../../dist/files/npy-writer.js";
import { provenance } from "../../dist/rows/provenance.js";
import { flowOfSequence, openFlow, velocitiesAtDetections } from "../../dist/run/flow.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const SIDE = 512;
const PERIOD = 256;
const MARGIN = 2;

/** As in lab/notes/flow.md. */
const SCENES = [
  { spots: 2000, speed: 12, radius: 16, frames: 3, missed: 0.1, false: 0.1, noise: 0.3 },
  { spots: 2500, speed: 14, radius: 18, frames: 3, missed: 0.1, false: 0.1, noise: 0.3 },
  { spots: 1500, speed: 8, radius: 14, frames: 8, missed: 0, false: 0, noise: 0.15 },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    seeds: { type: "string", default: "1,2,3,4,5" },
    scenes: { type: "string", default: "0,1,2" },
    cost: { type: "string", default: "motion" },
    time: { type: "string", default: "60" },
    make: { type: "string" },
  },
});
const [device = "auto"] = positionals;
const [scenes, seeds] = [values.scenes, values.seeds].map((list) => list.split(",").map(Number));
const now = () => performance.now() / 1000;
const cli = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "flow-tracking-"));
const { steps, close } = await openFlow({ device: deviceNamed(device), precision: "f32", now });

function velocity(speed, x, y) {
  const [a, b] = [(2 * Math.PI * x) / PERIOD, (2 * Math.PI * y) / PERIOD];
  return [speed * Math.sin(a) * Math.cos(b), -speed * Math.cos(a) * Math.sin(b)];
}

/** One frame on, in ten steps of the midpoint rule. */
function advance(speed, x, y) {
  let [px, py] = [x, y];
  for (let k = 0; k < 10; k++) {
    const [u, v] = velocity(speed, px, py);
    const [um, vm] = velocity(speed, px + 0.05 * u, py + 0.05 * v);
    px += 0.1 * um;
    py += 0.1 * vm;
  }
  return [px, py];
}

function makeScene({ spots, speed, frames, missed, false: clutter, noise }, seed) {
  const [places, pixels, chance] = randomStreams(seed);
  const count = Math.floor(spots * ((SIDE + 40) / SIDE) ** 2);
  let at = Array.from({ length: count }, () => [places.uniform(-20, SIDE + 20), places.uniform(-20, SIDE + 20)]);
  const peak = at.map(() => places.uniform(0.5, 1));
  const images = [];
  const rows = [];
  const frameStart = [0];
  const errors = [];
  for (let frame = 0; frame < frames; frame++) {
    const sums = new Float64Array(SIDE * SIDE);
    at.forEach(([x, y], k) => {
      const [column, row] = [Math.round(x), Math.round(y)];
      for (let py = Math.max(row - 5, 0); py <= Math.min(row + 5, SIDE - 1); py++) {
        for (let px = Math.max(column - 5, 0); px <= Math.min(column + 5, SIDE - 1); px++) {
          sums[py * SIDE + px] += peak[k] * Math.exp(-((px - x) ** 2 + (py - y) ** 2) / (2 * 1.2 ** 2));
        }
      }
    });
    const samples = Uint8Array.from(sums, (sum) => Math.min(255, Math.max(0, 150 * sum + 20 + 2 * pixels.normal())));
    images.push({ width: SIDE, height: SIDE, channels: 1, samples, place: `frame ${frame}` });
    const inside = (x, y) => x >= MARGIN && x < SIDE - MARGIN && y >= MARGIN && y < SIDE - MARGIN;
    at.forEach(([x, y], target) => {
      if (!inside(x, y) || chance.uniform(0, 1) < missed) return;
      rows.push({ x: x + noise * chance.normal(), y: y + noise * chance.normal(), target });
    });
    const found = rows.length - frameStart[frame];
    for (let k = 0; k < Math.round(clutter * found); k++) {
      rows.push({ x: chance.uniform(MARGIN, SIDE - MARGIN), y: chance.uniform(MARGIN, SIDE - MARGIN), target: -1 });
    }
    frameStart.push(rows.length);
    at = at.map(([x, y]) => advance(speed, x, y));
  }
  const pick = (name) => Float64Array.from(rows, (row) => row[name]);
  const detections = {
    frames,
    frameStart: Uint32Array.from(frameStart),
    x: pick("x"),
    y: pick("y"),
    vx: null,
    vy: null,
    target: Int32Array.from(rows, ({ target }) => target),
    timeStep: 1,
  };
  return { images, detections, errors };
}

/** The first scene and seed asked for, as frames and detections. */
function write(into) {
  const { images, detections } = makeScene(SCENES[scenes[0]], seeds[0]);
  mkdirSync(into, { recursive: true });
  const pixels = Uint8Array.from(Buffer.concat(images.map(({ samples }) => samples)));
  writeFileSync(join(into, "frames.npy"), encodeNpy([images.length, SIDE, SIDE], pixels));
  writeFileSync(join(into, "spots.csv"), [...formatDetections(detections, [["units", "px"]])].join(""));
}

async function mmep(detections, radius, name) {
  const file = join(folder, `${name}.csv`);
  writeFileSync(file, [...formatDetections(detections, [["units", "px,px/frame"]])].join(""));
  const args = ["solve", file, "--gate", `radius=${radius}`, "--cost", values.cost, "--device", "cpu"];
  args.push("--time", values.time, "--json", "-q");
  const { stdout } = await run(process.execPath, [cli, ...args], { maxBuffer: 2 ** 28 });
  const row = JSON.parse(stdout);
  return { mmep: row.scores.mmep, gapPercent: row.gapPercent, ascent: row.ascent, status: row.status };
}

/** A finer pyramid than a preset's: where like spots move by more than their distance, steps of ½ lock patches onto the wrong ones. */
const options = { ...FLOW_PRESETS.quality, median: 0, zoom: 0.7, levels: 8 };
const middle = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
if (values.make !== undefined) write(values.make);
try {
  for (const scene of values.make === undefined ? scenes.map((k) => SCENES[k]) : []) {
    for (const seed of seeds) {
      const { images, detections } = makeScene(scene, seed);
      const frames = /** @type {() => AsyncGenerator<any, void>} */ (
        async function* () {
          yield* images;
        }
      )();
      const flows = flowOfSequence(frames, options, steps, true);
      const { vx, vy, missing } = await velocitiesAtDetections("spots", detections, 0, flows, {
        radius: 0,
        fillDrift: true,
      });
      const truth = Array.from(detections.x, (x, k) => velocity(scene.speed, x, detections.y[k]));
      const [trueX, trueY] = [0, 1].map((axis) => Float64Array.from(truth, (one) => one[axis]));
      // The flow is the mean velocity of a frame's way and not the one at its start: the way is what it is held to.
      const errors = [];
      for (let k = 0; k < detections.frameStart[1]; k++) {
        if (detections.target[k] < 0) continue;
        const [x, y] = advance(scene.speed, detections.x[k], detections.y[k]);
        errors.push(Math.hypot(vx[k] - (x - detections.x[k]), vy[k] - (y - detections.y[k])));
      }
      const row = {
        benchmark: "flow-tracking",
        ...scene,
        seed,
        cost: values.cost,
        device: steps.device,
        precision: steps.precision,
        options,
        seconds: Number(values.time),
        flowError: { median: middle(errors), mean: errors.reduce((sum, one) => sum + one, 0) / errors.length },
        withoutVelocity: missing,
        none: await mmep(detections, scene.radius, "none"),
        flow: await mmep({ ...detections, vx, vy }, scene.radius, "flow"),
        truth: await mmep({ ...detections, vx: trueX, vy: trueY }, scene.radius, "true"),
        ...provenance(new Date()),
      };
      keepRow(values.rows, row);
      const percent = ({ mmep: share }) => `${share.toFixed(2)} %`;
      console.log(
        `${scene.spots} spots, ${scene.speed} px, R ${scene.radius}, seed ${seed}: flow error median ${row.flowError.median.toFixed(3)} px; MMEP none ${percent(row.none)}, flow ${percent(row.flow)}, true ${percent(row.truth)}`,
      );
    }
  }
} finally {
  await close();
  rmSync(folder, { recursive: true });
}
