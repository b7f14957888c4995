/** Times flows by the device's own clock and judges every answer: what the parts of speed.mjs share. */
import { existsSync } from "node:fs";
import { computeFlow, computeFlows, createCpuFlow, createGpuFlow } from "rmap/pixels";
import { scoreFlow } from "rmap/scores";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { PassLog } from "../../dist/gpu/timer.js";
import { provenance } from "../../dist/rows/provenance.js";
import { makeFlowPair } from "../../dist/simulation/flow-pairs.js";
import { SCHEMES } from "../kernels/flow/schemes.mjs";
import { keepRow, rowsOf } from "../rows.mjs";

export const now = () => performance.now() / 1000;

/** The acceptance limits on the mean and the 99.9 % quantile of |Δu| in px, in the paper preset; medians are discontinuous. */
const LIMITS = { f32: [0.0005, 0.005], f16s: [0.002, 0.02], f16: [0.002, 0.02] };

/** The acceptance limit on how far half floats may move the mean error, px. */
const EPE_LIMIT = 0.001;

/** Half floats pass the limits, which are those of two named pairs, on larger pairs and with more iterations; beyond so many times they are a defect. */
const DEFECT = { f32: 1, f16s: 4, f16: 4 };

/**
 * The steps that a row asks for: its scheme by name, with the shape that the row gives.
 * @param {any} settings
 */
export function stepsOf(session, settings) {
  const { scheme = "tiled", precision = "f32", depth, workgroup, block, rows } = settings;
  const choice = { depth, workgroup, block, rows };
  return createGpuFlow(session, { precision, scheme: SCHEMES[scheme](choice), now });
}

const made = new Map();
/** A pair of the size whose true flow is known; large ones repeat a smaller one, and their truth is not used. */
export function pairOf(width, height) {
  const key = `${width} ${height}`;
  if (!made.has(key)) {
    const side = [Math.min(width, 640), Math.min(height, 640)];
    const tile = makeFlowPair("turn", 1, ...side);
    const image = (grey) => {
      const pixels = new Float32Array(width * height);
      for (let y = 0; y < height; y++) {
        const row = Float32Array.from(grey.subarray((y % side[1]) * side[0], ((y % side[1]) + 1) * side[0]));
        for (let x = 0; x < width; x += side[0])
          pixels.set(row.subarray(0, Math.min(side[0], width - x)), y * width + x);
      }
      return { width, height, pixels };
    };
    const truth = width <= 640 && height <= 640 ? tile.truth : null;
    made.set(key, { first: image(tile.first), second: image(tile.second), truth });
  }
  return made.get(key);
}

export const spread = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted[sorted.length - 1] };
};

/** Large fields are judged on every 17th row, which meets every row of a tile: no tile's stride is a multiple of 17. */
function thinned(field, border) {
  const { width } = field;
  if (width * field.height <= 2 ** 20) return { ...field, border };
  const height = Math.floor(field.height / 17);
  const thin = (from) => {
    const kept = new Float32Array(width * height);
    for (let y = 0; y < height; y++) kept.set(from.subarray(17 * y * width, (17 * y + 1) * width), y * width);
    return kept;
  };
  return { width, height, u: thin(field.u), v: thin(field.v), border };
}

/** The bench of one device: measures, appends rows, knows which are there already, and stops when its time is over. */
export class FlowBench {
  /** @type {import("../../dist/gpu/session.js").GpuSession} */
  session;
  /** The adapter's name. */
  actual = "";
  /** @type {BusyWork} */
  busy;
  /** @type {PassLog} */
  log;
  /** Where rows are appended; undefined where they are not. @type {string | undefined} */
  file;
  /** Rows of this device. @type {any[]} */
  rows = [];
  begin = 0;
  /** Seconds after which nothing new is begun, and repetitions, as the script says. */
  seconds = Number.POSITIVE_INFINITY;
  repeat = 0;
  #references = new Map();
  #leftOut = 0;

  static async create({ session, actual }, options) {
    const bench = new FlowBench();
    const busy = await BusyWork.create(session, now);
    const rows =
      options.rows !== undefined && existsSync(options.rows)
        ? rowsOf(options.rows).filter((row) => row.device === actual && row.clocks === "up")
        : [];
    // A set of queries has 4096 at most, two a pass.
    const log = new PassLog(session, 2048);
    return Object.assign(bench, { session, actual, busy, log, file: options.rows, rows, begin: now(), ...options.own });
  }

  say(text) {
    console.log(`${(now() - this.begin).toFixed(1).padStart(6)} s  ${text}`);
  }

