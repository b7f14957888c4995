/** Times flows by the device's own clock and judges every answer: what the parts of speed.mjs share. */
import { appendFileSync, existsSync } from "node:fs";
import { computeFlow, computeFlows, createCpuFlow, createGpuFlow } from "rmap/pixels";
import { scoreFlow } from "rmap/scores";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { readStorage } from "../../dist/gpu/buffers.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { scaledTogether } from "../../dist/pixels/flow/flow.js";
import { pyramidSizes } from "../../dist/pixels/pyramid.js";
import { flowSpeedRow } from "../../dist/rows/kinds/flow-speed.js";
import { provenance } from "../../dist/rows/provenance.js";
import { makeFlowPair } from "../../dist/simulation/flow-pairs.js";
import { rowsOf } from "../rows.mjs";

export const now = () => performance.now() / 1000;

/** The acceptance limits on the mean and the 99.9 % quantile of |Δu| in px, in the paper preset; medians are discontinuous. */
const LIMITS = { f32: [0.0005, 0.005], f16s: [0.002, 0.02], f16: [0.002, 0.02] };

/** The acceptance limit on how far half floats may move the mean error, px. */
const EPE_LIMIT = 0.001;

/** Half floats pass the limits, which are those of two named pairs, on larger pairs and with more iterations; beyond so many times they are a defect. */
const DEFECT = { f32: 1, f16s: 4, f16: 4 };

/** Records dispatches and runs them in one pass with timestamps when told to. */
export class OnePass {
  #work = [];
  #timer;
  constructor(session) {
    this.session = session;
    this.#timer = new PassTimer(session, 4);
  }
  kernel(phase, work) {
    this.#work.push({ phase, work });
  }
  copy() {
    throw new Error("not part of what is timed");
  }
  /** Milliseconds of the device for what was recorded; those of `phase` alone with its name, before it ran the rest. */
  async run(phase = null) {
    const last = this.#work.findIndex((one) => one.phase === phase);
    const groups = phase === null ? [this.#work] : [this.#work.slice(0, last), this.#work.slice(last)];
    this.#work = [];
    const encoder = this.session.device.createCommandEncoder();
    for (const group of groups) {
      const pass = encoder.beginComputePass({ timestampWrites: this.#timer.next() });
      for (const { work } of group) work(pass);
      pass.end();
    }
    this.#timer.resolve(encoder);
    this.session.device.queue.submit([encoder.finish()]);
    const milliseconds = await this.#timer.read();
    return { milliseconds: milliseconds[milliseconds.length - 1], dispatches: groups[groups.length - 1].length };
  }
  async readBack(buffers) {
    if (this.#work.length > 0) await this.run();
    return await readStorage(this.session, buffers);
  }
  destroy() {
    this.#timer.destroy();
  }
}

const made = new Map();
/** A pair of the size, scaled as the flow scales it, whose true flow is known; large ones repeat a smaller one, and their truth is not used. */
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
    made.set(key, { ...scaledTogether({ first: image(tile.first), second: image(tile.second) }), truth });
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
    return Object.assign(bench, { session, actual, busy, file: options.rows, rows, begin: now(), ...options.own });
  }

  say(text) {
    console.log(`${(now() - this.begin).toFixed(1).padStart(6)} s  ${text}`);
  }

  close() {
    this.busy.destroy();
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
  keep(made) {
    const row = flowSpeedRow.parse(made);
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(row)}\n`);
    this.rows.push(row);
    this.say(show(row));
    return row;
  }

  /** The flow in f32 that others are held to: the CPU twin's up to a megapixel, else scheme global's, which is held to the twin at smaller sizes. */
  async #reference(pair, options) {
    const key = JSON.stringify([pair.first.width, pair.first.height, options]);
    if (!this.#references.has(key)) {
      const small = pair.first.width * pair.first.height <= 2 ** 20;
      const steps = small ? createCpuFlow({ now }) : createGpuFlow(this.session, { scheme: "global", now });
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
      /** Busy work came before the timing, so that the device's clocks were up (docs/gpu.md). */
      clocks: "up",
      asked,
      ...found,
      ...provenance(new Date()),
    };
  }

  /** Milliseconds of the device by part of the work, each kernel in a pass of its own, which takes a little longer. */
  async #phases(pair, { options, pairs, ...own }) {
    const steps = createGpuFlow(this.session, { ...own, profile: true, now });
    const several = Array.from({ length: pairs }, () => pair);
    await computeFlows(several, options, steps);
    await this.busy.run();
    await computeFlows(several, options, steps);
    const { pyramid, warp, iterations } = steps.times();
    steps.destroy();
    return { pyramid: 1000 * pyramid, warp: 1000 * warp, iterations: 1000 * iterations };
  }

  /** Times a whole flow (`phase` null) or its iterations alone. */
  async #measure(part, { width, height, options, pairs = 1, phase = null, ...own }, asked) {
    const precision = own.precision ?? "f32";
    const pair = pairOf(width, height);
    const recorder = new OnePass(this.session);
    const steps = createGpuFlow(this.session, { ...own, recorder, now });
    try {
      const sizes = pyramidSizes(pair.first, options.levels, options.zoom);
      await steps.begin(
        Array.from({ length: pairs }, () => pair),
        sizes,
        options,
      );
      await this.busy.run();
      const pyramid = await recorder.run();
      const once = async () => {
        for (let level = sizes.length - 1; level >= 0; level--) {
          steps.enter(level);
          for (let warp = 0; warp < options.warps; warp++) {
            steps.warp();
            steps.iterate(options.iterations);
          }
        }
        return await recorder.run(phase);
      };
      for (let k = 0; k < 3; k++) await once();
      const times = [];
      let dispatches = 0;
      for (let k = 0; k < this.repeat; k++) {
        const time = await once();
        times.push(time.milliseconds + (phase === null ? pyramid.milliseconds : 0));
        dispatches = time.dispatches + (phase === null ? pyramid.dispatches : 0);
      }
      const [flow] = await steps.finish();
      const judged = await this.judge({ ...flow, schemes: steps.schemes }, pair, options, precision, part);
      const phases = phase === null ? await this.#phases(pair, { options, pairs, ...own }) : undefined;
      const found = {
        scheme: steps.schemes[0],
        levels: sizes.length,
        dispatches,
        ...(phases && { phases }),
        ...judged,
      };
      return this.row(part, { times, asked, ...found });
    } finally {
      steps.destroy();
    }
  }
}

const phasesOf = ({ phases }) =>
  phases === undefined
    ? ""
    : `  (${Object.entries(phases)
        .map(([phase, time]) => `${phase} ${time.toFixed(3)}`)
        .join(", ")})`;

const show = (row) =>
  `${row.width}×${row.height}${row.pairs > 1 ? ` × ${row.pairs}` : ""} ${row.scheme.padEnd(20)} ${row.block === null ? "" : `${row.block.join("x")} of ${row.workgroup.join("x")} `}${row.precision.padEnd(5)} ${row.milliseconds.median.toFixed(4)} ms (${row.milliseconds.min.toFixed(4)}–${row.milliseconds.max.toFixed(4)})  ${row.nanosecondsPerPixel.toFixed(4)} ns/px  ${row.dispatches ?? "–"} dispatches  |Δu| ${row.difference.mean.toExponential(1)}${row.epe === null ? "" : `  EPE ${row.epe.toFixed(4)}`}${phasesOf(row)}`;
