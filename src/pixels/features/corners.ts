/**
 * Corners by the structure tensor: Harris & Stephens 1988, and the selection of Shi & Tomasi 1994. Twins of corner-response.wgsl and corner-maxima.wgsl.
 * Responses have OpenCV's units: gradients are Sobel's over 8 times a quarter of 255 and the window (1/3060 for box3).
 */

import { tilesOf } from "../../gpu/dispatch.js";
import { DeviceLists } from "../../gpu/lists.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { once, Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-planes.js";
import { type GreyImage, inFloats, type Plane, type Size } from "../image.js";
import { isMaximum, parabolaTop } from "../maxima.js";
import { gradients, structureTensor, TENSOR_WINDOWS, type TensorWindow } from "./gradients.js";
import { NearPoints } from "./near-points.js";

type CornerMeasure = "harris" | "least-eigenvalue";

/** 1 / (4 · 3 · 255): cv2.cornerHarris's and cornerMinEigenVal's scale of Sobel's sums at block size 3. */
const GRADIENT_SCALE = 1 / (4 * 3 * 255);

export interface CornerOptions {
  /** Corners must exceed this share of the largest response. */
  readonly quality: number;
  /** Most corners; the strongest are kept. */
  readonly most: number;
  /** Least distance between corners in pixels; 0 for none. */
  readonly distance: number;
  readonly window: TensorWindow;
  readonly measure: CornerMeasure;
  /** Pixels at the border that are no corners. */
  readonly margin: number;
  /** Harris's κ. */
  readonly kappa: number;
  /** Places to a fraction of a pixel by a parabola along each axis. */
  readonly subpixel: boolean;
}

export const HARRIS_DEFAULTS: CornerOptions = {
  quality: 0.01,
  most: Number.POSITIVE_INFINITY,
  distance: 0,
  window: "gauss3",
  measure: "harris",
  margin: 0,
  kappa: 0.05,
  subpixel: true,
};

/** As cv2.goodFeaturesToTrack(image, 1000, 0.01, 7, blockSize=3). */
export const KLT_SELECTION_DEFAULTS: CornerOptions = {
  quality: 0.01,
  most: 1000,
  distance: 7,
  window: "box3",
  measure: "least-eigenvalue",
  margin: 1,
  kappa: 0,
  subpixel: false,
};

/** Corners, the strongest first; ties by row, then column. Places in pixels, pixel centres at integers. */
export interface Corners {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly response: Float32Array;
}

/** Response of every pixel; f32 of f64 sums. */
export function cornerResponse(image: GreyImage, { window, measure, kappa }: CornerOptions): Float32Array {
  const { xx, xy, yy } = structureTensor(gradients(image, "sobel", "reflect-101"), window);
  const unit = GRADIENT_SCALE ** 2;
  const response = xx.map((a0, p) => {
    const [a, b, c] = [a0 * unit, xy[p] * unit, yy[p] * unit];
    if (measure === "harris") return a * c - b * b - kappa * (a + c) ** 2;
    return (a + c) / 2 - Math.sqrt(((a - c) / 2) ** 2 + b * b);
  });
  return new Float32Array(response);
}

/** A corner candidate: a pixel whose response is above the threshold and not below any of its eight neighbours'. */
export interface CornerCandidate {
  readonly pixel: number;
  readonly response: number;
  /** Offsets of the peak along the axes, at most ½; 0 at the border. */
  readonly dx: number;
  readonly dy: number;
}

/** Candidates at least `margin` pixels from the border; neighbours beyond it do not count. */
export function cornerCandidates(
  response: Float32Array,
  { width, height }: Size,
  threshold: number,
  margin: number,
): CornerCandidate[] {
  const found: CornerCandidate[] = [];
  const at = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? Number.NaN : response[y * width + x];
  for (let y = margin; y < height - margin; y++) {
    for (let x = margin; x < width - margin; x++) {
      const pixel = y * width + x;
      const value = response[pixel];
      if (!(value > threshold) || !isMaximum(response, { width, height }, pixel, 1, (other) => other > value)) continue;
      const dx = -parabolaTop(at(x + 1, y), value, at(x - 1, y));
      const dy = -parabolaTop(at(x, y + 1), value, at(x, y - 1));
      found.push({ pixel, response: value, dx, dy });
    }
  }
  return found;
}

/** Candidates above the share `quality` of the largest response. */
export function candidatesIn(
  response: Float32Array,
  size: Size,
  { quality, margin }: Pick<CornerOptions, "quality" | "margin">,
): CornerCandidate[] {
  const threshold = quality * response.reduce((most, value) => Math.max(most, value), 0);
  return cornerCandidates(response, size, threshold, margin);
}

