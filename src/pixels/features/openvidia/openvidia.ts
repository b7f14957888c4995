/**
 * OpenVIDIA's features (Fung & Mann; ported and corrected in Mücke 2007 §5.3): edge pixels of Canny's at which the structure tensor over a wide
 * window has two large eigenvalues, a main direction each, SIFT's descriptor at one scale. Where the thesis gives a window's size alone, σ is a sixth of it,
 * and it names no least gradient of an edge pixel. Lens undistortion is left out, and so is the cap of one feature a column of the image, which
 * dropped the lower rows. The twin of openvidia-*.wgsl.
 */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import { tilesOf } from "../../../gpu/dispatch.js";
import { DeviceLists } from "../../../gpu/lists.js";
import type { GpuSession } from "../../../gpu/session.js";
import { loadKernel } from "../../../gpu/wgsl/kernel.js";
import { once, type Step, Workspace } from "../../../gpu/workspace.js";
import { convolveSeparable, gaussianTaps } from "../../gaussian.js";
import { blurSteps, PlaneUpload } from "../../gpu-planes.js";
import { type GreyImage, inFloats, type Plane, type Size } from "../../image.js";
import { isMaximum } from "../../maxima.js";
import { DESCRIPTOR_FORM, type DescriptorForm, describe, descriptorConstants } from "../sift/descriptor.js";
import { angleOf, gradientAt } from "../sift/orientation.js";
import { LIST_GROUPS, pitchOf, spaceOf } from "../sift/space.js";

export interface OpenvidiaOptions extends DescriptorForm {
  /** Least det/trace of the structure tensor, squared grey levels a pixel. */
  readonly threshold: number;
  /** Least λ₂/(1 + (λ₁ + λ₂)/2), λ₂ the lesser eigenvalue: below it a pixel lies on an edge. */
  readonly randomness: number;
}

/**
 * Share of a response that counts as no difference: where a pattern mirrors itself, neighbours are equal but for rounding, which differs from device to device.
 */
const TIE = 2 ** -14;

/** The thesis's 11 and 0.5, and SIFT's descriptor. */
export const OPENVIDIA_DEFAULTS: OpenvidiaOptions = { ...DESCRIPTOR_FORM, threshold: 11, randomness: 0.5 };

/** Of the blur of the image, 7 × 7, and of the tensor's window, 19 × 19. */
export const IMAGE_TAPS = gaussianTaps(7 / 6, 3);
const TENSOR_TAPS = gaussianTaps(19 / 6, 9);
/** Along an axis the gradient leads to the next pixel from this share of its length on: eight directions. */
const EIGHTH = Math.sin(Math.PI / 8);
/** The window of the main direction reaches from −8 to 7, its weight has this σ. */
const DIRECTION_SIGMA = 16 / 6;
/** A cell of the descriptor is 4 × 4 pixels: 3σ. */
const DESCRIPTOR_SIGMA = 4 / 3;
/** Of openvidia-corners.wgsl and openvidia-directions.wgsl. */
const CORNER_CONSTANTS = { DESCRIPTOR_SIGMA, TIE, EIGHTH };
const DIRECTION_CONSTANTS = { DIRECTION_SIGMA, TIE };

/** Strongest first, ties by row and column; places are pixels. */
export function detectOpenvidiaOnCpu(image: GreyImage, options: OpenvidiaOptions): Keypoints {
  const smooth = convolveSeparable(image, IMAGE_TAPS, "replicate");
  const { width, height } = image;
  const [xx, xy, yy] = tensor(smooth);
  const response = xx.map((a, p) => (a * yy[p] - xy[p] * xy[p]) / (a + yy[p] + 1e-10));
  const random = (pixel: number) => {
    const half = (xx[pixel] + yy[pixel]) / 2;
    const least = half - Math.hypot((xx[pixel] - yy[pixel]) / 2, xy[pixel]);
    return least / (1 + half) > options.randomness;
  };
  // What is no corner has no response that a neighbour could be less than.
  const strength = response.map((value, p) =>
    value > options.threshold && random(p) && isEdge(smooth, p) ? value : 0,
  );
  const corners = maxima(strength, image, options.threshold);
  const records = corners.map((pixel) => {
    const strength = response[pixel];
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const angle = directionAt(smooth, x, y);
    const descriptor = new Uint8Array(DESCRIPTOR_LENGTH);
    describe({ width, height, pixels: smooth.pixels }, x, y, DESCRIPTOR_SIGMA, angle, descriptor, options);
    return { x, y, response: strength, angle, descriptor };
  });
  return strongestFirst(records);
}

