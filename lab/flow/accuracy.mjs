// The acceptance of `rmap flow`: errors on image pairs with true flow, after `npm run build`:
//
//     node lab/flow/accuracy.mjs [cpu|gpu|software] [--pairs FOLDER] [--rows FILE] [--precisions f32,f16s,f16] [--quick | --drift]
//
// FOLDER holds a folder per pair with frame10.png, frame11.png and flow10.flo (Middlebury's names; default ../shared/flow, and without it the made
// pairs alone are run). Every line says whether it is within its limit, where one is known: what another implementation of the same equations has
// (within 3 %, made pairs 5 % or 0.003 px), and for 16-bit formats the distance from f32. The script fails where one is not. `--quick` leaves out 100 iterations
// and the quality preset. `--drift` runs one pair alone, whose motion the paper preset cannot reach, to see the 16-bit formats part from f32.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readFrame } from "rmap";
import { readFlo } from "rmap/formats";
import { computeFlow, FLOW_PRESETS, toGrey } from "rmap/pixels";
import { scoreFlow } from "rmap/scores";
import { provenance } from "../../dist/rows/provenance.js";
import { openFlow } from "../../dist/run/flow.js";
import { FLOW_CASES, makeFlowPair } from "../../dist/simulation/flow-pairs.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: "string", default: fileURLToPath(new URL("../../../shared/flow", import.meta.url)) },
    rows: { type: "string" },
    precisions: { type: "string", default: "f32" },
    quick: { type: "boolean", default: false },
    drift: { type: "boolean", default: false },
  },
});
const [device = "auto"] = positionals;
const precisions = /** @type {import("rmap/pixels").FlowPrecision[]} */ (values.precisions.split(","));

/** EPE/AAE of another implementation: paper preset at 5, 10, 20, 50, 100 iterations. */
const PAPER = {
  Dimetrodon: { 5: [1.08, 24.3], 10: [0.592, 11.5], 20: [0.279, 5.33], 50: [0.185, 3.23], 100: [0.162, 2.86] },
  Grove2: { 5: [1.3, 20.2], 10: [0.65, 8.84], 20: [0.243, 3.48], 50: [0.17, 2.49], 100: [0.163, 2.42] },
  Grove3: { 5: [2.27, 24.1], 10: [1.622, 14.7], 20: [1.139, 9.86], 50: [0.905, 8.06], 100: [0.863, 7.69] },
  RubberWhale: { 5: [0.474, 15.3], 10: [0.339, 10.9], 20: [0.281, 9.15], 50: [0.241, 7.67], 100: [0.232, 7.28] },
  Urban2: { 5: [7.16, 35.7], 10: [6.586, 26.3], 20: [6.007, 19.2], 50: [5.306, 12.3], 100: [5.021, 10.4] },
  Urban3: { 5: [6.14, 46.1], 10: [5.422, 33.2], 20: [4.512, 22.4], 50: [3.491, 15], 100: [3.094, 13] },
};
/** Pairs that have limits on the distance of 16-bit formats from f32. */
const HELD_IN_16 = ["Grove2", "RubberWhale"];
/** EPE that the quality preset may have at most. */
const QUALITY = { Dimetrodon: 0.167, Grove2: 0.157, Grove3: 0.735, RubberWhale: 0.215, Urban2: 0.4, Urban3: 0.73 };
/** EPE of the made pairs, seeds 1 and 2, inside a border of 8 px. */
const MADE = {
  paper: { shift: [0.012, 0.011], turn: [0.055, 0.164], swirl: [0.143, 0.148], layers: [0.09, 0.102] },
  quality: { shift: [0.007, 0.006], turn: [0.031, 0.029], swirl: [0.138, 0.134], layers: [0.076, 0.076] },
};

const now = () => performance.now() / 1000;
const runs = Object.fromEntries(
  await Promise.all(
    precisions.map(async (precision) => [precision, await openFlow({ device: deviceNamed(device), precision, now })]),
  ),
);
let failures = 0;

const near =
  (share, least = 0) =>
  (value, wanted) =>
    Math.abs(value - wanted) <= Math.max(share * wanted, least);

