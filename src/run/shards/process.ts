/** The process of a shard: serves it to the process that started it (start.ts), on one device. Arguments: device, threads, kernels of the X-LAPs. */
import { compileLess } from "../../core/compile-less.js";
import type { DeviceChoice } from "../../gpu/adapter.js";
import type { LapMethod } from "../../lap/method.js";
import { createCpuSteps } from "../../map/dual/cpu-steps.js";
import { createGpuSteps } from "../../map/gpu/gpu-steps.js";
import type { FromShard, Line, ToShard } from "../../map/shards/line.js";
import { serveShard } from "../../map/shards/serve.js";
import { openDevice } from "../device.js";
import { inSharedMemory } from "./arrays.js";

compileLess();
const [choice, threads, xLaps] = process.argv.slice(2) as [DeviceChoice, string, LapMethod];
const now = () => performance.now() / 1000;

const line: Line<FromShard, ToShard> = {
  send: (message) => process.send?.(message),
  listen(hear, lost) {
    process.on("message", hear);
    process.once("disconnect", () => lost("the process of the ascent has ended"));
  },
};

// Ctrl-C goes to all processes of a terminal, and only that of the ascent answers it: this one is needed until the end, which it hears of by its line.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

let device: ReturnType<typeof openDevice> | null = null;

serveShard(
  line,
  async (sent, part) => {
    device ??= openDevice(choice);
    const { session, actual } = await device;
    const graph = inSharedMemory(sent);
    const steps =
      session === null
        ? createCpuSteps(graph, { threads: Number(threads), now, part })
        : await createGpuSteps(session, graph, { now, part, xLaps });
    return { steps, actual };
  },
  async () => {
    await (await device)?.close();
    process.exit();
  },
);
