/**
 * Canny's edges (Canny 1986) in integers, bit by bit those of cv2.Canny(image, low, high, L2gradient=True): Sobel with the border
 * repeated, suppression across the edge in four sectors, hysteresis over eight neighbours. The twin of canny-*.wgsl.
 */

import { InputError } from "../../core/errors.js";
import { threadsFor, tilesOf } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { once, Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-planes.js";
import { type GreyImage, inFloats, type Plane, type Size } from "../image.js";
import { gradients } from "./gradients.js";

/** tan(22.5°) in units of 2⁻¹⁵. */
const TAN_22 = 13573;
export const SHIFT = 2 ** 15;

export const EDGE = { none: 0, candidate: 1, strong: 2 } as const;

/** EDGE of every pixel, before hysteresis. `low ≤ high` in Sobel's sums of grey levels. */
function edgeCandidates(image: GreyImage, low: number, high: number): Uint8Array {
  const { width, height } = image;
  const { gx, gy } = gradients(image, "sobel", "replicate");
  const square = new Float64Array(gx).map((x, p) => x * x + gy[p] * gy[p]);
  const at = (x: number, y: number) => (x < 0 || y < 0 || x >= width || y >= height ? 0 : square[y * width + x]);
  const edges = new Uint8Array(width * height);
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++, p++) {
      const m = square[p];
      if (!(m > low * low) || !isRidge(at, x, y, gx[p], gy[p], m)) continue;
      edges[p] = m > high * high ? EDGE.strong : EDGE.candidate;
    }
  }
  return edges;
}

/** Above one neighbour across the edge and not below the other; above both on diagonals. */
function isRidge(
  at: (x: number, y: number) => number,
  x: number,
  y: number,
  gx: number,
  gy: number,
  m: number,
): boolean {
  const horizontal = Math.abs(gx) * TAN_22;
  const vertical = Math.abs(gy) * SHIFT;
  if (vertical < horizontal) return m > at(x - 1, y) && m >= at(x + 1, y);
  if (vertical > horizontal + 2 * SHIFT * Math.abs(gx)) return m > at(x, y - 1) && m >= at(x, y + 1);
  // The sign of gx xor gy as integers: 0 counts as positive.
  const side = gx < 0 === gy < 0 ? 1 : -1;
  return m > at(x - side, y - 1) && m > at(x + side, y + 1);
}

/** Candidates that are joined to a strong pixel over eight neighbours: 1, all else 0. */
export function hysteresis(edges: Uint8Array, width: number, height: number): Uint8Array {
  const kept = new Uint8Array(edges.length);
  const stack: number[] = [];
  const keep = (p: number) => {
    kept[p] = 1;
    stack.push(p);
  };
  for (const [p, edge] of edges.entries()) if (edge === EDGE.strong) keep(p);
  for (let p = stack.pop(); p !== undefined; p = stack.pop()) {
    const [x, y] = [p % width, Math.floor(p / width)];
    for (let r = Math.max(y - 1, 0); r <= Math.min(y + 1, height - 1); r++) {
      for (let c = Math.max(x - 1, 0); c <= Math.min(x + 1, width - 1); c++) {
        const q = r * width + c;
        if (edges[q] !== EDGE.none && kept[q] === 0) keep(q);
      }
    }
  }
  return kept;
}

/** 1 where there is an edge; the image holds integers of 0 … 255. */
function cannyOnCpu(image: GreyImage, low: number, high: number): Uint8Array {
  return hysteresis(edgeCandidates(image, low, high), image.width, image.height);
}

/** On a GPU in four dispatches, whatever the length of the edges: made once for images of one size. `low ≤ high` in Sobel's sums of grey levels. */
export async function createGpuCanny(session: GpuSession, { width, height }: Size, low: number, high: number) {
  const load = (name: string, constants = {}) =>
    loadKernel(session, new URL(`./canny-${name}.wgsl`, import.meta.url), { constants });
  const [join, mark, keep] = await Promise.all(["join", "mark", "keep"].map((name) => load(name)));
  const candidates = await load("candidates", { TAN_22, SHIFT });
  const work = new Workspace(session, "canny");
  const pixels = width * height;
  for (const name of ["image", "parents", "strong"]) work.storage(name, pixels);
  work.storage("edges", Math.ceil(pixels / 4));
  // Squared gradients are integers: above a threshold is above its floor.
  const square = (threshold: number) => Math.min(Math.floor(threshold ** 2), 2 ** 32 - 1);
  work.uniform("run", candidates.struct("CannyRun"), { width, height, low: square(low), high: square(high) });
  const tiles = tilesOf(candidates, { width, height });
  const steps = [
    { kernel: candidates, groups: tiles },
    { kernel: join, groups: tiles },
    { kernel: mark, groups: threadsFor(mark, pixels) },
    { kernel: keep, groups: threadsFor(keep, Math.ceil(pixels / 4)) },
  ];
  const upload = new PlaneUpload(work, pixels, true);
  return {
    /**
     * 1 where there is an edge.
     * @throws InputError for grey levels that are no integers
     */
    async detect(image: Plane): Promise<Uint8Array> {
      const greys = image.pixels;
      const k = greys instanceof Float32Array ? greys.findIndex((grey) => !Number.isInteger(grey)) : -1;
      if (k >= 0) throw new InputError(`pixel ${k} has ${greys[k]}: Canny takes integers of 0 to 255; round the image`);
      return await upload.run({ image }, steps, [{ name: "edges" }], ([edges]) =>
        new Uint8Array(edges.buffer, edges.byteOffset, pixels).slice(),
      );
    },
    destroy: () => work.destroy(),
  };
}

/** 1 where there is an edge, on the CPU or a GPU. The image holds integers of 0 … 255. */
export async function detectCanny(
  image: Plane,
  low: number,
  high: number,
  { device }: { readonly device: GpuSession | null },
): Promise<Uint8Array> {
  if (device !== null) return await once(createGpuCanny(device, image, low, high), (canny) => canny.detect(image));
  return cannyOnCpu(inFloats(image), low, high);
}
