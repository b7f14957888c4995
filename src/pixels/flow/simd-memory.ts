/** Where the planes of simd-flow.ts lie in shared memory. */
import type { Size } from "../image.js";
import { zoomSigma } from "../pyramid.js";
import { RowKernels } from "../simd/row-kernels.js";
import type { FlowOptions } from "./options.js";

/** Rows that a thread takes at a time, and iterations that it runs on them before the next ones: what they need lies in its cache, and the halo costs little. */
export const BAND = 48;
export const DEPTH = 10;

/** Rows of a band in the other steps. */
export const FILTER_BAND = 16;

/** Floats before a plane's first row, which the kernels may read, and from one row to the next: one column more than the image, in fours. */
export const strideOf = ({ width }: Size) => 4 * Math.ceil((width + 1) / 4);

/** u − u⁰, v − v⁰ and the four components of p. */
export const STATE = 6;

/** Addresses of what a pair has, in bytes. */
export interface Pair {
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly u: number;
  readonly v: number;
  readonly residual: number;
  readonly gradientX: number;
  readonly gradientY: number;
  /** Six planes each; the iterations read one and write the other, which is swapped with it. Other steps may use the second. */
  state: number;
  other: number;
}

export interface FlowMemory {
  readonly key: string;
  readonly kernels: RowKernels;
  readonly pairs: readonly Pair[];
  /** Bytes of a plane of the finest level. */
  readonly plane: number;
  readonly taps: number;
  readonly scratch: number;
}

/** Bytes that a band needs in scratch: its rows, those of the halo and one before them, of each plane of the state. */
export const iterationRoom = (size: Size) => 4 * STATE * (BAND + 2 * DEPTH + 1) * strideOf(size);

/** The window of the median and its lines, of which there are at most five. */
export const medianRoom = (size: Size) => 256 + 4 * 5 * (strideOf(size) + 8);

export function imageAt({ floats }: RowKernels, at: number, size: Size): Float32Array {
  const pixels = new Float32Array(size.width * size.height);
  for (let y = 0; y < size.height; y++) {
    const row = at / 4 + y * strideOf(size);
    pixels.set(floats.subarray(row, row + size.width), y * size.width);
  }
  return pixels;
}

/** Where everything lies. */
export function layOut(
  key: string,
  count: number,
  sizes: readonly Size[],
  { presmooth, zoom }: FlowOptions,
  setting: ConstructorParameters<typeof RowKernels>[2],
): FlowMemory {
  const [finest] = sizes;
  const bytesOf = (size: Size) => 4 * strideOf(size) * size.height;
  let end = 0;
  const place = (bytes: number) => {
    end += bytes;
    return end - bytes;
  };
  const plane = bytesOf(finest);
  const tapsOfBlur = Math.max(...[presmooth, zoomSigma(zoom)].map((sigma) => 4 * (5 * sigma + 2)));
  const taps = place(4 * Math.ceil((Math.max(tapsOfBlur, 32 * (finest.width + finest.height)) + 16) / 4));
  const bands = Math.ceil(finest.height / BAND);
  const filterBands = Math.ceil(finest.height / FILTER_BAND);
  const scratch = place(Math.max(bands * iterationRoom(finest), filterBands * medianRoom(finest)));
  const pairs = Array.from({ length: count }, () => ({
    first: sizes.map((size) => place(bytesOf(size))),
    second: sizes.map((size) => place(bytesOf(size))),
    u: place(plane),
    v: place(plane),
    residual: place(plane),
    gradientX: place(plane),
    gradientY: place(plane),
    state: place(STATE * plane),
    other: place(STATE * plane),
  }));
  const { width, height } = finest;
  const tooMany = `flow: ${count === 1 ? "a pair" : `${count} pairs`} of ${width} × ${height} pixels take ${(end / 2 ** 30).toFixed(1)} GiB, and WebAssembly has 4; choose a GPU, or a precision of 16 bits, whose flow on the CPU is computed without it`;
  // The columns behind the last row of the last plane may be read.
  return { key, kernels: new RowKernels(end + 64, tooMany, setting), pairs, plane, taps, scratch };
}
