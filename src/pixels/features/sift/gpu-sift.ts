/** SIFT on a GPU, from the image to the descriptors: made once for images of one size. */
import { InputError } from "../../../core/errors.js";
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import { rowsOf } from "../../../gpu/dispatch.js";
import { DeviceLists } from "../../../gpu/lists.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import { type Bound, once, type Step, Workspace } from "../../../gpu/workspace.js";
import { gaussianTaps } from "../../gaussian.js";
import { PlaneUpload } from "../../gpu-planes.js";
import { inFloats, type Plane, type Size } from "../../image.js";
import { type BlurShape, type BlurSource, blurText } from "./blur-text.js";
import { descriptorConstants } from "./descriptor.js";
import { EXTREMA_CONSTANTS, REFINE_CONSTANTS } from "./extrema.js";
import { gatherKeypoints, memoryFor, type SiftLayouts } from "./gather.js";
import { type DeviceOctave, layOutOctaves, TILE_WIDTH } from "./octaves.js";
import { ORIENTATION_CONSTANTS } from "./orientation.js";
import { GAUSSIANS, inputBlur, LAYERS, OFFSET, stepBlur } from "./scale-space.js";
import { detectSiftOnCpu, peakInGreyLevels, type SiftOptions, type SiftResult } from "./sift.js";
import { LIST_GROUPS, pitchOf, spaceOf, VECTOR } from "./space.js";

const MOST_SIDE = 65535;

/** The pieces of the kernels that read and write the scale space, in halves. */
const HALVES = Object.fromEntries(
  ["pyramid", "pyramid-vectors", "pyramid-written"].map((name) => [name, `#import ${name}-f16`]),
);

export class GpuSift {
  private constructor(
    private readonly work: Workspace,
    private readonly upload: PlaneUpload,
    private readonly firstOctave: number,
    private readonly layouts: SiftLayouts,
    private readonly lists: DeviceLists,
    /** Counts all extrema, where that is asked for. */
    private readonly countAll: Step | null,
  ) {}

  /**
   * @param stages count the places that pass each test, which takes a pass more
   * @param places room at first; lists that turn out too short are made longer
   */
  static async create(
    session: GpuSession,
    { width, height }: Size,
    options: SiftOptions,
    stages = false,
    places = Math.max(1024, Math.ceil((width * height) / 64)),
  ): Promise<GpuSift> {
    const { firstOctave, storage } = options;
    if (Math.max(width, height) * 2 ** -firstOctave > MOST_SIDE) {
      throw new InputError(`images of ${width} × ${height} pixels are too large for the device; use --device cpu`);
    }
    const { octaves, numbers, rows, groups } = layOutOctaves(width, height, firstOctave);
    const pieces = storage === "f16" ? HALVES : {};
    const kernels = await loadKernels(session, options, stages, pieces);
    const layouts = { place: kernels.refine.struct("Place"), oriented: kernels.orientation.struct("Oriented") };
    const work = new Workspace(session, "sift");
    work.storage("image", width * height);
    work.storage("pyramid", storage === "f16" ? numbers / 2 : numbers);
    work.storage("counters", kernels.refine.struct("Counters").words);
    work.storage("rows", VECTOR * Math.ceil((LAYERS * rows) / VECTOR));
    const blurs = await blurSteps(work, octaves, options, pieces);
    const extrema = rowsOf(session, groups);
    const peak = peakInGreyLevels(options.peak);
    const settings = {
      soft: 0.8 * peak,
      peak,
      edge: (options.edge + 1) ** 2 / options.edge,
      orientations: options.orientations,
    };
    const steps = ([candidateRoom, placeRoom, keypointRoom]: readonly number[]) => {
      const record = spaceOf(octaves, { ...settings, candidateRoom, placeRoom, keypointRoom });
      work.uniform("space", kernels.extrema.struct("Space"), record);
      makeLists(work, layouts, candidateRoom, placeRoom, keypointRoom);
      return [
        ...blurs,
        { kernel: kernels.extrema, groups: extrema },
        ...listSteps(kernels, candidateRoom, placeRoom, keypointRoom),
      ];
    };
    const plan = {
      counters: "counters",
      cleared: ["rows"],
      counts: ([candidates, found, keypoints]: Uint32Array) => [candidates, found, keypoints],
      steps,
    };
    const lists = new DeviceLists(work, plan, [4 * places, places, 2 * places]);
    const countAll = kernels.countAll && { kernel: kernels.countAll, groups: extrema };
    return new GpuSift(work, new PlaneUpload(work, width * height), firstOctave, layouts, lists, countAll);
  }

