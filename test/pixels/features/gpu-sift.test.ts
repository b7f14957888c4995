import { describe, expect, test, vi } from "vitest";
import type { Keypoints } from "../../../src/core/keypoints.js";
import type { GpuSession } from "../../../src/gpu/session.js";
import { loadKernel } from "../../../src/gpu/wgsl/kernel.js";
import { Workspace } from "../../../src/gpu/workspace.js";
import { EXTREMA_CONSTANTS, findPlaces, REFINE_CONSTANTS } from "../../../src/pixels/features/sift/extrema.js";
import { detectSift, GpuSift } from "../../../src/pixels/features/sift/gpu-sift.js";
import { SIFT_DEFAULTS, type SiftOptions } from "../../../src/pixels/features/sift/sift.js";
import { spaceOf } from "../../../src/pixels/features/sift/space.js";
import type { GreyImage } from "../../../src/pixels/image.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { blobImage, drawn, scatteredBlobs } from "./images.js";

vi.setConfig({ testTimeout: 240_000 });
const session = useSoftwareSession();
const image = blobImage(83, 61, scatteredBlobs(120, 83, 61, 1.1, 6));

/** Share of a's keypoints that b has within 0.01 px, 0.1 % of σ and 0.01 rad; and the largest difference of their descriptors. */
function agreement(a: Keypoints, b: Keypoints) {
  let [same, worst] = [0, 0];
  for (let k = 0; k < a.x.length; k++) {
    for (let l = 0; l < b.x.length; l++) {
      if (Math.hypot(a.x[k] - b.x[l], a.y[k] - b.y[l]) > 0.01 || Math.abs(a.sigma[k] / b.sigma[l] - 1) > 1e-3) continue;
      if (Math.abs(Math.sin((a.angle[k] - b.angle[l]) / 2)) > 0.005) continue;
      same++;
      for (let d = 0; d < 128; d++) {
        worst = Math.max(worst, Math.abs(a.descriptors[128 * k + d] - b.descriptors[128 * l + d]));
      }
      break;
    }
  }
  return { share: same / a.x.length, worst };
}

describe.each([
  ["doubled", { ...SIFT_DEFAULTS, peak: 0.02 }],
  [
    "not doubled, the thesis's variant",
    { ...SIFT_DEFAULTS, firstOctave: 0 as const, peak: 0.002, subpixel: false, orientations: 1 },
  ],
])("%s", (_, options) => {
  test("the kernels find the twin's keypoints, with its descriptors and counts", async () => {
    const [twin, found] = await Promise.all(
      [null, session()].map((device) => detectSift(image, options, { device, stages: true })),
    );
    expect(twin.keypoints.x.length).toBeGreaterThan(30);
    const [one, other] = [agreement(twin.keypoints, found.keypoints), agreement(found.keypoints, twin.keypoints)];
    expect(Math.min(one.share, other.share)).toBeGreaterThanOrEqual(0.995);
    expect(one.worst).toBeLessThanOrEqual(3);
    for (const stage of ["extrema", "softThreshold", "interpolated", "threshold", "edge", "keypoints"] as const) {
      expect(Math.abs(found.counts[stage] / twin.counts[stage] - 1)).toBeLessThan(0.01);
    }
  });
});

test.each([4, 8])(
  "of neighbours that are equal but for rounding every device chooses the same: squares of %d pixels",
  async (side) => {
    const squares = drawn(64, 48, (x, y) => 255 * ((Math.floor(x / side) + Math.floor(y / side)) % 2));
    const [twin, found] = await Promise.all(
      [null, session()].map((device) => detectSift(squares, SIFT_DEFAULTS, { device })),
    );
    expect(found.counts.edge).toBe(twin.counts.edge);
    expect(found.keypoints.x.length).toBe(twin.keypoints.x.length);
    expect(agreement(twin.keypoints, found.keypoints).share).toBe(1);
    // One in the middle of each, and four directions where they are as good as each other.
    if (side === 8) expect(twin.counts.edge).toBe((64 * 48) / side ** 2);
    expect(twin.keypoints.x.length).toBeGreaterThanOrEqual(3 * twin.counts.edge);
  },
);

test("two runs give the same bytes, and one object serves many images", async () => {
  const sift = await GpuSift.create(session(), image, SIFT_DEFAULTS);
  const first = (await sift.detect(image)).keypoints;
  const empty = (await sift.detect(drawn(image.width, image.height, () => 50))).keypoints;
  const again = (await sift.detect(image)).keypoints;
  // As many keypoints as before: they come back with the counters.
  const onceMore = (await sift.detect(image)).keypoints;
  const overlapping = await Promise.all([sift.detect(image), sift.detect(image), sift.detect(image)]);
  sift.destroy();
  expect(empty.x.length).toBe(0);
  expect(again).toEqual(first);
  expect(onceMore).toEqual(first);
  for (const { keypoints } of overlapping) expect(keypoints).toEqual(first);
});

