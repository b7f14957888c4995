// Where the time of a whole solve goes on a device and on the host that serves it, after `npm run build`:
//
//     node lab/ascent/device-profile.mjs [gpu|software] [--rows FILE] [--iterations 30] [--gap 0.01] [--x-laps sparse] [SCENARIO…]
//
// Every dispatch has a compute pass of its own, timed by the device's clock, and bears the name of its kernel; so the host's seconds are a little longer
// than those of a plain solve. Counts submissions, and the host's waits for the device, for pipelines and in writing to buffers. A row a scenario.
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { readInput } from "../../dist/formats/input.js";
import { provenance } from "../../dist/rows/provenance.js";
import { backendOn, openDevice } from "../../dist/run/device.js";
import { solveInput } from "../../dist/run/solve-input.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    iterations: { type: "string" },
    gap: { type: "string" },
    "x-laps": { type: "string" },
  },
});
const [device = "gpu", ...chosen] = positionals;
const scenarios = chosen.length > 0 ? chosen : ["n1000-t100", "n3000-t300", "n10000-t100"].map(scaled);
const threads = availableParallelism();
const now = () => performance.now() / 1000;

for (const scenario of scenarios) {
  const opened = await openDevice(deviceNamed(device));
  if (opened.session === null) throw new Error(`${device}: there is no such device`);
  const watch = watchDevice(opened.session.device);
  const began = now();
  const { iterations, gap, "x-laps": xLaps } = values;
  const backend = backendOn(opened, { threads, now, ...(xLaps && { xLaps: methodNamed(xLaps) }) });
  const { run } = await solveInput(
    () => backend,
    await readInput(scenario, {}),
    { threads, cuts: "none", ...(iterations && { iterations: Number(iterations) }), ...(gap && { gap: Number(gap) }) },
    { now, began },
  );
  const { kernels, host } = await watch.end();
  await opened.close();
  const { result } = run;
  const row = {
    benchmark: "device-profile",
    scenario,
    iterations: result.iterations,
    edges: result.edges,
    lowerBound: result.lowerBound,
    upperBound: result.upperBound,
    gapPercent: result.gapPercent,
    xLaps: result.xLaps,
    kernels,
    host,
    times: result.times,
    threads,
    device: { requested: device, actual: opened.actual },
    ...provenance(new Date()),
  };
  keepRow(values.rows, row);
  show(row);
}

/** @param {string} name */
function scaled(name) {
  return `scenarios/scale/${name}.json`;
}

/** @param {string} name */
function methodNamed(name) {
  if (name === "sparse" || name === "block-hungarian" || name === "auto") return name;
  throw new Error(`--x-laps ${name}: give auto, sparse or block-hungarian`);
}

function show({ scenario, iterations, lowerBound, upperBound, gapPercent, kernels, host, times }) {
  const seconds = Object.entries(times).map(([phase, s]) => `${phase} ${s.toFixed(2)}`);
  console.log(`${scenario}: ${iterations} iterations, ${lowerBound} to ${upperBound}, ${gapPercent?.toFixed(5)} %`);
  console.log(`  ${seconds.join(", ")}`);
  console.log(
    `  ${Object.entries(host)
      .map(([what, n]) => `${what} ${Number(n.toFixed(3))}`)
      .join(", ")}`,
  );
  for (const { name, count, milliseconds } of kernels) {
    const each = (milliseconds / count).toFixed(4);
    console.log(
      `  ${name.padEnd(28)} ${String(count).padStart(6)}  ${milliseconds.toFixed(2).padStart(9)} ms  ${each} ms each`,
    );
  }
}

/** Times each dispatch on the device, and counts what the host asks of it, until `end`. */
function watchDevice(gpu) {
  const PASSES = 2048;
  /** @type {{ set: GPUQuerySet, names: string[] }[]} */
  const sets = [];
  const host = {
    submissions: 0,
    waits: 0,
    waited: 0,
    writes: 0,
    written: 0,
    writing: 0,
    pipelines: 0,
    compiling: 0,
    buffers: 0,
  };
  const nextPass = (name) => {
    let last = sets.at(-1);
    if (last === undefined || last.names.length === PASSES) {
      last = { set: gpu.createQuerySet({ type: "timestamp", count: 2 * PASSES }), names: [] };
      sets.push(last);
    }
    const first = 2 * last.names.push(name) - 2;
    return { querySet: last.set, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
  };
  const restore = [
    replace(
      gpu,
      "createCommandEncoder",
      (original) =>
        (...args) =>
          apart(original(...args), nextPass),
    ),
    replace(gpu, "createBuffer", (original) => (...args) => {
      host.buffers++;
      const buffer = original(...args);
      replace(buffer, "mapAsync", (map) => async (...range) => {
        const from = now();
        await map(...range);
        host.waits++;
        host.waited += now() - from;
      });
      return buffer;
    }),
    replace(gpu, "createComputePipelineAsync", (original) => async (...args) => {
      const from = now();
      const pipeline = await original(...args);
      host.pipelines++;
      host.compiling += now() - from;
      return pipeline;
    }),
    replace(gpu.queue, "submit", (original) => (...args) => {
      host.submissions++;
      return original(...args);
    }),
    replace(gpu.queue, "writeBuffer", (original) => (...args) => {
      const from = now();
      original(...args);
      host.writes++;
      host.written += args[4] ?? args[2].byteLength;
      host.writing += now() - from;
    }),
  ];
  return {
    async end() {
      for (const one of restore) one();
      /** @type {Map<string, { name: string, count: number, milliseconds: number }>} */
      const kernels = new Map();
      for (const { set, names } of sets) {
        (await ticksOf(gpu, set, names.length)).forEach((milliseconds, k) => {
          const name = basename(names[k].split(" ")[0], ".wgsl");
          const kernel = kernels.get(name) ?? { name, count: 0, milliseconds: 0 };
          kernels.set(name, kernel);
          kernel.count++;
          kernel.milliseconds += milliseconds;
        });
        set.destroy();
      }
      return { kernels: [...kernels.values()].sort((a, b) => b.milliseconds - a.milliseconds), host };
    },
  };
}

/** Replaces a method of one object; returns what puts it back. */
function replace(object, name, make) {
  const original = object[name];
  object[name] = make(original.bind(object));
  return () => {
    object[name] = original;
  };
}

/** An encoder whose passes are cut after each dispatch. */
function apart(encoder, nextPass) {
  const begin = encoder.beginComputePass.bind(encoder);
  encoder.beginComputePass = () => {
    let pipeline;
    const groups = [];
    return {
      setPipeline(one) {
        pipeline = one;
      },
      setBindGroup(...args) {
        groups[args[0]] = args;
      },
      dispatchWorkgroups(...counts) {
        const pass = begin({ timestampWrites: nextPass(pipeline.label) });
        pass.setPipeline(pipeline);
        for (const args of groups) pass.setBindGroup(...args);
        pass.dispatchWorkgroups(...counts);
        pass.end();
      },
      end() {},
    };
  };
  return encoder;
}

async function ticksOf(gpu, set, passes) {
  const size = 16 * passes;
  const resolved = gpu.createBuffer({ size, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const staging = gpu.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = gpu.createCommandEncoder();
  encoder.resolveQuerySet(set, 0, 2 * passes, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, staging, 0, size);
  gpu.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const ticks = new BigUint64Array(staging.getMappedRange());
  const spans = Array.from({ length: passes }, (_, k) => Number(ticks[2 * k + 1] - ticks[2 * k]) / 1e6);
  resolved.destroy();
  staging.destroy();
  return spans;
}