/** Canny's test for edge pixels: the gradient is no less than at the two neighbours that it and its opposite lead to. */
function isEdge(smooth: GreyImage, pixel: number): boolean {
  const { width, height } = smooth;
  const [x, y] = [pixel % width, Math.floor(pixel / width)];
  const [gx, gy] = gradientAt(smooth, x, y);
  const length = Math.hypot(gx, gy);
  const step = (along: number) => (Math.abs(along) > EIGHTH * length ? Math.sign(along) : 0);
  const beats = (sign: number) => {
    const column = Math.min(Math.max(x + sign * step(gx), 0), width - 1);
    const row = Math.min(Math.max(y + sign * step(gy), 0), height - 1);
    return Math.hypot(...gradientAt(smooth, column, row)) > length * (1 + TIE);
  };
  return length > 0 && !beats(1) && !beats(-1);
}

/** Pixels above the threshold and not below their neighbours; of equal ones the first, by row and column. */
function maxima(response: Float32Array, size: Size, threshold: number): number[] {
  return [...response.keys()].filter((pixel) => {
    const value = response[pixel];
    const beats = (other: number, isBefore: boolean) => other >= (isBefore ? value * (1 - TIE) : value * (1 + TIE));
    return value > threshold && isMaximum(response, size, pixel, 1, beats);
  });
}

interface OpenvidiaRecord {
  readonly x: number;
  readonly y: number;
  readonly response: number;
  readonly angle: number;
  readonly descriptor: Uint8Array;
}

function strongestFirst(records: readonly OpenvidiaRecord[]): Keypoints {
  const sorted = [...records].sort((a, b) => b.response - a.response || a.y - b.y || a.x - b.x);
  const descriptors = new Uint8Array(DESCRIPTOR_LENGTH * sorted.length);
  sorted.forEach(({ descriptor }, k) => {
    descriptors.set(descriptor, DESCRIPTOR_LENGTH * k);
  });
  const of = (value: (record: OpenvidiaRecord) => number) => Float32Array.from(sorted, value);
  return {
    x: of(({ x }) => x),
    y: of(({ y }) => y),
    sigma: new Float32Array(sorted.length).fill(DESCRIPTOR_SIGMA),
    angle: of(({ angle }) => angle),
    response: of(({ response }) => response),
    place: Uint32Array.from(sorted, (_, k) => k),
    descriptors,
  };
}

/** Windowed sums of gx², gx gy and gy². */
function tensor(smooth: GreyImage): [Float32Array, Float32Array, Float32Array] {
  const { width, height } = smooth;
  const planes = [0, 1, 2].map(() => new Float32Array(width * height));
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++, p++) {
      const [gx, gy] = gradientAt(smooth, x, y);
      planes[0][p] = gx * gx;
      planes[1][p] = gx * gy;
      planes[2][p] = gy * gy;
    }
  }
  const [xx, xy, yy] = planes.map((pixels) => convolveSeparable({ width, height, pixels }, TENSOR_TAPS, "replicate"));
  return [xx.pixels, xy.pixels, yy.pixels];
}

/** The direction of the weighted sum of the gradients around a pixel; 0 where they cancel each other out but for rounding. */
function directionAt(smooth: GreyImage, x: number, y: number): number {
  let [sumX, sumY, length] = [0, 0, 0];
  for (let row = Math.max(y - 8, 0); row <= Math.min(y + 7, smooth.height - 1); row++) {
    for (let column = Math.max(x - 8, 0); column <= Math.min(x + 7, smooth.width - 1); column++) {
      const weight = Math.exp(-((column - x) ** 2 + (row - y) ** 2) / (2 * DIRECTION_SIGMA ** 2));
      const [gx, gy] = gradientAt(smooth, column, row);
      length += weight * Math.hypot(gx, gy);
      sumX += weight * gx;
      sumY += weight * gy;
    }
  }
  return Math.hypot(sumX, sumY) > TIE * length ? angleOf(sumX, sumY) : 0;
}

