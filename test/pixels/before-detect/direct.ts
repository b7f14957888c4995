/** The recursion as Mazurek 2010 (2) states it, frame by frame and pixel by pixel: what the twin and the kernels are compared with. */
import { type MotionVector, nearestVectors } from "../../../src/pixels/before-detect/vectors.js";
import type { GreyImage } from "../../../src/pixels/image.js";

export interface DirectOptions {
  readonly vectors: readonly MotionVector[];
  readonly alpha: number;
  readonly switching?: number;
  readonly combine?: "sum" | "max";
}

/** P after every frame, each of shape vectors × height × width. */
export function directStates(frames: readonly GreyImage[], options: DirectOptions): Float32Array[] {
  const { vectors, alpha, switching = 0, combine = "sum" } = options;
  const [{ width, height }] = frames;
  const cells = width * height;
  const near = nearestVectors(vectors);
  const a = Math.fround(alpha);
  const b = Math.fround(1 - a);
  let before = new Float32Array(vectors.length * cells);
  const round = (value: number) => Math.floor(value + 0.5);
  return frames.map(({ pixels }, n) => {
    const k = n + 1;
    const mixed = before.map((own, at) => {
      const v = Math.floor(at / cells);
      const others = near[v].map((u) => before[u * cells + (at % cells)]);
      if (combine === "max") return Math.max(own, ...others);
      if (switching === 0) return own;
      // The neighbours first, as the twin adds them.
      let sum = 0;
      near[v].forEach((u, i) => {
        sum = Math.fround(sum + Math.fround(Math.fround(switching / near[u].length) * others[i]));
      });
      return sum + Math.fround(Math.fround(1 - switching) * own);
    });
    const after = new Float32Array(before.length);
    vectors.forEach(({ x: vx, y: vy }, v) => {
      const dx = round(k * vx) - round((k - 1) * vx);
      const dy = round(k * vy) - round((k - 1) * vy);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const [fromX, fromY] = [x - dx, y - dy];
          const inside = fromX >= 0 && fromX < width && fromY >= 0 && fromY < height;
          const past = inside ? mixed[v * cells + fromY * width + fromX] : 0;
          after[v * cells + y * width + x] = Math.fround(a * past) + Math.fround(b * pixels[y * width + x]);
        }
      }
    });
    before = after;
    return after;
  });
}