  /** Bytes of device memory. */
  get bytes(): number {
    return this.work.bytes;
  }

  /** One wait for the device where there are about as many keypoints as in the image before, else two. */
  async detect(image: Plane): Promise<SiftResult> {
    const { upload, layouts, firstOctave } = this;
    const { place, oriented } = layouts;
    let memory: Keypoints | undefined;
    const { keypoints, counters } = await this.lists.fill({
      before: async (encoder, _, isAgain) => (isAgain ? undefined : await upload.send(encoder, image, "image")),
      parts: ([, places, count]) => [
        { name: "places", bytes: place.size * places },
        { name: "sorted", bytes: oriented.size * count },
        { name: "descriptors", bytes: DESCRIPTOR_LENGTH * count },
      ],
      decode: ([places, oriented, descriptors], _, counters) => ({
        keypoints: gatherKeypoints({ places, oriented, descriptors }, layouts, firstOctave, memory),
        counters: [...counters],
      }),
      meanwhile: ([, , count]) => {
        memory = memoryFor(count);
      },
    });
    const [candidates, places, count, , interpolated, threshold] = counters;
    const extrema = this.countAll === null ? candidates : await this.#count(this.countAll);
    const counts = { extrema, softThreshold: candidates, interpolated, threshold, edge: places, keypoints: count };
    return { keypoints, counts };
  }

  destroy(): void {
    this.work.destroy();
  }

  /** All extrema of the scale space that is there. */
  async #count(step: Step): Promise<number> {
    const { work } = this;
    const count = (encoder: GPUCommandEncoder) => {
      work.clear(encoder, ["counters"]);
      work.record(encoder, [step]);
    };
    return await work.run(count, [{ name: "counters" }], ([[extrema]]) => extrema);
  }
}

function makeLists(
  work: Workspace,
  { place, oriented }: SiftLayouts,
  candidates: number,
  places: number,
  keypoints: number,
) {
  work.storage("candidates", 2 * candidates);
  work.storage("places", place.words * places);
  work.storage("keypoints", oriented.words * keypoints);
  work.storage("sorted", oriented.words * keypoints);
  work.storage("slots", keypoints);
  work.storage("descriptors", (DESCRIPTOR_LENGTH / 4) * keypoints);
}

type SiftKernels = Awaited<ReturnType<typeof loadKernels>>;

/** From the candidates to the descriptors, in the order of keypoints; workgroups stride through lists whose lengths only the device knows. */
function listSteps(kernels: SiftKernels, candidates: number, places: number, keypoints: number): Step[] {
  const over = (kernel: Kernel, groups: number, bound: Bound = {}): Step => ({ kernel, groups: [groups], bound });
  /** A thread for each record, or fewer that take the next one of their stride. */
  const threads = (kernel: Kernel, records: number) =>
    over(kernel, Math.min(LIST_GROUPS / 16, Math.ceil(records / kernel.workgroupSize[0])));
  /** A workgroup for two records, or fewer. */
  const workgroups = (kernel: Kernel, records: number, bound?: Bound) =>
    over(kernel, Math.min(LIST_GROUPS, Math.ceil(records / 2)), bound);
  return [
    threads(kernels.refine, candidates),
    workgroups(kernels.orientation, places),
    over(kernels.rowStarts, 1),
    threads(kernels.rowFill, keypoints),
    threads(kernels.rowSort, keypoints),
    workgroups(kernels.descriptor, keypoints, { keypoints: "sorted" }),
  ];
}

async function loadKernels(
  session: GpuSession,
  { subpixel, ...form }: SiftOptions,
  stages: boolean,
  texts: Readonly<Record<string, string>>,
) {
  const load = (name: string, constants: Record<string, number> = {}) =>
    loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants, texts });
  const [extrema, countAll, refine, orientation, rowStarts, rowFill, rowSort, descriptor] = await Promise.all([
    load("extrema", { COUNT_ALL: 0, ...EXTREMA_CONSTANTS }),
    stages ? load("extrema", { COUNT_ALL: 1, ...EXTREMA_CONSTANTS }) : null,
    load("refine", { SUBPIXEL: Number(subpixel), STAGES: Number(stages), ...REFINE_CONSTANTS }),
    load("orientation", { LAYERS, ...ORIENTATION_CONSTANTS }),
    load("row-starts"),
    load("row-fill", { LAYERS }),
    load("row-sort", { LAYERS }),
    load("descriptor", descriptorConstants(form)),
  ]);
  return { extrema, countAll, refine, orientation, rowStarts, rowFill, rowSort, descriptor };
}

