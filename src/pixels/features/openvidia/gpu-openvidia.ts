/** OpenVIDIA's features on a GPU, from the image to the descriptors: buffers and kernels for images of one size, made once. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import { createStorage, uploadStorage, uploadUniform } from "../../../gpu/buffers.js";
import { type Dispatch, recordPass, runAndRead } from "../../../gpu/dispatch.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import type { GreyImage } from "../../image.js";
import { ImageUpload } from "../gpu-image.js";
import { descriptorConstants } from "../sift/descriptor.js";
import { LIST_GROUPS, pitchOf, uploadSpace } from "../sift/space.js";
import {
  DESCRIPTOR_SIGMA,
  DIRECTION_SIGMA,
  IMAGE_TAPS,
  type OpenvidiaOptions,
  strongestFirst,
  TENSOR_TAPS,
} from "./openvidia.js";

const GROUP = { width: 32, height: 8 };

export class GpuOpenvidia {
  #room: number;
  #lists: readonly GPUBuffer[] = [];
  #dispatches: readonly Dispatch[] = [];

  private constructor(
    private readonly session: GpuSession,
    private readonly size: { readonly width: number; readonly height: number },
    private readonly options: OpenvidiaOptions,
    private readonly kernels: Readonly<Record<"products" | "corners" | "descriptor", Kernel>>,
    private readonly image: GPUBuffer,
    private readonly counters: GPUBuffer,
    private readonly products: Readonly<Record<"xx" | "xy" | "yy", GPUBuffer>>,
    /** The blurred image, and the products summed over the window. */
    private readonly planes: Readonly<Record<"pyramid" | "xx" | "xy" | "yy", GPUBuffer>>,
    private readonly blurs: { readonly before: readonly Dispatch[]; readonly after: readonly Dispatch[] },
    private readonly others: readonly GPUBuffer[],
    private readonly images: ImageUpload,
  ) {
    this.#room = Math.max(1024, Math.ceil((size.width * size.height) / 128));
    this.#bind();
  }

  static async create(
    session: GpuSession,
    { width, height }: { readonly width: number; readonly height: number },
    options: OpenvidiaOptions,
  ): Promise<GpuOpenvidia> {
    const load = (name: string, constants: Record<string, number> = {}) =>
      loadKernel(session, new URL(`${name}.wgsl`, import.meta.url), { constants });
    const [blur, products, corners, descriptor] = await Promise.all([
      load("../blur", { SUBTRACT: 0 }),
      load("./openvidia-products"),
      load("./openvidia-corners", { DIRECTION_SIGMA, DESCRIPTOR_SIGMA }),
      load("../sift/descriptor", descriptorConstants(options)),
    ]);
    const pitch = pitchOf(width);
    const plane = (label: string, row = width) => createStorage(session, label, row * height);
    const [image, rows] = ["image", "rows"].map((label) => plane(label));
    const [xx, xy, yy] = ["xx", "xy", "yy"].map((label) => plane(label));
    const windowed = { xx: plane("windowed xx"), xy: plane("windowed xy"), yy: plane("windowed yy") };
    const smooth = plane("blurred", pitch);
    const imageTaps = uploadStorage(session, "taps of the image", IMAGE_TAPS);
    const tensorTaps = uploadStorage(session, "taps of the tensor", TENSOR_TAPS);
    const none = createStorage(session, "no other image", 1);
    const runs: GPUBuffer[] = [];
    const along = (source: GPUBuffer, result: GPUBuffer, taps: GPUBuffer, alongX: number, row = width): Dispatch => {
      const radius = (taps.size / 4 - 1) / 2;
      const record = { width, height, alongX, radius, pitch: row };
      const run = uploadUniform(session, "filter", blur.struct("FilterRun").pack([record]));
      runs.push(run);
      const group = blur.bind({ run, image: source, result, taps, other: none });
      return { kernel: blur, group, x: Math.ceil(width / GROUP.width), y: Math.ceil(height / GROUP.height) };
    };
    const both = (source: GPUBuffer, result: GPUBuffer, taps: GPUBuffer, row?: number) => [
      along(source, rows, taps, 1),
      along(rows, result, taps, 0, row),
    ];
    const after = [
      ...both(xx, windowed.xx, tensorTaps),
      ...both(xy, windowed.xy, tensorTaps),
      ...both(yy, windowed.yy, tensorTaps),
    ];
    return new GpuOpenvidia(
      session,
      { width, height },
      options,
      { products, corners, descriptor },
      image,
      createStorage(session, "counters", corners.struct("Counters").words),
      { xx, xy, yy },
      { pyramid: smooth, ...windowed },
      { before: both(image, smooth, imageTaps, pitch), after },
      [rows, imageTaps, tensorTaps, none, ...runs],
      await ImageUpload.create(session, { width, height }),
    );
  }

  async upload(image: GreyImage): Promise<void> {
    await this.images.write(image, this.image);
  }

  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    encoder.clearBuffer(this.counters);
    recordPass(encoder, "openvidia", this.#dispatches, timestampWrites);
  }

  async detect(image: GreyImage): Promise<Keypoints> {
    const { session, kernels } = this;
    await this.upload(image);
    for (;;) {
      const [counters, places, keypoints, descriptors] = await runAndRead(
        session,
        "openvidia",
        (encoder) => this.encode(encoder),
        [this.counters, ...this.#lists.slice(0, 3)],
      );
      const count = new Uint32Array(counters)[2];
      if (count > this.#room) {
        this.#room = count;
        this.#bind();
        continue;
      }
      const [place, oriented] = [kernels.corners.struct("Place"), kernels.corners.struct("Oriented")];
      const found = place.unpack<{ x: number; y: number; response: number }>(places.slice(0, count * place.size));
      const angles = oriented.unpack<{ angle: number }>(keypoints.slice(0, count * oriented.size));
      const bytes = new Uint8Array(descriptors);
      return strongestFirst(
        found.map(({ x, y, response }, k) => {
          const descriptor = bytes.subarray(DESCRIPTOR_LENGTH * k, DESCRIPTOR_LENGTH * (k + 1));
          return { x, y, response, angle: angles[k].angle, descriptor };
        }),
      );
    }
  }

  destroy(): void {
    this.images.destroy();
    const planes = [this.image, ...Object.values(this.products), ...Object.values(this.planes)];
    for (const buffer of [...planes, this.counters, ...this.others, ...this.#lists]) buffer.destroy();
  }

  #bind(): void {
    const { session, kernels, planes, counters, options } = this;
    const { width, height } = this.size;
    for (const buffer of this.#lists) buffer.destroy();
    const room = this.#room;
    const places = createStorage(session, "places", kernels.corners.struct("Place").words * room);
    const keypoints = createStorage(session, "keypoints", kernels.corners.struct("Oriented").words * room);
    const descriptors = createStorage(session, "descriptors", (DESCRIPTOR_LENGTH / 4) * room);
    const space = uploadSpace(session, kernels.corners, [{ offset: 0, width, height, firstGroup: 0 }], {
      soft: options.randomness,
      peak: options.threshold,
      edge: 0,
      candidateRoom: 0,
      placeRoom: room,
      keypointRoom: room,
      orientations: 1,
    });
    this.#lists = [places, keypoints, descriptors, space];
    const pool = { ...planes, space, counters, places, keypoints, descriptors };
    const tiles = { x: Math.ceil(width / GROUP.width), y: Math.ceil(height / GROUP.height) };
    const { products, corners, descriptor } = kernels;
    this.#dispatches = [
      ...this.blurs.before,
      { kernel: products, group: products.bind(this.products, pool), ...tiles },
      ...this.blurs.after,
      { kernel: corners, group: corners.bind({}, pool), ...tiles },
      { kernel: descriptor, group: descriptor.bind({}, pool), x: Math.min(LIST_GROUPS, room), y: 1 },
    ];
  }
}
