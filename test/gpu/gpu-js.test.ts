import { afterEach, expect, test, vi } from "vitest";
import { readStorage, uploadStorage } from "../../src/gpu/buffers.js";
import { DeviceError } from "../../src/gpu/device-error.js";
import { openGpuJs } from "../../src/gpu/gpu-js.js";
import { openSession } from "../../src/gpu/open-session.js";
import { useSoftwareSession } from "./software-session.js";

const session = useSoftwareSession();

afterEach(() => {
  vi.restoreAllMocks();
});

test("a kernel reads a buffer of the session's device and leaves its result in one", async () => {
  const { gpu, asArgument, release } = await openGpuJs(session());
  const length = gpu
    .createKernel(function (this: { thread: { x: number } }, at: number[][]) {
      return Math.sqrt(at[this.thread.x][0] * at[this.thread.x][0] + at[this.thread.x][1] * at[this.thread.x][1]);
    })
    .setOutput([3])
    .setPipeline(true);
  const points = uploadStorage(session(), "points", Float32Array.of(3, 4, 5, 12, 8, 15));
  const result = (await length(asArgument(points, [2, 3]) as never)) as unknown as ReturnType<typeof asArgument>;
  const [bytes] = await readStorage(session(), [result.buffer]);
  expect([...new Float32Array(bytes)]).toEqual([5, 13, 17]);
  result.delete();
  await release();
  session().check();
  const [kept] = await readStorage(session(), [points]);
  expect(new Float32Array(kept)[0]).toBe(3);
  points.destroy();
});

test("errors stay the session's to report, and navigator is as it was", async () => {
  const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const said = vi.spyOn(console, "error").mockReturnValue();
  const other = await openSession("software");
  if (other === null) throw new Error("no software adapter");
  await expect(openGpuJs(other)).rejects.toThrow(DeviceError);
  await other.close();

  const { release } = await openGpuJs(session());
  const { onuncapturederror } = session().device;
  expect(Object.getOwnPropertyDescriptor(globalThis, "navigator")).toEqual(navigator);
  await release();
  expect(session().device.onuncapturederror).toBe(onuncapturederror);
  expect(said).not.toHaveBeenCalled();
});