/**
 * The strongest candidates at least `distance` apart, and from places that are taken already, greedily; as cv2.goodFeaturesToTrack, but for ties.
 * The taken ones count among the most.
 */
export function chooseCorners(
  candidates: readonly CornerCandidate[],
  width: number,
  options: CornerOptions,
  taken: readonly { readonly x: number; readonly y: number }[] = [],
): Corners {
  const sorted = [...candidates].sort((a, b) => b.response - a.response || a.pixel - b.pixel);
  const { distance, most, subpixel } = options;
  const kept = new NearPoints(Math.max(Math.ceil(distance), 1));
  const isNear = (square: number) => square < distance ** 2;
  for (const place of taken) kept.add(place);
  const chosen: CornerCandidate[] = [];
  for (const candidate of sorted) {
    if (chosen.length + taken.length >= most) break;
    if (distance >= 1) {
      const [x, y] = [candidate.pixel % width, Math.floor(candidate.pixel / width)];
      if (kept.has(x, y, isNear)) continue;
      kept.add({ x, y });
    }
    chosen.push(candidate);
  }
  const shift = subpixel ? 1 : 0;
  return {
    x: Float32Array.from(chosen, ({ pixel, dx }) => (pixel % width) + shift * dx),
    y: Float32Array.from(chosen, ({ pixel, dy }) => Math.floor(pixel / width) + shift * dy),
    response: Float32Array.from(chosen, ({ response }) => response),
  };
}

/** Response and maxima on a GPU, the choice among the candidates on the host: made once for images of one size. */
export async function createGpuCorners(
  session: GpuSession,
  { width, height }: Size,
  { window, measure, margin, quality, kappa }: CornerOptions,
) {
  const [side, middle] = TENSOR_WINDOWS[window];
  const constants = { HARRIS: Number(measure === "harris"), SIDE: side, MIDDLE: middle, UNIT: GRADIENT_SCALE ** 2 };
  const [response, maxima] = await Promise.all([
    loadKernel(session, new URL("./corner-response.wgsl", import.meta.url), { constants }),
    loadKernel(session, new URL("./corner-maxima.wgsl", import.meta.url)),
  ]);
  const work = new Workspace(session, "corners");
  const pixels = width * height;
  work.storage("image", pixels);
  work.storage("response", pixels);
  work.storage("count", response.struct("CornerCount").words);
  const corner = maxima.struct("Corner");
  const steps = ([room]: readonly number[]) => {
    work.storage("corners", corner.words * room);
    work.uniform("run", maxima.struct("CornerRun"), { width, height, margin, room, quality, kappa });
    return [response, maxima].map((kernel) => ({ kernel, groups: tilesOf(kernel, { width, height }) }));
  };
  const room = Math.max(4096, Math.ceil(pixels / 32));
  const lists = new DeviceLists(work, { counters: "count", counts: ([, found]) => [found], steps }, [room]);
  const upload = new PlaneUpload(work, pixels);
  return {
    /** Candidates in any order; the response of every pixel where it is wanted. */
    find(image: Plane, wantsResponse: boolean) {
      const whole = wantsResponse ? [{ name: "response" }] : [];
      return lists.fill({
        before: async (encoder, _, isAgain) => (isAgain ? undefined : await upload.send(encoder, image, "image")),
        parts: ([found]) => [{ name: "corners", bytes: corner.size * found }, ...whole],
        decode: ([list, response]) => {
          const pixel = corner.integers(list, "pixel");
          const [value, dx, dy] = ["response", "dx", "dy"].map((name) => corner.floats(list, name));
          const candidates = Array.from(pixel, (at, k) => ({ pixel: at, response: value[k], dx: dx[k], dy: dy[k] }));
          return { candidates, response: wantsResponse ? new Float32Array(response.slice().buffer) : null };
        },
      });
    },
    destroy: () => work.destroy(),
  };
}

/** Harris corners or the features KLT tracks, by `options.measure`, on the CPU (null) or a GPU; with `response`, that of every pixel too. */
export async function detectCorners(
  image: Plane,
  options: CornerOptions,
  { device, response: wanted = false }: { readonly device: GpuSession | null; readonly response?: boolean },
) {
  const onCpu = () => {
    const response = cornerResponse(inFloats(image), options);
    return { candidates: candidatesIn(response, image, options), response: wanted ? response : null };
  };
  const { candidates, response } =
    device === null ? onCpu() : await once(createGpuCorners(device, image, options), (gpu) => gpu.find(image, wanted));
  return { corners: chooseCorners(candidates, image.width, options), response };
}