/** Planes of the structure tensor: xx, xy and yy. */
const TENSOR = 3;

/** On a GPU, from the image to the descriptors: made once for images of one size. */
export async function createGpuOpenvidia(session: GpuSession, { width, height }: Size, options: OpenvidiaOptions) {
  const load = (name: string, constants: Record<string, number> = {}) =>
    loadKernel(session, new URL(`${name}.wgsl`, import.meta.url), { constants });
  const [blur, products, corners, directions, descriptor] = await Promise.all([
    load("../../blur"),
    load("./openvidia-products"),
    load("./openvidia-corners", CORNER_CONSTANTS),
    load("./openvidia-directions", DIRECTION_CONSTANTS),
    load("../sift/descriptor", descriptorConstants(options)),
  ]);
  const work = new Workspace(session, "openvidia");
  const size = { width, height };
  work.storage("image", width * height);
  work.storage("products", TENSOR * width * height);
  work.storage("counters", corners.struct("Counters").words);
  const blurs = { alongX: blur, alongY: blur };
  const tiles = tilesOf(products, size);
  const filters: Step[] = [
    ...blurSteps(work, blurs, size, IMAGE_TAPS, "image", "pyramid", { pitch: pitchOf(width) }),
    { kernel: products, groups: tiles },
    ...blurSteps(work, blurs, size, TENSOR_TAPS, "products", "tensor", { planes: TENSOR }),
  ];
  const steps = ([room]: readonly number[]): Step[] => {
    work.storage("places", corners.struct("Place").words * room);
    work.storage("keypoints", directions.struct("Oriented").words * room);
    work.storage("descriptors", (DESCRIPTOR_LENGTH / 4) * room);
    const settings = { soft: options.randomness, peak: options.threshold, edge: 0, orientations: 1 };
    const rooms = { candidateRoom: 0, placeRoom: room, keypointRoom: room };
    const record = spaceOf([{ offset: 0, width, height, firstGroup: 0 }], { ...settings, ...rooms });
    work.uniform("space", corners.struct("Space"), record);
    return [
      ...filters,
      { kernel: corners, groups: tiles },
      ...[directions, descriptor].map((kernel) => ({ kernel, groups: [Math.min(LIST_GROUPS, room)] as const })),
    ];
  };
  const room = Math.max(1024, Math.ceil((width * height) / 128));
  const lists = new DeviceLists(work, { counters: "counters", counts: ([, , found]) => [found], steps }, [room]);
  const upload = new PlaneUpload(work, width * height);
  const [place, oriented] = [corners.struct("Place"), directions.struct("Oriented")];
  return {
    detect: (image: Plane): Promise<Keypoints> =>
      lists.fill({
        before: async (encoder, _, isAgain) => (isAgain ? undefined : await upload.send(encoder, image, "image")),
        parts: ([found]) => [
          { name: "places", bytes: place.size * found },
          { name: "keypoints", bytes: oriented.size * found },
          { name: "descriptors", bytes: DESCRIPTOR_LENGTH * found },
        ],
        decode: ([places, keypoints, descriptors]) => {
          const [x, y, response] = ["x", "y", "response"].map((name) => place.floats(places, name));
          const bytes = new Uint8Array(descriptors.slice().buffer);
          const records = Array.from(oriented.floats(keypoints, "angle"), (angle, k) => ({
            x: x[k],
            y: y[k],
            response: response[k],
            angle,
            descriptor: bytes.subarray(DESCRIPTOR_LENGTH * k, DESCRIPTOR_LENGTH * (k + 1)),
          }));
          return strongestFirst(records);
        },
      }),
    destroy: () => work.destroy(),
  };
}

/** OpenVIDIA's features on the CPU or a GPU, the strongest first; grey levels of 0 … 255. */
export async function detectOpenvidia(
  image: Plane,
  options: OpenvidiaOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<Keypoints> {
  if (device === null) return detectOpenvidiaOnCpu(inFloats(image), options);
  return await once(createGpuOpenvidia(device, image, options), (gpu) => gpu.detect(image));
}
