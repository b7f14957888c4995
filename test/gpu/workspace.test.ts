import { expect, test, vi } from "vitest";
import { strideOver } from "../../src/gpu/dispatch.js";
import { DeviceLists } from "../../src/gpu/lists.js";
import { PassLog } from "../../src/gpu/timer.js";
import { type Kernel, loadKernel } from "../../src/gpu/wgsl/kernel.js";
import { once, Workspace } from "../../src/gpu/workspace.js";
import { useSoftwareSession } from "./software-session.js";

const session = useSoftwareSession();
const load = () => loadKernel(session(), new URL("./count.wgsl", import.meta.url));

/** The numbers below a limit, in order, by a list that has room for `room` of them at first; and the rooms that it had. */
function belowOf(work: Workspace, kernel: Kernel, values: Float32Array, room: number) {
  const rooms: number[] = [];
  const steps = ([listRoom]: readonly number[]) => {
    rooms.push(listRoom);
    work.storage("list", listRoom);
    return [{ kernel, groups: [strideOver(kernel, values.length)] as const }];
  };
  work.storage("values", values.length);
  work.storage("count", 1);
  const lists = new DeviceLists(work, { counters: "count", counts: ([n]) => [n], steps }, [room]);
  const below = async (limit: number) =>
    await lists.fill({
      before: async (encoder, [listRoom], isAgain) => {
        if (!isAgain) await work.send(encoder, values, "values");
        work.uniform("run", kernel.struct("Run"), { limit, room: listRoom });
      },
      parts: ([n]) => [{ name: "list", bytes: 4 * n }],
      decode: ([words], [n]) => {
        expect(words.length).toBe(n);
        return [...new Float32Array(words.slice().buffer)].sort((a, b) => a - b);
      },
    });
  return { below, rooms };
}

const sequence = (n: number) => Array.from({ length: n }, (_, k) => k);
const shuffled = Float32Array.from({ length: 50 }, (_, k) => (7 * k) % 50);

test("a list grows until it holds all that is found", async () => {
  const work = new Workspace(session(), "below");
  const { below, rooms } = belowOf(work, await load(), shuffled, 3);
  for (const n of [20, 21, 0, 45]) expect(await below(n)).toEqual(sequence(n));
  expect(rooms).toEqual([3, 40, 90]);
  work.destroy();
});

test("kernels are bound to a buffer that replaced another, and to buffers of other names", async () => {
  const kernel = await load();
  const work = new Workspace(session(), "growing");
  work.storage("count", 1);
  const steps = [{ kernel, groups: [5] as const, bound: { list: "found" } }];
  for (const n of [3, 3, 17]) {
    const values = Float32Array.from(sequence(n)).map((value) => value - n);
    work.upload("values", values);
    work.storage("found", n);
    work.uniform("run", kernel.struct("Run"), { limit: 0, room: n });
    const record = (encoder: GPUCommandEncoder) => {
      work.clear(encoder, ["count"]);
      work.record(encoder, steps);
    };
    const found = await work.run(record, [{ name: "found" }], ([words]) => new Float32Array(words.slice().buffer));
    expect(found.sort()).toEqual(values.sort());
  }
  work.destroy();
});

test("dispatches that differ in their constants share a bind group, and each gets its own constant, on any page", async () => {
  const kernel = await load();
  const work = new Workspace(session(), "constants");
  const groups = vi.spyOn(session().device, "createBindGroup");
  const limits = Array.from({ length: 300 }, (_, n) => n % 50);
  work.upload("values", shuffled);
  work.storage("count", 1);
  work.storage("list", 50 * limits.length);
  const record = (encoder: GPUCommandEncoder) => {
    // Each adds to the same list as many numbers as are below its limit.
    const room = 50 * limits.length;
    const steps = limits.map((limit, n) => {
      const run = work.constant(kernel.struct("Run"), { limit: limit + n / 1000, room });
      return { kernel, groups: [strideOver(kernel, shuffled.length)] as const, bound: { run } };
    });
    work.record(encoder, steps);
  };
  const count = await work.run(record, [{ name: "count" }], ([words]) => words[0]);
  expect(count).toBe(limits.reduce((sum, limit, n) => sum + (n === 0 ? 0 : limit + 1), 0));
  // 256 bytes apart, 300 constants take two pages.
  expect(groups).toHaveBeenCalledTimes(2);
  groups.mockRestore();
  work.destroy();
});

test("a buffer that is not there is named, and those that are", async () => {
  const kernel = await load();
  const work = new Workspace(session(), "short");
  work.storage("values", 1);
  const record = (bound: Record<string, string>) => (encoder: GPUCommandEncoder) =>
    work.record(encoder, [{ kernel, groups: [1], bound }]);
  await expect(work.run(record({ list: "lists" }), [], () => null)).rejects.toThrow(
    "short has no buffer lists; it has values",
  );
  await expect(work.run(record({}), [], () => null)).rejects.toThrow(/run is declared, and nothing is bound to it/);
  work.destroy();
});

test("more is sent in one submission than takes turns, also where nothing is read back", async () => {
  const work = new Workspace(session(), "sent");
  work.storage("all", 40);
  const parts = Array.from({ length: 10 }, (_, k) => Uint8Array.of(k, 1, 2, 3));
  const send = async (encoder: GPUCommandEncoder) => {
    for (const [k, part] of parts.entries()) await work.send(encoder, part, "all", 4 * k);
  };
  await work.run(send, [], () => null);
  const sent = () =>
    work.run(
      () => {},
      [{ name: "all", bytes: 40 }],
      ([words]) => new Uint8Array(words.slice().buffer),
    );
  expect([...(await sent())]).toEqual(parts.flatMap((part) => [...part]));
  work.destroy();
});

test("the passes of a workspace are timed, together or kernel by kernel", async () => {
  const log = new PassLog(session(), 8);
  const work = new Workspace(session(), "timed");
  const { below } = belowOf(work, await load(), shuffled, 50);
  const labels = async (apart: boolean) => (await log.of(() => below(9), apart)).map(({ label }) => label);
  expect(await labels(false)).toEqual(["timed"]);
  expect(await labels(true)).toEqual(["test/gpu/count.wgsl"]);
  expect(session().watcher).toBeNull();
  log.destroy();
  work.destroy();
});

test("what is made once is released, also after an error", async () => {
  let released = 0;
  const made = async () => ({ destroy: () => released++ });
  expect(await once(made(), async () => 5)).toBe(5);
  await expect(once(made(), async () => await Promise.reject(new RangeError("mine")))).rejects.toThrow(RangeError);
  expect(released).toBe(2);
});
