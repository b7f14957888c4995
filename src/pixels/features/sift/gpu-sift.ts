/** SIFT on a GPU, from the image to the descriptors: buffers and kernels for images of one size, made once. */
import { InputError } from "../../../core/errors.js";
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import { createStorage, readBeginnings, uploadUniform } from "../../../gpu/buffers.js";
import { type Dispatch, gridOf, recordPass, runAndRead } from "../../../gpu/dispatch.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import type { GreyImage } from "../../image.js";
import { gaussianTaps } from "../blur.js";
import { ImageUpload } from "../gpu-image.js";
import { type BlurShape, type BlurSource, blurText } from "./blur-text.js";
import { descriptorConstants } from "./descriptor.js";
import type { StageCounts } from "./extrema.js";
import { gatherKeypoints, memoryFor } from "./gather.js";
import { GAUSSIANS, inputBlur, LAYERS, octaveCount, stepBlur } from "./scale-space.js";
import { peakInGreyLevels, type SiftOptions, type SiftResult } from "./sift.js";
import { LIST_GROUPS, pitchOf, uploadSpace, VECTOR } from "./space.js";

/** Places of a list, and the most that are found before the second try with room for all. */
export interface SiftRoom {
  readonly candidates: number;
  readonly places: number;
  readonly keypoints: number;
}

/** Of blurs, whose height is their shape's, and of the extrema kernel, which has squares. */
const TILE_WIDTH = 32;
const MOST_SIDE = 65535;
/** Of a blur's tiles: with few pixels a thread, tiles are many and short, and the latency of a dispatch is what counts. */
const BLUR_SHAPE: BlurShape = { height: 32, depth: 2 };

/** The pieces of the kernels that read and write the scale space, in halves. */
const HALVES = Object.fromEntries(
  ["pyramid", "pyramid-vectors", "pyramid-written"].map((name) => [name, `#import ${name}-f16`]),
);

interface Octave {
  readonly offset: number;
  readonly width: number;
  readonly height: number;
}

type ListLengths = Pick<SiftRoom, "places" | "keypoints">;

/** As many keypoints as in the image before are expected, and a quarter more. */
const MORE_EXPECTED = 1.25;

/** Settings that measurements vary. */
export interface SiftTuning {
  readonly shape?: BlurShape;
}

export class GpuSift {
  readonly #octaves: readonly Octave[];
  #room: SiftRoom;
  #dispatches: readonly Dispatch[] = [];
  #countAll: Dispatch | null = null;
  #lists: GPUBuffer[] = [];
  #results: readonly GPUBuffer[] = [];
  #expected: ListLengths = { places: 0, keypoints: 0 };

  private constructor(
    private readonly session: GpuSession,
    private readonly size: { readonly width: number; readonly height: number },
    private readonly options: SiftOptions,
    private readonly kernels: SiftKernels,
    private readonly fixed: {
      readonly image: GPUBuffer;
      readonly pyramid: GPUBuffer;
      readonly counters: GPUBuffer;
      readonly rows: GPUBuffer;
    },
    private readonly images: ImageUpload,
    octaves: readonly Octave[],
    room: SiftRoom,
  ) {
    this.#octaves = octaves;
    this.#room = room;
  }

  /**
   * @param stages count what each test leaves, which takes a pass more
   * @param places room at first; lists that turn out too short are made longer
   */
  static async create(
    session: GpuSession,
    size: { readonly width: number; readonly height: number },
    options: SiftOptions,
    stages = false,
    places = Math.max(1024, Math.ceil((size.width * size.height) / 64)),
    tuning: SiftTuning = {},
  ): Promise<GpuSift> {
    const { width, height } = size;
    const { firstOctave } = options;
    const scale = 2 ** -firstOctave;
    if (Math.max(width, height) * scale > MOST_SIDE) {
      throw new InputError(`images of ${width} × ${height} pixels are too large for the device; use --device cpu`);
    }
    const octaves: Octave[] = [];
    let [w, h, end] = [width * scale, height * scale, 0];
    for (let o = 0; o < octaveCount(width, height, firstOctave); o++) {
      octaves.push({ offset: end, width: w, height: h });
      end += GAUSSIANS * pitchOf(w) * h;
      [w, h] = [w >> 1, h >> 1];
    }
    const rows = octaves.reduce((sum, octave) => sum + octave.height, 0);
    const kernels = await loadKernels(session, options, octaves.length, stages, tuning);
    const fixed = {
      image: createStorage(session, "image", width * height),
      pyramid: createStorage(session, "scale space", options.storage === "f16" ? end / 2 : end),
      counters: createStorage(session, "counters", kernels.refine.struct("Counters").words),
      rows: createStorage(session, "rows", VECTOR * Math.ceil((LAYERS * rows) / VECTOR)),
    };
    const images = await ImageUpload.create(session, size);
    const room = { candidates: 4 * places, places, keypoints: 2 * places };
    const sift = new GpuSift(session, size, options, kernels, fixed, images, octaves, room);
    sift.#bind();
    return sift;
  }

