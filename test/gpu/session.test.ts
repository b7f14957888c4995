import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findAdapter, listDevices } from "../../src/gpu/adapter.js";
import { createStorage, readStorage, splitByBinding, uploadStorage } from "../../src/gpu/buffers.js";
import { DeviceError, DeviceLostError } from "../../src/gpu/device-error.js";
import { openSession } from "../../src/gpu/open-session.js";
import { PassTimer } from "../../src/gpu/timer.js";
import { useSoftwareSession } from "./software-session.js";

const session = useSoftwareSession();

describe("adapters", () => {
  test("the list names the software adapter and what it can do", async () => {
    const software = (await listDevices()).find((device) => device.kind === "software");
    expect(software).toMatchObject({ backend: "vulkan", kind: "software" });
    expect(software?.maxBindingBytes).toBeGreaterThan(2 ** 27);
  });

  test("cpu means no device, and a software adapter is never chosen by auto or gpu", async () => {
    expect(await openSession("cpu")).toBeNull();
    const isReal = (await findAdapter("auto"))?.description.kind === "gpu";
    if (isReal) expect((await findAdapter("gpu"))?.description.kind).toBe("gpu");
    else await expect(findAdapter("gpu")).rejects.toThrow(/no GPU found.*--device cpu/);
  });
});

describe("buffers", () => {
  test("what is uploaded is read back", async () => {
    const numbers = Float32Array.of(1.5, -2, 3e-9);
    const words = Uint32Array.of(7, 2 ** 32 - 1);
    const buffers = [uploadStorage(session(), "numbers", numbers), uploadStorage(session(), "words", words)];
    const [first, second] = await readStorage(session(), buffers);
    expect(new Float32Array(first as ArrayBuffer)).toEqual(numbers);
    expect(new Uint32Array(second as ArrayBuffer)).toEqual(words);
    for (const buffer of buffers) buffer.destroy();
  });

  test("pieces are split below the binding limit, and one too large is refused with its size", () => {
    const most = session().device.limits.maxStorageBufferBindingSize / 4;
    expect(splitByBinding(session(), "piece", [most / 2, most / 2, 1])).toEqual([0, 2, 3]);
    expect(splitByBinding(session(), "piece", [])).toEqual([0, 0]);
    expect(() => splitByBinding(session(), "piece", [1, most + 1])).toThrow(/piece 1 needs/);
  });
});

describe("errors", () => {
  test("a buffer beyond the limit is refused with the remedy", async () => {
    const size = session().device.limits.maxBufferSize + 4;
    const work = session().scoped("cost matrix", () => session().device.createBuffer({ size, usage: 128 }));
    await expect(work).rejects.toThrow(DeviceError);
    await expect(work).rejects.toThrow(/cost matrix/);
  });

  test("an array beyond the largest binding is refused with its size and the remedy", () => {
    const most = session().device.limits.maxStorageBufferBindingSize;
    expect(() => createStorage(session(), "planes", most / 4 + 1)).toThrow(
      new RegExp(`planes needs ${most + 4} bytes, .* at most ${most}: use less data at once, or the CPU`),
    );
  });

  test("an error of the work itself passes through the scopes", async () => {
    await expect(
      session().scoped("work", () => {
        throw new RangeError("mine");
      }),
    ).rejects.toThrow(RangeError);
    expect(await session().scoped("work", () => 5)).toBe(5);
  });

  test("a lost device is reported at the next call, with what to do", async () => {
    const other = await openSession("software");
    other?.device.destroy();
    await other?.device.lost;
    expect(() => other?.check()).toThrow(/lost .*: run again, .* or on the CPU$/);
    expect(() => other?.check()).toThrow(DeviceLostError);
  });
});

test("a pass is timed in milliseconds of the device's clock", async () => {
  const { device } = session();
  const timer = new PassTimer(session(), 2);
  const encoder = device.createCommandEncoder();
  for (let pass = 0; pass < 2; pass++) encoder.beginComputePass({ timestampWrites: timer.next() }).end();
  timer.resolve(encoder);
  device.queue.submit([encoder.finish()]);
  const times = await timer.read();
  expect(times).toHaveLength(2);
  for (const time of times) expect(time).toBeGreaterThanOrEqual(0);
  timer.destroy();
});

test("a process that used the device ends by itself with exit code 0", async () => {
  const script = `
    import { openSession } from "./dist/gpu/open-session.js";
    const session = await openSession("software");
    const buffer = session.device.createBuffer({ size: 1024, usage: 128 });
    await session.finished();
    await session.close();
    console.log("closed", buffer.size);
  `;
  const node = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { timeout: 20_000 });
  expect((await node).stdout).toBe("closed 1024\n");
});
