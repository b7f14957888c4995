import { expect, test, vi } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { GpuMatch, matchDescriptors, nearestOnCpu, selectMatches } from "../../../src/pixels/features/match.js";
import { useSoftwareSession } from "../../gpu/software-session.js";

vi.setConfig({ testTimeout: 240_000 });
const session = useSoftwareSession();

/** n descriptors of bytes 0 … `most`: with few values, many distances are equal. */
function descriptors(n: number, most: number, seed: number): Uint8Array {
  const stream = randomStreams(seed).next().value;
  return Uint8Array.from({ length: 128 * n }, () => Math.floor(stream.uniform(0, most + 1)));
}

test("neighbours are those of a plain search, ties to the lower index", () => {
  const [a, b] = [descriptors(7, 1, 1), descriptors(40, 1, 2)];
  b.set(a.subarray(0, 128), 128 * 11);
  b.set(a.subarray(0, 128), 128 * 30);
  const { nearest, best, second } = nearestOnCpu(a, b);
  expect([nearest[0], best[0], second[0]]).toEqual([11, 0, 0]);
  for (let i = 0; i < 7; i++) {
    const all = Array.from({ length: 40 }, (_, j) => {
      let sum = 0;
      for (let k = 0; k < 128; k++) sum += (a[128 * i + k] - b[128 * j + k]) ** 2;
      return sum;
    });
    const sorted = [...all].sort((p, q) => p - q);
    expect([nearest[i], best[i], second[i]]).toEqual([all.indexOf(sorted[0]), sorted[0], sorted[1]]);
  }
});

test.each([
  [1, 1, 255],
  [65, 33, 1],
  [130, 300, 3],
  [3, 257, 255],
])("the kernels find the twin's neighbours, all of them: %d × %d descriptors up to %d", async (n, m, most) => {
  const [a, b] = [descriptors(n, most, 3), descriptors(m, most, 4)];
  for (const mutual of [false, true]) {
    const [twin, found] = await Promise.all(
      [null, session()].map((device) => matchDescriptors(a, b, { ratio: 1, mutual }, { device })),
    );
    expect(found).toEqual(twin);
  }
});

test("one object on a device serves pairs of images of any sizes, as kept as new", async () => {
  const kept = await GpuMatch.create(session());
  for (const [n, m, mutual] of [
    [40, 30, true],
    [9, 1500, false],
    [1300, 5, true],
    [9, 30, true],
  ] as const) {
    const [a, b] = [descriptors(n, 40, n), descriptors(m, 40, m)];
    const options = { ratio: 0.95, mutual };
    const found = await matchDescriptors(a, b, options, { device: session(), kept });
    expect(found).toEqual(await matchDescriptors(a, b, options, { device: null }));
  }
  kept.destroy();
});

test("the ratio test and mutual matches", async () => {
  const b = descriptors(20, 255, 5);
  const a = b.slice(0, 128 * 5).map((value) => Math.min(value + 1, 255));
  const device = null;
  const clear = await matchDescriptors(a, b, { ratio: 0.8, mutual: true }, { device });
  expect([...clear.j]).toEqual([0, 1, 2, 3, 4]);
  expect(Math.max(...clear.ratio)).toBeLessThan(0.1);
  // A second copy makes it ambiguous.
  const twice = new Uint8Array([...b, ...b.subarray(0, 128)]);
  expect([...(await matchDescriptors(a, twice, { ratio: 0.8, mutual: false }, { device })).i]).toEqual([1, 2, 3, 4]);
  expect(selectMatches(nearestOnCpu(a, new Uint8Array()), null, { ratio: 1, mutual: false }).i.length).toBe(0);
});