/** With few pixels a thread, tiles are many and short, and the latency of a dispatch is what counts. */
const SHAPE: BlurShape = { height: 32, depth: 2 };

/** An octave and the number of a Gaussian in it. */
type Gaussian = readonly [octave: number, number: number];

/**
 * The chain of blurs, one or two Gaussians a dispatch. An octave begins once Gaussian 3 of the one before is there, so its first two blurs go
 * with that one's last two: three dispatches an octave instead of five.
 * @param pieces texts of the kernel's imports
 */
export async function blurSteps(
  work: Workspace,
  octaves: readonly DeviceOctave[],
  { firstOctave, storage }: SiftOptions,
  pieces: Readonly<Record<string, string>>,
): Promise<Step[]> {
  const chain: Gaussian[][] = [[[0, 0]]];
  octaves.forEach((_, o) => {
    for (let g = 1; g < GAUSSIANS; g++) {
      chain[LAYERS * o + g] ??= [];
      chain[LAYERS * o + g].push([o, g]);
    }
  });
  const load = async (blurs: readonly Gaussian[], at: number) => {
    const source: BlurSource = at > 0 ? "pyramid" : firstOctave === -1 ? "doubled" : "image";
    // The last octave's last two use the kernels of the others', which make the next octave's first two as well.
    const [[, g]] = blurs;
    const numbers = g > LAYERS ? [g, g - LAYERS] : [g];
    const taps = numbers.map((one) => gaussianTaps(one === 0 ? inputBlur(firstOctave) : stepBlur(one)));
    const constants = { OFFSET: OFFSET[storage] };
    const texts = { ...pieces, blurs: blurText(taps, source, SHAPE) };
    return await loadKernel(work.session, new URL("./scale-space.wgsl", import.meta.url), { constants, texts });
  };
  const kernels = await Promise.all(chain.map(load));
  return chain.map((blurs, at) => stepOf(work, octaves, kernels[at], blurs));
}

function stepOf(work: Workspace, octaves: readonly DeviceOctave[], kernel: Kernel, blurs: readonly Gaussian[]): Step {
  const jobs = blurs.map((gaussian) => jobOf(octaves, gaussian));
  const groups = jobs.reduce((sum, job) => sum + job.groups, 0);
  if (groups > work.session.mostGroups) {
    const [{ width, height }] = octaves;
    throw new InputError(`a scale space of ${width} × ${height} pixels is too large for the device; use --device cpu`);
  }
  const padded = jobs.length === 2 ? jobs : [jobs[0], jobs[0]];
  return { kernel, groups: [groups], bound: { step: work.constant(kernel.struct("Step"), { jobs: padded }) } };
}

/** A record of the struct Job. */
function jobOf(octaves: readonly DeviceOctave[], [o, g]: Gaussian) {
  const { offset, width, height } = octaves[o];
  const columns = Math.ceil(width / TILE_WIDTH);
  const next = g === LAYERS ? octaves[o + 1] : undefined;
  const placeOf = (number: number) => (offset + number * pitchOf(width) * height) / VECTOR;
  return {
    source: placeOf(Math.max(g - 1, 0)),
    to: placeOf(g),
    half: (next?.offset ?? 0) / VECTOR,
    halfWidth: next?.width ?? 0,
    halfHeight: next?.height ?? 0,
    width,
    height,
    columns,
    groups: columns * Math.ceil(height / SHAPE.height),
  };
}

/**
 * SIFT keypoints with descriptors, on the CPU or a GPU; grey levels of 0 … 255. In the order of octave, layer, row, column and angle. For
 * many images of one size on a GPU, keep a GpuSift.
 * @param stages count the places that pass each test: a pass more
 */
export async function detectSift(
  image: Plane,
  options: SiftOptions,
  { device, stages = false }: { readonly device: GpuSession | null; readonly stages?: boolean },
): Promise<SiftResult> {
  if (device === null) return detectSiftOnCpu(inFloats(image), options, stages);
  return await once(GpuSift.create(device, image, options, stages), (sift) => sift.detect(image));
}
