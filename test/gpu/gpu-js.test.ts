import { expect, test } from "vitest";
import { readStorage } from "../../src/gpu/buffers.js";
import { openGpuJs } from "../../src/gpu/gpu-js.js";
import { useSoftwareSession } from "./software-session.js";

const session = useSoftwareSession();

test("a gpu.js pipeline leaves its result in a buffer of the session's device", async () => {
  const { gpu, release } = await openGpuJs(session());
  const distance = gpu
    .createKernel(function (this: { thread: { x: number } }, x: number[], y: number[]) {
      return Math.sqrt(x[this.thread.x] * x[this.thread.x] + y[this.thread.x] * y[this.thread.x]);
    })
    .setOutput([3])
    .setPipeline(true);
  const result = (await distance([3, 5, 8], [4, 12, 15])) as unknown as { buffer: GPUBuffer; delete(): void };
  const [bytes] = await readStorage(session(), [result.buffer]);
  expect([...new Float32Array(bytes as ArrayBuffer).subarray(0, 3)]).toEqual([5, 13, 17]);
  result.delete();
  release();
  session().check();
});