async function runAll(name, pair, preset, options, border, holds) {
  let exact = null;
  for (const precision of precisions) {
    const { steps } = runs[precision];
    const flow = await computeFlow(pair.first, pair.second, options, steps);
    const scores = scoreFlow(flow, pair.truth, border);
    exact ??= precision === "f32" ? { flow, epe: scores.epe } : null;
    const apart = exact === null || precision === "f32" ? null : scoreFlow(flow, exact.flow);
    const difference = apart && { mean: apart.epe, p999: apart.quantiles.p999, epe: scores.epe - exact.epe };
    const within =
      precision === "f32" ? holds(scores) : HELD_IN_16.includes(name) ? holdsFor16(difference, preset) : null;
    if (within === false) failures++;
    const row = {
      benchmark: "flow-accuracy",
      pair: name,
      preset,
      iterations: options.iterations,
      device: steps.device,
      precision,
      scheme: steps.schemes[0],
      epe: scores.epe,
      aae: scores.aae,
      r1: scores.r1,
      valid: scores.valid,
      difference,
      within,
      ...provenance(new Date()),
    };
    keepRow(values.rows, row);
    const off =
      difference === null ? "" : `  from f32: mean ${difference.mean.toFixed(5)}, 99.9 % ${difference.p999.toFixed(4)}`;
    const said = within === null ? "" : within ? "  ok" : "  NOT WITHIN ITS LIMIT";
    console.log(
      `${name.padEnd(14)} ${preset.padEnd(7)} ${String(options.iterations).padStart(3)} ${precision.padEnd(4)}  EPE ${scores.epe.toFixed(4)}  AAE ${scores.aae.toFixed(3)}${off}${said}`,
    );
  }
}

/** null where there is no f32 to hold it to. */
function holdsFor16(difference, preset) {
  if (difference === null) return null;
  if (preset === "quality") return Math.abs(difference.epe) <= 0.005;
  return Math.abs(difference.epe) <= 0.001 && difference.mean <= 0.002 && difference.p999 <= 0.02;
}

const { paper, quality } = FLOW_PRESETS;
/** A made pair, 320 × 240 unless told. */
const madePair = (flowCase, seed, ...size) => {
  const made = makeFlowPair(flowCase, seed, ...size);
  const image = (grey) => ({ width: made.width, height: made.height, pixels: Float32Array.from(grey) });
  return { first: image(made.first), second: image(made.second), truth: made.truth };
};
if (values.drift) {
  const pair = madePair("turn", 1, 640, 480);
  for (const iterations of [10, 20, 50, 100]) {
    await runAll("turn 1, 640 × 480", pair, "paper", { ...paper, iterations }, 8, () => null);
  }
}
const folders = existsSync(values.pairs) && !values.drift ? readdirSync(values.pairs).sort() : [];
if (folders.length === 0 && !values.drift) console.log(`${values.pairs} holds no pairs: made pairs alone`);
for (const name of folders) {
  const file = (one) => join(values.pairs, name, one);
  if (!existsSync(file("flow10.flo"))) continue;
  const image = async (one) => toGrey(await readFrame(file(one)));
  const pair = {
    first: await image("frame10.png"),
    second: await image("frame11.png"),
    truth: readFlo(file("flow10.flo")),
  };
  for (const iterations of values.quick ? [5, 10, 20, 50] : [5, 10, 20, 50, 100]) {
    const wanted = PAPER[name]?.[iterations];
    const holds = ({ epe, aae }) =>
      wanted === undefined ? null : near(0.03)(epe, wanted[0]) && near(0.03)(aae, wanted[1]);
    await runAll(name, pair, "paper", { ...paper, iterations }, 0, holds);
  }
  if (values.quick) continue;
  await runAll(name, pair, "quality", quality, 0, ({ epe }) => (name in QUALITY ? epe <= QUALITY[name] : null));
}
for (const [preset, options] of Object.entries(values.drift ? {} : values.quick ? { paper } : { paper, quality })) {
  for (const flowCase of FLOW_CASES) {
    for (const seed of [1, 2]) {
      const pair = madePair(flowCase, seed);
      const wanted = MADE[preset][flowCase][seed - 1];
      await runAll(`${flowCase} ${seed}`, pair, preset, options, 8, ({ epe }) => near(0.05, 0.003)(epe, wanted));
    }
  }
}
for (const { close } of Object.values(runs)) await close();
console.log(failures === 0 ? "all within their limits" : `${failures} not within their limits`);
process.exitCode = failures === 0 ? 0 : 3;
