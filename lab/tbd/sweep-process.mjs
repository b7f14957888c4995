/** A process of lab/tbd/sweep.mjs, which gives it work and turns on the device: compiles kernels of work to come, and measures what is compiled. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { motionVectors } from "rmap/pixels";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { medianOf, SweepField } from "./sweep-field.mjs";
import { variantName } from "./variant.mjs";

/** Pipelines that may be compiled ahead. */
const AHEAD = 300;
/** Pipelines after which those that are no longer needed are let go: they are small to the collector and large to the driver. */
const KEPT = 3000;
/** Seconds after which an idle device has lower clocks. */
const IDLE = 0.3;

const [deviceName, size, most] = process.argv.slice(2);
const side = Number(size);
const decimations = Array.from({ length: Number(most) }, (_, n) => n + 1);
const device = await openDevice(deviceNamed(deviceName));
const { session, actual } = device;
if (session === null || !session.hasTimestamps) throw new Error("a device with timestamps is needed");
const field = new SweepField(session, { width: side, height: side }, motionVectors(2), decimations);
await field.prepare();
const busy = await BusyWork.create(session, () => performance.now() / 1000);
ask({ device: actual, threads: session.device.limits.maxComputeInvocationsPerWorkgroup });
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const queue = [];
let [ahead, sinceCollected, isMore] = [0, 0, true];
for (;;) {
  while (isMore && (queue.length === 0 || ahead < AHEAD)) {
    const { job } = await answerTo({ next: true });
    isMore = job !== null;
    if (!isMore) break;
    const { pipelines, made } = field.compile(job.variant, job.workgroup);
    // The error is thrown where the promise is awaited.
    pipelines.catch(() => undefined);
    queue.push({ ...job, pipelines, made });
    ahead += made;
  }
  const next = queue.shift();
  if (next === undefined) break;
  const { variant, workgroup, made } = next;
  // Passes of small workgroups are long.
  const repetitions = workgroup[0] * workgroup[1] < 128 ? 3 : 5;
  const commands = await field.record(variant, workgroup, await next.pipelines, repetitions);
  const { turn } = await answerTo({ turn: true });
  if (turn === null) break;
  if (turn > IDLE) await busy.run();
  ask({ row: rowOf(variant, workgroup, repetitions, await field.run(commands, repetitions)) });
  ahead -= made;
  sinceCollected += made;
  if (sinceCollected > KEPT) {
    collect();
    sinceCollected = 0;
  }
}
field.destroy();
busy.destroy();
await device.close();
process.disconnect();

function ask(message) {
  process.send(message);
}

function answerTo(message) {
  const answer = new Promise((resolve) => process.once("message", resolve));
  ask(message);
  return answer;
}

function rowOf(variant, workgroup, repetitions, points) {
  const error = Math.max(...points.map((point) => point.error));
  if (!(error <= 1e-6)) throw new Error(`${variantName(variant)} ${workgroup}: off the twin by ${error}`);
  return {
    benchmark: "tbd-sweep",
    device: actual,
    width: side,
    height: side,
    vectors: field.vectors.length,
    scheme: variantName(variant),
    workgroup,
    /** Median of an input frame, for D = 1, 2, … */
    milliseconds: points.map(({ times }, n) => Number((medianOf(times) / decimations[n]).toPrecision(4))),
    repetitions,
    /** Of a pass of one idle workgroup, by the same clock. */
    idle: Number(field.idle.toPrecision(3)),
    /** Largest over all D. */
    error,
    ...provenance(new Date()),
  };
}