  close() {
    this.busy.destroy();
    this.log.destroy();
    if (this.#leftOut > 0) this.say(`time is over: ${this.#leftOut} left out; the next call goes on with them`);
  }

  /** Measures and prints one, unless its row is there or time is over; one that a device refuses is named, and the others go on. */
  async tried(part, settings) {
    const { version } = provenance(new Date());
    const asked = { ...settings, phase: settings.phase ?? null };
    const same = (row) =>
      row.part === part && row.version === version && JSON.stringify(row.asked) === JSON.stringify(asked);
    const known = this.rows.find(same);
    if (known !== undefined) return known;
    if (this.isOver()) return null;
    try {
      return this.keep(await this.#measure(part, settings, asked));
    } catch (error) {
      if (error.name !== "InputError" && error.name !== "DeviceMemoryError") throw error;
      this.say(`refused: ${error.message}`);
      return null;
    }
  }

  /** Whether time is over; then something is left out. */
  isOver() {
    if (now() - this.begin <= this.seconds) return false;
    this.#leftOut++;
    return true;
  }

  /** Appends and prints a row. */
  keep(row) {
    keepRow(this.file, row);
    this.rows.push(row);
    this.say(show(row));
    return row;
  }

  /** The flow in f32 that others are held to: the CPU twin's up to a megapixel, else scheme global's, which is held to the twin at smaller sizes. */
  async #reference(pair, options) {
    const key = JSON.stringify([pair.first.width, pair.first.height, options]);
    if (!this.#references.has(key)) {
      const small = pair.first.width * pair.first.height <= 2 ** 20;
      const steps = small ? createCpuFlow({ now }) : stepsOf(this.session, { scheme: "global" });
      const flow = await computeFlow(pair.first, pair.second, options, steps);
      this.#references.set(key, small ? flow : thinned(flow, 0));
      if (!small) steps.destroy();
    }
    return this.#references.get(key);
  }

  async judge(flow, pair, options, precision, part = null) {
    const judged = thinned(flow, Math.min(8, flow.width >> 3));
    const reference = await this.#reference(pair, options);
    const { epe: mean, quantiles } = scoreFlow(judged, reference, judged.border);
    const [mostMean, mostQuantile] = LIMITS[precision];
    let second = quantiles.p999 / mostQuantile;
    let what = `${flow.schemes} ${precision}: mean |Δu| ${mean}, 99.9 % ${quantiles.p999}`;
    // Half floats drift with the iterations on pixels whose motion is out of reach, in the twin too: what counts in a table of errors is the error.
    if (part === "errors" && precision !== "f32") {
      const epeOf = (one) => scoreFlow(one, pair.truth, 8).epe;
      const off = Math.abs(epeOf(flow) - epeOf(reference));
      second = off / EPE_LIMIT;
      what += `, EPE off by ${off}`;
    }
    const beyond = options.median === 0 ? Math.max(mean / mostMean, second) : 0;
    if (!(beyond <= DEFECT[precision])) throw new Error(`${what}: wrong, so no time is reported`);
    if (beyond > 1) this.say(`${what}: beyond the limits of the acceptance pairs`);
    return { difference: { mean, p999: quantiles.p999 }, epe: pair.truth && scoreFlow(flow, pair.truth, 8).epe };
  }

  /** A row of what was asked for. @param times in milliseconds */
  row(part, { times, asked, ...found }) {
    const { width, height, options, pairs = 1, precision = "f32" } = asked;
    const milliseconds = spread(times);
    return {
      benchmark: "flow-speed",
      part,
      device: this.actual,
      precision,
      width,
      height,
      pairs,
      warps: options.warps,
      iterations: options.iterations,
      median: options.median,
      whole: asked.phase === null,
      workgroup: asked.workgroup ?? null,
      block: asked.block ?? null,
      rows: asked.rows ?? null,
      milliseconds,
      nanosecondsPerPixel: (1e6 * milliseconds.median) / (width * height * pairs),
      repetitions: times.length,
      /** Busy work came before the timing, so that the device's clocks were up (lab/notes/gpu.md). */
      clocks: "up",
      asked,
      ...found,
      ...provenance(new Date()),
    };
  }

  /** Times a whole flow (`phase` null) or its iterations alone, by the passes that it records. */
  async #measure(part, settings, asked) {
    const { width, height, options, pairs = 1, phase = null, precision = "f32" } = settings;
    const pair = pairOf(width, height);
    const several = Array.from({ length: pairs }, () => pair);
    const steps = stepsOf(this.session, settings);
    try {
      const once = async (apart = false) => {
        let flow = null;
        const passes = await this.log.of(async () => {
          [flow] = await computeFlows(several, options, steps);
        }, apart);
        const own = passes.filter(({ label }) => (phase === null ? label !== "upload" : label === phase));
        const sums = { pyramid: 0, warp: 0, iterations: 0 };
        for (const { label, milliseconds } of own) sums[label] += milliseconds;
        return { flow, sums, time: sums.pyramid + sums.warp + sums.iterations, passes: own.length };
      };
      const dispatches = (await once(true)).passes;
      await this.busy.run();
      for (let k = 0; k < 3; k++) await once();
      const runs = [];
      for (let k = 0; k < this.repeat; k++) runs.push(await once());
      const { flow } = runs[0];
      const judged = await this.judge(flow, pair, options, precision, part);
      const phases = phase === null ? medians(runs.map(({ sums }) => sums)) : undefined;
      const levels = flow.levels.length;
      const found = { scheme: flow.schemes[0], levels, dispatches, ...(phases && { phases }), ...judged };
      return this.row(part, { times: runs.map(({ time }) => time), asked, ...found });
    } finally {
      steps.destroy();
    }
  }
}

/** Of each number of the records. */
const medians = (records) =>
  Object.fromEntries(Object.keys(records[0]).map((name) => [name, spread(records.map((one) => one[name])).median]));

const phasesOf = ({ phases }) =>
  phases === undefined
    ? ""
    : `  (${Object.entries(phases)
        .map(([phase, time]) => `${phase} ${time.toFixed(3)}`)
        .join(", ")})`;

const show = (row) =>
  `${row.width}×${row.height}${row.pairs > 1 ? ` × ${row.pairs}` : ""} ${row.scheme.padEnd(20)} ${row.block === null ? "" : `${row.block.join("x")} of ${row.workgroup.join("x")} `}${row.precision.padEnd(5)} ${row.milliseconds.median.toFixed(4)} ms (${row.milliseconds.min.toFixed(4)}–${row.milliseconds.max.toFixed(4)})  ${row.nanosecondsPerPixel.toFixed(4)} ns/px  ${row.dispatches ?? "–"} dispatches  |Δu| ${row.difference.mean.toExponential(1)}${row.epe === null ? "" : `  EPE ${row.epe.toFixed(4)}`}${phasesOf(row)}`;
