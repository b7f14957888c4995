/** SIFT on a GPU, from the image to the descriptors: made once for images of one size. */
import { InputError } from "../../../core/errors.js";
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import { rowsOf } from "../../../gpu/dispatch.js";
import { DeviceLists } from "../../../gpu/lists.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import { type Bound, type Step, Workspace } from "../../../gpu/workspace.js";
import { PlaneUpload } from "../../gpu-plane.js";
import type { Plane, Size } from "../../image.js";
import { descriptorConstants } from "./descriptor.js";
import { EXTREMA_CONSTANTS, REFINE_CONSTANTS } from "./extrema.js";
import { gatherKeypoints, memoryFor, type SiftLayouts } from "./gather.js";
import { blurSteps } from "./gpu-blurs.js";
import { layOutOctaves } from "./octaves.js";
import { ORIENTATION_CONSTANTS } from "./orientation.js";
import { LAYERS } from "./scale-space.js";
import { peakInGreyLevels, type SiftOptions, type SiftResult } from "./sift.js";
import { LIST_GROUPS, spaceOf, VECTOR } from "./space.js";

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
