/** The measurements of Mücke 2007 made again: its figures 5.2, 5.3, 5.5 and 5.13 and its tables 4.3 and 5.1. */
import type { Keypoints } from "../../dist/core/keypoints.js";
import { randomStreams } from "../../dist/core/random.js";
import { createStorage, readStorage, writeStorage } from "../../dist/gpu/buffers.js";
import {
  chooseCorners,
  cornerCandidates,
  createGpuCorners,
  detectCorners,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "../../dist/pixels/features/corners.js";
import {
  createGpuRansac,
  findHomography,
  findHomographyOnCpu,
  HomographySearch,
  MOST_SAMPLES,
  RANSAC_DEFAULTS,
} from "../../dist/pixels/features/homography/ransac.js";
import { createGpuKlt } from "../../dist/pixels/features/klt.js";
import { KLT_DEFAULTS, KLT_LEVELS, KLT_STATUS } from "../../dist/pixels/features/klt-options.js";
import { GpuMatch, type Matches, matchDescriptors } from "../../dist/pixels/features/match.js";
import {
  createGpuOpenvidia,
  detectOpenvidiaOnCpu,
  OPENVIDIA_DEFAULTS,
  type OpenvidiaOptions,
} from "../../dist/pixels/features/openvidia/openvidia.js";
import { GpuSift } from "../../dist/pixels/features/sift/gpu-sift.js";
import { detectSiftOnCpu, SIFT_DEFAULTS } from "../../dist/pixels/features/sift/sift.js";
import { inFloats, type Plane } from "../../dist/pixels/image.js";
import type { FeaturesThesisRow } from "../rows/features-thesis.js";
import { SAME, sharedKeypoints, sharedPlaces, shifted, type Tolerance } from "./images.js";
import { type Bench, type Job, LEAST_TRACKS, placeOf, type SizedImage } from "./job.js";

/** Pixels that the second image is moved by. */
const SHIFT = { x: 3.3, y: -2.7 } as const;
/** Times of a twin on the CPU: it takes long. */
const CPU_RUNS = 1;
const MIB = 2 ** 20;
/** Copies within the device in one submission. */
const COPIES = 20;
/** Of the records that come back for Harris: how many there are, and each of them. */
const COUNT_BYTES = 8;
const CORNER_BYTES = 16;
const RANSAC_PAIRS = 1000;
/** In halves a sum near the middle between two of them may be rounded either way. */
const NEARLY_SAME: Tolerance = { pixels: 0.1, sigma: 0.02, angle: 0.1 };
/** Of a keypoint that is found with other numbers too. */
const KEPT: Tolerance = { pixels: 0.5, sigma: 0.2, angle: 0.2 };
/** The thesis's descriptors: of 128 numbers, of 64, and with bins by powers of cosines. */
const OPENVIDIA_FORMS = [
  { name: "128 numbers", directions: 8, bins: "linear" },
  { name: "64 numbers", directions: 4, bins: "linear" },
  { name: "128 numbers, bins by cosines", directions: 8, bins: "cosine" },
] as const;

type Values = Partial<
  Pick<
    FeaturesThesisRow,
    | "deviceMilliseconds"
    | "wallMilliseconds"
    | "cpuMilliseconds"
    | "bytesBack"
    | "found"
    | "error"
    | "agreement"
    | "gigabytesPerSecond"
    | "kept"
    | "bytes"
  >
>;

type Answers = readonly Values[];

/** A job whose rows are `what`, in the order in which `measure` gives their values. */
function thesisJob(
  bench: Bench,
  figure: string,
  size: string | null,
  what: readonly string[],
  measure: () => Promise<Answers>,
): Job {
  const rows = async () => {
    const all = await measure();
    return what.map((name, k) => rowOf(bench, figure, name, size, all[k]));
  };
  return { figure, what, size, rows };
}

function rowOf(bench: Bench, figure: string, what: string, size: string | null, values: Values): FeaturesThesisRow {
  const none = { deviceMilliseconds: null, wallMilliseconds: null, cpuMilliseconds: null, bytesBack: null };
  const row = { ...none, found: null, error: null, agreement: null, gigabytesPerSecond: null, ...values };
  const agrees = row.agreement === null || row.agreement >= LEAST_TRACKS;
  return { benchmark: "features-thesis", figure, what, size, ...row, ...(agrees ? {} : none), ...placeOf(bench) };
}

/** Table 4.3: so many bytes to the device, back, and within it, where they are read and written. */
export function transferJobs(bench: Bench, mebibytes: number): Job[] {
  const what = [
    "upload",
    "readback",
    "device memory, read and written",
    "upload and readback at once, both ways together",
  ];
  return [thesisJob(bench, "table 4.3", null, what, () => transfers(bench, mebibytes * MIB))];
}

async function transfers({ clock }: Bench, bytes: number): Promise<Answers> {
  const { session } = clock;
  const data = new Uint32Array(bytes / 4);
  const [a, b] = ["a", "b"].map((label) => createStorage(session, label, data.length));
  try {
    const wall = async (work: () => Promise<unknown>) => (await clock.wall(work)).spread.median;
    const up = await wall(async () => {
      writeStorage(session, a, data);
      await session.finished();
    });
    const down = await wall(() => readStorage(session, [a]));
    const within = await wall(async () => {
      const encoder = session.device.createCommandEncoder();
      for (let k = 0; k < COPIES; k++) encoder.copyBufferToBuffer(a, 0, b, 0, bytes);
      session.device.queue.submit([encoder.finish()]);
      await session.finished();
    });
    const atOnce = await wall(async () => {
      const reading = readStorage(session, [a]);
      writeStorage(session, b, data);
      await Promise.all([reading, session.finished()]);
    });
    const rate = (ms: number, times = 1) => Number(((times * bytes) / 1e6 / ms).toPrecision(4));
    return [
      { wallMilliseconds: up, gigabytesPerSecond: rate(up) },
      { wallMilliseconds: down, gigabytesPerSecond: rate(down) },
      { wallMilliseconds: within, gigabytesPerSecond: rate(within, 2 * COPIES) },
      { wallMilliseconds: atOnce, gigabytesPerSecond: rate(atOnce, 2) },
    ];
  } finally {
    for (const buffer of [a, b]) buffer.destroy();
  }
}

/** Fig. 5.3: Harris. */
export function harrisJobs(bench: Bench, sized: SizedImage): Job[] {
  const measure = async () => {
    const { gpu, values, cpuMilliseconds } = await harrisOf(bench, sized.image());
    gpu.destroy();
    return [{ ...values, cpuMilliseconds }];
  };
  return [thesisJob(bench, "5.3", sized.size, ["harris"], measure)];
}

/** Fig. 5.2: Harris, with suppression on the device and on the host. */
export function suppressionJobs(bench: Bench, sized: SizedImage): Job[] {
  const measure = async () => {
    const image = sized.image();
    const { gpu, values, bytesBack } = await harrisOf(bench, image);
    const { spread } = await bench.clock.wall(async () => {
      const response = (await gpu.find(image, true)).response as Float32Array;
      const most = response.reduce((a, b) => Math.max(a, b), 0);
      const candidates = cornerCandidates(response, image, HARRIS_DEFAULTS.quality * most, 0);
      return chooseCorners(candidates, image.width, HARRIS_DEFAULTS);
    });
    gpu.destroy();
    const whole = { wallMilliseconds: spread.median, bytesBack: bytesBack + 4 * image.pixels.length };
    return [
      { ...values, bytesBack },
      { ...values, ...whole },
    ];
  };
  const what = ["suppression on the device", "whole response read back, suppression on the host"];
  return [thesisJob(bench, "5.2", sized.size, what, measure)];
}

/** Harris with suppression on the device, and its twin. */
async function harrisOf({ clock }: Bench, image: Plane) {
  const gpu = await createGpuCorners(clock.session, image, HARRIS_DEFAULTS);
  let bytesBack = 0;
  const find = async () => {
    const { candidates } = await gpu.find(image, false);
    bytesBack = COUNT_BYTES + CORNER_BYTES * candidates.length;
    return chooseCorners(candidates, image.width, HARRIS_DEFAULTS);
  };
  const onCpu = async () => (await detectCorners(image, HARRIS_DEFAULTS, { device: null })).corners;
  const twin = await clock.wall(onCpu, CPU_RUNS);
  const { spread, answer } = await clock.wall(find);
  const values = {
    found: answer.x.length,
    agreement: sharedPlaces(answer, twin.answer),
    deviceMilliseconds: (await clock.device("corners", find)).median,
    wallMilliseconds: spread.median,
  };
  return { gpu, values, bytesBack, cpuMilliseconds: twin.spread.median };
}

/** Fig. 5.5: so many features tracked there and back over a known shift. */
export function kltJobs(bench: Bench, sized: SizedImage, counts: readonly number[]): Job[] {
  return counts.map((n) =>
    thesisJob(bench, "5.5", sized.size, [`klt there and back, ${n} asked for`], () => kltOf(bench, sized, n)),
  );
}

async function kltOf({ clock }: Bench, sized: SizedImage, n: number): Promise<Answers> {
  const image = sized.image();
  const next = shifted(image, SHIFT.x, SHIFT.y);
  const selection = { ...KLT_SELECTION_DEFAULTS, most: n, quality: 0.001, distance: 3 };
  const { corners } = await detectCorners(image, selection, { device: null });
  const gpu = await createGpuKlt(clock.session, image, KLT_DEFAULTS, KLT_LEVELS);
  try {
    const tracks = await gpu.trackBothWays(image, next, corners);
    const near = [...tracks.status.keys()].flatMap((k) => {
      const off = Math.hypot(tracks.x[k] - corners.x[k] - SHIFT.x, tracks.y[k] - corners.y[k] - SHIFT.y);
      return tracks.status[k] === KLT_STATUS.tracked && off < 1 ? [off] : [];
    });
    const square = near.reduce((sum, off) => sum + off ** 2, 0);
    return [
      {
        found: near.length,
        error: near.length === 0 ? null : Number(Math.sqrt(square / near.length).toPrecision(4)),
        deviceMilliseconds: (await clock.device("klt", () => gpu.trackBothWays(image, next, corners))).median,
        wallMilliseconds: (await clock.wall(() => gpu.trackBothWays(image, next, corners))).spread.median,
      },
    ];
  } finally {
    gpu.destroy();
  }
}

/** Fig. 5.13; the twin on the CPU is timed once. */
export function siftJobs(bench: Bench, sized: SizedImage): Job[] {
  const { clock } = bench;
  return ([-1, 0] as const).map((firstOctave) => {
    const measure = async () => {
      const image = sized.image();
      const options = { ...SIFT_DEFAULTS, firstOctave };
      const gpu = await GpuSift.create(clock.session, image, options);
      const found = (await gpu.detect(image)).keypoints;
      const twin = await clock.wall(() => detectSiftOnCpu(inFloats(image), options).keypoints, CPU_RUNS);
      const { answer } = twin;
      const values = {
        found: found.x.length,
        agreement: Math.min(sharedKeypoints(found, answer), sharedKeypoints(answer, found)),
        cpuMilliseconds: twin.spread.median,
        deviceMilliseconds: (await clock.device("sift", () => gpu.detect(image))).median,
        wallMilliseconds: (await clock.wall(() => gpu.detect(image))).spread.median,
      };
      gpu.destroy();
      return [values];
    };
    return thesisJob(bench, "5.13", sized.size, [firstOctave === -1 ? "sift, doubled" : "sift"], measure);
  });
}

/** Half floats: SIFT with its scale space in f32 and in f16, and which of the former's keypoints the latter finds. */
export function halfJobs(bench: Bench, sized: SizedImage): Job[] {
  const { clock } = bench;
  const measure = async () => {
    const image = sized.image();
    const found: Keypoints[] = [];
    const answers: Values[] = [];
    for (const storage of ["f32", "f16"] as const) {
      const options = { ...SIFT_DEFAULTS, storage };
      const gpu = await GpuSift.create(clock.session, image, options);
      const here = (await gpu.detect(image)).keypoints;
      const { answer } = await clock.wall(() => detectSiftOnCpu(inFloats(image), options).keypoints, CPU_RUNS);
      found.push(here);
      const tolerance = storage === "f16" ? NEARLY_SAME : SAME;
      answers.push({
        found: here.x.length,
        agreement: Math.min(sharedKeypoints(here, answer, tolerance), sharedKeypoints(answer, here, tolerance)),
        kept: sharedKeypoints(found[0], here, KEPT),
        deviceMilliseconds: (await clock.device("sift", () => gpu.detect(image))).median,
        wallMilliseconds: (await clock.wall(() => gpu.detect(image))).spread.median,
        bytes: gpu.bytes,
      });
      gpu.destroy();
    }
    return answers;
  };
  return [thesisJob(bench, "half", sized.size, ["sift doubled, f32", "sift doubled, f16"], measure)];
}

/** Table 5.1: OpenVIDIA's extraction, and with matching to the next image and its homography. */
export function openvidiaJobs(bench: Bench, sized: SizedImage): Job[] {
  const extractions = OPENVIDIA_FORMS.map(({ name, ...form }) =>
    thesisJob(bench, "table 5.1", sized.size, [`openvidia, extraction with ${name}`], () =>
      extraction(bench, sized, { ...OPENVIDIA_DEFAULTS, ...form }),
    ),
  );
  return [
    ...extractions,
    thesisJob(bench, "table 5.1", sized.size, ["openvidia with matching and RANSAC"], () => tracking(bench, sized)),
  ];
}

async function extraction({ clock }: Bench, sized: SizedImage, options: OpenvidiaOptions): Promise<Answers> {
  const image = sized.image();
  const gpu = await createGpuOpenvidia(clock.session, image, options);
  try {
    const found = await gpu.detect(image);
    const twin = await clock.wall(() => detectOpenvidiaOnCpu(inFloats(image), options), CPU_RUNS);
    return [
      {
        found: found.x.length,
        agreement: sharedPlaces(found, twin.answer),
        cpuMilliseconds: twin.spread.median,
        deviceMilliseconds: (await clock.device("openvidia", () => gpu.detect(image))).median,
        wallMilliseconds: (await clock.wall(() => gpu.detect(image))).spread.median,
      },
    ];
  } finally {
    gpu.destroy();
  }
}

/** The features of the first image are those of the frame before: only the second's are found anew. */
async function tracking({ clock }: Bench, sized: SizedImage): Promise<Answers> {
  const { session } = clock;
  const image = sized.image();
  const next = shifted(image, SHIFT.x, SHIFT.y);
  const gpu = await createGpuOpenvidia(session, image, OPENVIDIA_DEFAULTS);
  const match = await GpuMatch.create(session);
  try {
    const before = await gpu.detect(image);
    const frame = async (device: typeof session | null) => {
      const here = await gpu.detect(next);
      const options = { ratio: 0.8, mutual: true };
      const matches = await matchDescriptors(before.descriptors, here.descriptors, options, {
        device: session,
        kept: match,
      });
      return await findHomography(pairsOf(before, here, matches), RANSAC_DEFAULTS, { device });
    };
    const onHost = await frame(null);
    const { spread, answer } = await clock.wall(() => frame(session));
    const same = onHost !== null && answer !== null && onHost.h.every((value, k) => value === answer.h[k]);
    return [
      {
        found: answer?.inliers ?? 0,
        agreement: Number(same || (onHost === null && answer === null)),
        error: answer && Number(Math.hypot(answer.h[2] - SHIFT.x, answer.h[5] - SHIFT.y).toPrecision(4)),
        wallMilliseconds: spread.median,
      },
    ];
  } finally {
    match.destroy();
    gpu.destroy();
  }
}

function pairsOf(a: Keypoints, b: Keypoints, { i, j }: Matches) {
  const take = (values: Float32Array, of: Uint32Array) => Float64Array.from(of, (k) => values[k]);
  return { x: take(a.x, i), y: take(a.y, i), u: take(b.x, j), v: take(b.y, j) };
}

/** RANSAC alone: 1,000 pairs of a known homography, half of them wrong; the time of MOST_SAMPLES samples on the device. */
export function ransacJobs(bench: Bench): Job[] {
  const what = `RANSAC, ${RANSAC_PAIRS} pairs, half of them wrong, ${MOST_SAMPLES} samples`;
  return [thesisJob(bench, "table 5.1", null, [what], () => ransacOf(bench))];
}

async function ransacOf({ clock }: Bench): Promise<Answers> {
  const { session } = clock;
  const stream = randomStreams(1).next().value;
  const rows = Array.from({ length: RANSAC_PAIRS }, (_, k) => {
    const [x, y] = [stream.uniform(0, 1920), stream.uniform(0, 1080)];
    const w = 1 + 1e-4 * x - 5e-5 * y;
    const right = [(0.97 * x - 0.1 * y + 40) / w, (0.08 * x + 1.02 * y - 30) / w];
    const [u, v] = k % 2 === 0 ? [stream.uniform(0, 1920), stream.uniform(0, 1080)] : right;
    return [x, y, u + 0.5 * stream.normal(), v + 0.5 * stream.normal()];
  });
  const [x, y, u, v] = [0, 1, 2, 3].map((c) => Float64Array.from(rows, (row) => row[c]));
  const pairs = { x, y, u, v };
  const twin = await clock.wall(() => findHomographyOnCpu(pairs, RANSAC_DEFAULTS), CPU_RUNS);
  const whole = await clock.wall(() => findHomography(pairs, RANSAC_DEFAULTS, { device: session }));
  const search = new HomographySearch(pairs, RANSAC_DEFAULTS);
  const samples = Uint32Array.from(Array.from({ length: MOST_SAMPLES }, () => search.draw()).flat());
  const gpu = await createGpuRansac(session, pairs);
  try {
    return [
      {
        found: whole.answer?.inliers ?? 0,
        agreement: Number(whole.answer?.h.every((value, k) => value === twin.answer?.h[k]) === true),
        cpuMilliseconds: twin.spread.median,
        deviceMilliseconds: (await clock.device("ransac", () => gpu.score(samples, search.limit))).median,
        wallMilliseconds: whole.spread.median,
      },
    ];
  } finally {
    gpu.destroy();
  }
}