test("lists that overflow are made longer, and nothing is lost", async () => {
  const small = blobImage(48, 40, scatteredBlobs(60, 48, 40, 1.1, 3));
  const sift = await GpuSift.create(session(), small, SIFT_DEFAULTS, false, 4);
  const { keypoints } = await sift.detect(small);
  sift.destroy();
  const twin = (await detectSift(small, SIFT_DEFAULTS, { device: null })).keypoints;
  expect(twin.x.length).toBeGreaterThan(16);
  expect(agreement(twin, keypoints).share).toBe(1);
  expect(keypoints.x.length).toBe(twin.x.length);
});

test("a scale space in halves: the kernels find what the twin finds, and nearly all that f32 finds", async () => {
  const small = blobImage(64, 50, scatteredBlobs(80, 64, 50, 1.1, 4));
  const options = { ...SIFT_DEFAULTS, firstOctave: 0 as const, peak: 0.005 };
  const halves = { ...options, storage: "f16" as const };
  const find = async (of: SiftOptions, device: GpuSession | null) =>
    (await detectSift(small, of, { device })).keypoints;
  const [found, twin, whole] = [
    await find(halves, session()),
    await find(halves, null),
    await find({ ...options, storage: "f32" }, null),
  ];
  expect(whole.x.length).toBeGreaterThan(15);
  // A sum that lies near the middle between two halves may be rounded either way.
  const shared = (a: Keypoints, b: Keypoints) =>
    Array.from(a.x).filter((x, k) => b.x.some((bx, l) => Math.hypot(x - bx, a.y[k] - b.y[l]) < 0.1)).length /
    a.x.length;
  expect(Math.min(shared(twin, found), shared(found, twin))).toBeGreaterThan(0.9);
  expect(Math.min(shared(whole, found), shared(found, whole))).toBeGreaterThan(0.85);
  expect(agreement(whole, found).share).toBeLessThan(1);
});

/** Places that a device finds in one octave of six Gaussians, whose width is a multiple of four. */
async function placesOnDevice(gaussians: readonly GreyImage[], { peak, edge }: { peak: number; edge: number }) {
  const device = session();
  const [{ width, height }] = gaussians;
  const text = (name: string) => new URL(`../../../src/pixels/features/sift/${name}.wgsl`, import.meta.url);
  const extrema = await loadKernel(device, text("extrema"), { constants: EXTREMA_CONSTANTS });
  const refine = await loadKernel(device, text("refine"), { constants: REFINE_CONSTANTS });
  const room = 64;
  const limits = { soft: 0.8 * peak, peak, edge: (edge + 1) ** 2 / edge };
  const rooms = { candidateRoom: room, placeRoom: room, keypointRoom: 0, orientations: 1 };
  const octaves = [{ offset: 0, width, height, firstGroup: 0 }];
  const planes = gaussians.flatMap(({ pixels }) => [...pixels]);
  const work = new Workspace(device, "places");
  work.uniform("space", extrema.struct("Space"), spaceOf(octaves, { ...limits, ...rooms }));
  work.upload("pyramid", Float32Array.from(planes));
  work.storage("counters", 6);
  work.storage("candidates", 2 * room);
  work.storage("places", refine.struct("Place").words * room);
  const steps = [extrema, refine].map((kernel) => ({ kernel, groups: [1] as const }));
  const record = (encoder: GPUCommandEncoder) => work.record(encoder, steps);
  const parts = [{ name: "counters" }, { name: "places" }];
  const [[, found], places] = await work.run(record, parts, (words) => words.map((part) => part.slice()));
  work.destroy();
  return refine
    .struct("Place")
    .unpack<{ pixel: number }>(places.buffer as ArrayBuffer)
    .slice(0, found);
}

test("a saddle is no place to either twin, also where its curvatures cancel each other", async () => {
  // D of layers 1 to 3, columns 2 to 5 of rows 2 to 4: the parabola of the extremum at (3, 3) moves to (4, 3), where D_xx + D_yy = 0.
  const saddle = [
    [13, 3, 16, 3, 9, 26, 24, 48, 27, 19, 23, 37],
    [24, 28, 13, 23, 29, 40, 39, 80, 3, 27, 23, 49],
    [27, 3, 22, 24, 22, 8, 21, 4, 3, 15, 20, -3],
  ];
  const [width, height] = [8, 8];
  const gaussians = [drawn(width, height, () => 0)];
  for (const layer of [[], ...saddle, []]) {
    const before = gaussians[gaussians.length - 1].pixels;
    const at = (x: number, y: number) => (x >= 2 && x < 6 && y >= 2 && y < 5 ? (layer[4 * (y - 2) + x - 2] ?? 0) : 0);
    gaussians.push(drawn(width, height, (x, y) => before[y * width + x] + at(x, y)));
  }
  const options = { peak: 5, edge: 10, subpixel: true, countAll: false };
  const counts = { extrema: 0, softThreshold: 0, interpolated: 0, threshold: 0, edge: 0, keypoints: 0 };
  const places = findPlaces({ gaussians, spacing: 1 }, 0, options, counts);
  const found = await placesOnDevice(gaussians, options);
  expect(counts.threshold).toBeGreaterThan(counts.edge);
  expect(places.map(({ column, row }) => [column, row])).not.toContainEqual([4, 3]);
  expect(found.map(({ pixel }) => pixel).sort()).toEqual(places.map(({ column, row }) => column + 65536 * row).sort());
});