  /** Bytes of device memory. */
  get bytes(): number {
    return [...Object.values(this.fixed), ...this.#lists].reduce((sum, buffer) => sum + buffer.size, 0);
  }

  /** Everything from the image on the device to the descriptors on the device. */
  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    this.#clear(encoder);
    recordPass(encoder, "sift", this.#dispatches, timestampWrites);
  }

  /** As encode, each kernel in a pass of its own; returns the kernels' names in their order. */
  encodeApart(encoder: GPUCommandEncoder, next: () => GPUComputePassTimestampWrites): string[] {
    this.#clear(encoder);
    return this.#dispatches.map((dispatch) => {
      const { name } = dispatch.kernel;
      recordPass(encoder, name, [dispatch], next());
      return name;
    });
  }

  /** One wait for the device where there are about as many keypoints as in the image before, else two. */
  async detect(image: GreyImage): Promise<SiftResult> {
    let from: GreyImage | null = image;
    for (;;) {
      const { counts, keypoints: gathered } = await this.#run(from, this.#expected);
      from = null;
      const [candidates, places, keypoints] = counts;
      if (this.#hasRoomFor(counts)) {
        const room = this.#room;
        this.#expected = {
          places: Math.min(Math.ceil(MORE_EXPECTED * places), room.places),
          keypoints: Math.min(Math.ceil(MORE_EXPECTED * keypoints), room.keypoints),
        };
        const lengths = { places, keypoints };
        const found = gathered ?? (await this.read(lengths, (lists) => this.gather(lists, lengths)));
        return { keypoints: found, counts: await this.#stagesOf(counts) };
      }
      const { candidates: most, places: mostPlaces, keypoints: mostKeypoints } = this.#room;
      // Lists that were cut short do not show how long the later ones would be.
      this.#room = {
        candidates: Math.max(most, 2 * candidates),
        places: Math.max(mostPlaces, 2 * places, candidates),
        keypoints: Math.max(mostKeypoints, 2 * keypoints, 2 * places, candidates),
      };
      this.#bind();
    }
  }

  /** The first part of `detect`: the image to the device. */
  async upload(image: GreyImage): Promise<void> {
    await this.images.write(image, this.fixed.image);
  }

  /** What `detect` reads: the words of so many places, directions and descriptors, which are gone when `take` returns. */
  async read<Result>(lengths: ListLengths, take: (lists: readonly Uint32Array[]) => Result): Promise<Result> {
    return await readBeginnings(this.session, this.#parts(lengths), take);
  }

  /** The last part of `detect`: keypoints of the words of `read`, as many or more than these lengths, in `memory` where it has room. */
  gather(lists: readonly Uint32Array[], lengths: ListLengths, memory?: Keypoints): Keypoints {
    const counted = this.#parts(lengths).map(({ bytes }, k) => lists[k].subarray(0, bytes / 4));
    const [places, oriented, descriptors] = counted;
    const { firstOctave } = this.options;
    return gatherKeypoints({ places, oriented, descriptors }, this.#layouts(), firstOctave, memory);
  }

  destroy(): void {
    this.images.destroy();
    for (const buffer of [...Object.values(this.fixed), ...this.#lists]) buffer.destroy();
  }

  #clear(encoder: GPUCommandEncoder): void {
    encoder.clearBuffer(this.fixed.counters);
    encoder.clearBuffer(this.fixed.rows);
  }

  /** The counters after what `encode` records. */
  async #counted(label: string, encode: (encoder: GPUCommandEncoder) => void): Promise<Uint32Array> {
    const [bytes] = await runAndRead(this.session, label, encode, [this.fixed.counters]);
    return new Uint32Array(bytes);
  }

  /** Lists of the present room, and the kernels bound to them. */
  #bind(): void {
    const { session, kernels, fixed } = this;
    for (const buffer of this.#lists) buffer.destroy();
    const room = this.#room;
    const list = (name: string, words: number) => createStorage(session, name, words);
    const candidates = list("candidates", 2 * room.candidates);
    const places = list("places", kernels.refine.struct("Place").words * room.places);
    const directions = kernels.orientation.struct("Oriented").words * room.keypoints;
    const [keypoints, sorted] = [list("keypoints", directions), list("sorted", directions)];
    const slots = list("slots", room.keypoints);
    const descriptors = list("descriptors", (DESCRIPTOR_LENGTH / 4) * room.keypoints);
    const { space, groups } = this.#space();
    this.#lists = [candidates, places, keypoints, sorted, slots, descriptors, space];
    this.#results = [places, sorted, descriptors];
    const pool = { ...fixed, space, candidates, places, keypoints, sorted, slots, descriptors };
    const over = (kernel: Kernel, count: number, named: Record<string, GPUBuffer> = {}): Dispatch => ({
      kernel,
      group: kernel.bind(named, pool),
      ...gridOf(session, count),
    });
    /** 64 threads a workgroup, which stride through a list. */
    const striding = (kernel: Kernel, records: number) =>
      over(kernel, Math.min(LIST_GROUPS / 16, Math.ceil(records / 64)));
    this.#dispatches = [
      ...this.#blurs(),
      over(kernels.extrema, groups),
      striding(kernels.refine, room.candidates),
      over(kernels.orientation, Math.min(LIST_GROUPS, Math.ceil(room.places / 2))),
      over(kernels.rowStarts, 1),
      striding(kernels.rowFill, room.keypoints),
      striding(kernels.rowSort, room.keypoints),
      over(kernels.descriptor, Math.min(LIST_GROUPS, Math.ceil(room.keypoints / 2)), { keypoints: sorted }),
    ];
    this.#countAll = kernels.countAll && over(kernels.countAll, groups);
  }

  #space(): { space: GPUBuffer; groups: number } {
    const { options } = this;
    const room = this.#room;
    let groups = 0;
    const octaves = this.#octaves.map((octave) => {
      const firstGroup = groups;
      groups += Math.ceil(octave.width / TILE_WIDTH) * Math.ceil(octave.height / TILE_WIDTH);
      return { ...octave, firstGroup };
    });
    const peak = peakInGreyLevels(options.peak);
    const space = uploadSpace(this.session, this.kernels.extrema, octaves, {
      soft: 0.8 * peak,
      peak,
      edge: (options.edge + 1) ** 2 / options.edge,
      candidateRoom: room.candidates,
      placeRoom: room.places,
      keypointRoom: room.keypoints,
      orientations: options.orientations,
    });
    return { space, groups };
  }

  #blurs(): Dispatch[] {
    const { session, kernels, fixed } = this;
    return kernels.blurs.map(({ kernel, blurs }, step) => {
      const jobs = blurs.map(([o, g]) => this.#job(o, g));
      const padded = jobs.length === 2 ? jobs : [jobs[0], jobs[0]];
      const uniform = uploadUniform(session, `blur ${step}`, kernel.struct("Step").pack([{ jobs: padded }]));
      this.#lists.push(uniform);
      const groups = jobs.reduce((sum, job) => sum + job.groups, 0);
      if (groups > session.mostGroups) {
        throw new InputError(
          `images of ${this.size.width} × ${this.size.height} pixels are too large for the device; use --device cpu`,
        );
      }
      return { kernel, group: kernel.bind({ step: uniform }, fixed), x: groups, y: 1 };
    });
  }

  #job(o: number, g: number): Record<string, number> {
    const { offset, width, height } = this.#octaves[o];
    const columns = Math.ceil(width / TILE_WIDTH);
    const next = g === LAYERS ? this.#octaves[o + 1] : undefined;
    const gaussian = (k: number) => (offset + k * pitchOf(width) * height) / VECTOR;
    return {
      source: gaussian(Math.max(g - 1, 0)),
      to: gaussian(g),
      half: (next?.offset ?? 0) / VECTOR,
      halfWidth: next?.width ?? 0,
      halfHeight: next?.height ?? 0,
      width,
      height,
      columns,
      groups: columns * Math.ceil(height / this.kernels.shape.height),
      unused0: 0,
      unused1: 0,
      unused2: 0,
    };
  }

  /** Sends the image, unless it is there, and runs all kernels: the counters, and the keypoints, null where there are more than expected. */
  async #run(
    image: GreyImage | null,
    expected: ListLengths,
  ): Promise<{ readonly counts: Uint32Array; readonly keypoints: Keypoints | null }> {
    const { session, fixed, images } = this;
    return await session.scoped("sift", async () => {
      const encoder = session.device.createCommandEncoder({ label: "sift" });
      const submitted = image === null ? () => {} : await images.record(encoder, image, fixed.image);
      this.encode(encoder);
      const parts = [{ buffer: fixed.counters, bytes: fixed.counters.size }, ...this.#parts(expected)];
      let memory: Keypoints | undefined;
      const take = ([words, ...lists]: readonly Uint32Array[]) => {
        const counts = words.slice();
        const [, places, keypoints] = counts;
        const isThere = places <= expected.places && keypoints <= expected.keypoints && this.#hasRoomFor(counts);
        return { counts, keypoints: isThere ? this.gather(lists, { places, keypoints }, memory) : null };
      };
      const reading = readBeginnings(session, parts, take, encoder);
      submitted();
      // While the device works.
      memory = memoryFor(expected.keypoints);
      return await reading;
    });
  }

  /** Whether no list was cut short. */
  #hasRoomFor([candidates, places, keypoints]: Uint32Array): boolean {
    const room = this.#room;
    return candidates <= room.candidates && places <= room.places && keypoints <= room.keypoints;
  }

  /** So many records of places, directions and descriptors. */
  #parts({ places, keypoints }: ListLengths) {
    const { place, oriented } = this.#layouts();
    const bytes = [place.size * places, oriented.size * keypoints, DESCRIPTOR_LENGTH * keypoints];
    return this.#results.map((buffer, k) => ({ buffer, bytes: bytes[k] }));
  }

  #layouts() {
    const { refine, orientation } = this.kernels;
    return { place: refine.struct("Place"), oriented: orientation.struct("Oriented") };
  }

  async #stagesOf([candidates, places, keypoints, , interpolated, threshold]: Uint32Array): Promise<StageCounts> {
    return {
      extrema: this.#countAll === null ? candidates : await this.#countExtrema(this.#countAll),
      softThreshold: candidates,
      interpolated,
      threshold,
      edge: places,
      keypoints,
    };
  }

  async #countExtrema(dispatch: Dispatch): Promise<number> {
    const [extrema] = await this.#counted("extrema", (encoder) => {
      encoder.clearBuffer(this.fixed.counters);
      recordPass(encoder, "extrema", [dispatch]);
    });
    return extrema;
  }
}

