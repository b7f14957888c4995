/** The times that CudaSift and OpenCV are compared with: each method by the device's clock, image and results on the device. */
import { DESCRIPTOR_LENGTH } from "../../dist/core/keypoints.js";
import { createGpuCanny, detectCanny } from "../../dist/pixels/features/canny.js";
import {
  type CornerOptions,
  chooseCorners,
  createGpuCorners,
  detectCorners,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "../../dist/pixels/features/corners.js";
import { createGpuEdgeImage, type EdgeImage, makeEdgeImage } from "../../dist/pixels/features/edge-images.js";
import { createGpuKlt } from "../../dist/pixels/features/klt.js";
import { KLT_DEFAULTS, KLT_LEVELS, KLT_STATUS } from "../../dist/pixels/features/klt-options.js";
import { kltPyramid, trackKltBothWays } from "../../dist/pixels/features/klt-track.js";
import { GpuMatch, matchDescriptors, nearestOnCpu } from "../../dist/pixels/features/match.js";
import { GpuSift } from "../../dist/pixels/features/sift/gpu-sift.js";
import { detectSiftOnCpu, SIFT_DEFAULTS } from "../../dist/pixels/features/sift/sift.js";
import { inFloats, type Plane } from "../../dist/pixels/image.js";
import type { FeaturesRow } from "../rows/features.js";
import { sharedKeypoints, sharedPlaces, shifted } from "./images.js";
import { type Bench, type Job, LEAST_AGREEMENT, LEAST_TRACKS, placeOf, type SizedImage } from "./job.js";

/** As cv2.Canny's in the specification. */
const CANNY = { low: 50, high: 100 } as const;
const EDGE_IMAGES: readonly EdgeImage[] = [
  { filter: "sobel" },
  { filter: "log", sigma: 1.4 },
  { filter: "dog", narrow: 1.4, wide: 3 },
];
/** Pixels that the second image of KLT is moved by. */
const SHIFT = { x: 3.3, y: -2.7 } as const;
const MOST_PIXELS_OFF = 0.01;
/** Descriptors of the first set whose neighbours are compared with the twin's. */
const MOST_CHECKED = 300;

interface Measured {
  readonly agreement: number;
  readonly least?: number;
  /** The label of the passes that count, and what records them. */
  readonly timed: readonly [label: string, work: () => Promise<unknown>];
  /** Fields of the row beside the time; timings among them are made only where the answer agrees. */
  readonly more: () => Promise<Record<string, unknown>>;
  readonly destroy: () => void;
}

/** Jobs of every method in one size. */
export function methodJobs(bench: Bench, { size, image }: SizedImage): Job[] {
  const { clock } = bench;
  const job = (what: string, measure: (image: Plane) => Promise<Measured>): Job => ({
    figure: "cudasift",
    what: [what],
    size,
    rows: async () => [await rowOf(bench, what, size, await measure(image()))],
  });
  const corners = (what: string, options: CornerOptions) => job(what, (one) => cornersOf(clock, one, options));
  return [
    job("sift doubled", (one) => siftOf(clock, one, -1)),
    job("sift", (one) => siftOf(clock, one, 0)),
    corners("harris", { ...HARRIS_DEFAULTS, most: 1000 }),
    corners("klt selection", KLT_SELECTION_DEFAULTS),
    job("klt there and back", (one) => kltOf(clock, one)),
    job("canny", (one) => cannyOf(clock, one)),
    ...EDGE_IMAGES.map((what) => job(what.filter, (one) => edgeImageOf(clock, one, what))),
  ];
}

/** Matching of n descriptors with n others, all of random bytes. */
export function matchJobs(bench: Bench, counts: readonly number[]): Job[] {
  return counts.map((n) => {
    const what = `match ${n} x ${n}`;
    const rows = async () => [await rowOf(bench, what, null, await matchOf(bench.clock, n))];
    return { figure: "cudasift", what: [what], size: null, rows };
  });
}

async function rowOf(bench: Bench, what: string, size: string | null, measured: Measured): Promise<FeaturesRow> {
  const { agreement, least = LEAST_AGREEMENT, timed, more, destroy } = measured;
  try {
    const agrees = agreement >= least;
    return {
      benchmark: "features",
      what,
      size,
      milliseconds: agrees ? { ...(await bench.clock.device(...timed)) } : null,
      agreement,
      ...(agrees ? await more() : {}),
      ...placeOf(bench),
    };
  } finally {
    destroy();
  }
}

type Clock = Bench["clock"];

async function siftOf(clock: Clock, image: Plane, firstOctave: 0 | -1): Promise<Measured> {
  const options = { ...SIFT_DEFAULTS, firstOctave };
  const gpu = await GpuSift.create(clock.session, image, options);
  const found = (await gpu.detect(image)).keypoints;
  const twin = detectSiftOnCpu(inFloats(image), options).keypoints;
  return {
    agreement: Math.min(sharedKeypoints(found, twin), sharedKeypoints(twin, found)),
    timed: ["sift", () => gpu.detect(image)],
    more: async () => ({
      keypoints: found.x.length,
      bytes: gpu.bytes,
      kernels: await clock.kernels(() => gpu.detect(image)),
      wall: (await clock.wall(() => gpu.detect(image))).spread,
    }),
    destroy: () => gpu.destroy(),
  };
}

async function cornersOf(clock: Clock, image: Plane, options: CornerOptions): Promise<Measured> {
  const gpu = await createGpuCorners(clock.session, image, options);
  const { candidates } = await gpu.find(image, false);
  const found = chooseCorners(candidates, image.width, options);
  const twin = (await detectCorners(image, options, { device: null })).corners;
  return {
    agreement: sharedPlaces(found, twin),
    timed: ["corners", () => gpu.find(image, false)],
    more: async () => ({ corners: found.x.length, candidates: candidates.length }),
    destroy: () => gpu.destroy(),
  };
}

async function kltOf(clock: Clock, image: Plane): Promise<Measured> {
  const { corners: points } = await detectCorners(image, KLT_SELECTION_DEFAULTS, { device: null });
  const moved = shifted(image, SHIFT.x, SHIFT.y);
  const gpu = await createGpuKlt(clock.session, image, KLT_DEFAULTS, KLT_LEVELS);
  const found = await gpu.trackBothWays(image, moved, points);
  const twin = trackKltBothWays(
    kltPyramid(inFloats(image), KLT_LEVELS),
    kltPyramid(inFloats(moved), KLT_LEVELS),
    points,
    KLT_DEFAULTS,
  );
  const same = [...twin.status.keys()].filter((k) => {
    if (twin.status[k] !== found.status[k]) return false;
    const near = Math.hypot(found.x[k] - twin.x[k], found.y[k] - twin.y[k]) < MOST_PIXELS_OFF;
    return twin.status[k] !== KLT_STATUS.tracked || near;
  });
  return {
    agreement: points.x.length === 0 ? 1 : same.length / points.x.length,
    least: LEAST_TRACKS,
    timed: ["klt", () => gpu.trackBothWays(image, moved, points)],
    more: async () => ({
      points: points.x.length,
      tracked: found.status.filter((status) => status === KLT_STATUS.tracked).length,
      wall: (await clock.wall(() => gpu.trackBothWays(image, moved, points))).spread,
    }),
    destroy: () => gpu.destroy(),
  };
}

async function cannyOf(clock: Clock, image: Plane): Promise<Measured> {
  const { low, high } = CANNY;
  const gpu = await createGpuCanny(clock.session, image, low, high);
  const found = await gpu.detect(image);
  const twin = await detectCanny(image, low, high, { device: null });
  return {
    agreement: Number(found.every((edge, p) => edge === twin[p])),
    timed: ["canny", () => gpu.detect(image)],
    more: async () => ({
      edgePixels: found.reduce((sum, edge) => sum + edge, 0),
      wall: (await clock.wall(() => gpu.detect(image))).spread,
    }),
    destroy: () => gpu.destroy(),
  };
}

/** Agreement: the share of pixels within 1e-4 of the largest. */
async function edgeImageOf(clock: Clock, image: Plane, what: EdgeImage): Promise<Measured> {
  const gpu = await createGpuEdgeImage(clock.session, image, what);
  const found = (await gpu.make(image)).pixels;
  const twin = (await makeEdgeImage(image, what, { device: null })).pixels;
  const most = twin.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const near = found.reduce((sum, value, p) => sum + Number(Math.abs(value - twin[p]) <= 1e-4 * most), 0);
  return {
    agreement: near / found.length,
    timed: ["edge image", () => gpu.make(image)],
    more: async () => ({}),
    destroy: () => gpu.destroy(),
  };
}

async function matchOf(clock: Clock, n: number): Promise<Measured> {
  const bytes = (seed: number) => {
    let state = seed;
    return Uint8Array.from({ length: DESCRIPTOR_LENGTH * n }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 24;
    });
  };
  const [a, b] = [bytes(1), bytes(2)];
  const gpu = await GpuMatch.create(clock.session);
  const [found] = await gpu.neighbours(a, b);
  const checked = Math.min(n, MOST_CHECKED);
  const twin = nearestOnCpu(a.subarray(0, DESCRIPTOR_LENGTH * checked), b);
  const same = [...twin.nearest.keys()].every(
    (i) => twin.nearest[i] === found.nearest[i] && twin.best[i] === found.best[i] && twin.second[i] === found.second[i],
  );
  return {
    agreement: Number(same),
    timed: ["match", () => gpu.neighbours(a, b)],
    more: async () => {
      const all = { ratio: 1, mutual: false };
      const { spread } = await clock.wall(() => matchDescriptors(a, b, all, { device: clock.session, kept: gpu }));
      return { checked, wall: spread };
    },
    destroy: () => gpu.destroy(),
  };
}