interface SiftKernels {
  /** The dispatches in their order; each makes one or two Gaussians [o, g], octave o and number g. */
  readonly blurs: readonly {
    readonly kernel: Kernel;
    readonly blurs: readonly (readonly [number, number])[];
  }[];
  readonly shape: BlurShape;
  readonly extrema: Kernel;
  readonly countAll: Kernel | null;
  readonly refine: Kernel;
  readonly orientation: Kernel;
  /** Which put the keypoints into their order. */
  readonly rowStarts: Kernel;
  readonly rowFill: Kernel;
  readonly rowSort: Kernel;
  readonly descriptor: Kernel;
}

async function loadKernels(
  session: GpuSession,
  { firstOctave, subpixel, storage, ...form }: SiftOptions,
  octaves: number,
  stages: boolean,
  { shape = BLUR_SHAPE }: SiftTuning,
): Promise<SiftKernels> {
  const pieces = storage === "f16" ? HALVES : {};
  const load = (name: string, constants: Record<string, number> = {}, texts: Record<string, string> = {}) =>
    loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants, texts: { ...pieces, ...texts } });
  const steps = blurSteps(octaves).map(async (blurs, step) => {
    const source: BlurSource = step > 0 ? "pyramid" : firstOctave === -1 ? "doubled" : "image";
    // The last octave's last two use the kernels of the others', which make the next octave's first two as well.
    const [[, g]] = blurs;
    const gaussians = g > LAYERS ? [g, g - LAYERS] : [g];
    const taps = gaussians.map((one) => gaussianTaps(one === 0 ? inputBlur(firstOctave) : stepBlur(one)));
    const kernel = await load("scale-space", {}, { blurs: blurText(taps, source, shape) });
    return { kernel, blurs };
  });
  const [blurs, extrema, countAll, refine, orientation, rowStarts, rowFill, rowSort, descriptor] = await Promise.all([
    Promise.all(steps),
    load("extrema", { COUNT_ALL: 0 }),
    stages ? load("extrema", { COUNT_ALL: 1 }) : null,
    load("refine", { SUBPIXEL: Number(subpixel), STAGES: Number(stages) }),
    load("orientation"),
    load("row-starts"),
    load("row-fill"),
    load("row-sort"),
    load("descriptor", descriptorConstants(form)),
  ]);
  return { blurs, shape, extrema, countAll, refine, orientation, rowStarts, rowFill, rowSort, descriptor };
}

/**
 * The chain of blurs, [octave, Gaussian] one or two a dispatch. An octave begins once the Gaussian 3 of the one before is there, so its
 * first two blurs go with that one's last two: three dispatches an octave instead of five.
 */
function blurSteps(octaves: number): [number, number][][] {
  const steps: [number, number][][] = [[[0, 0]]];
  for (let o = 0; o < octaves; o++) {
    for (let g = 1; g < GAUSSIANS; g++) {
      steps[LAYERS * o + g] ??= [];
      steps[LAYERS * o + g].push([o, g]);
    }
  }
  return steps;
}
