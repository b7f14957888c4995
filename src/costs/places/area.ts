import type { Places } from "../../core/detections.js";

/** Extent of the positions without the outermost thousandth on either side, never below `least`. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** In space: a volume. */
  readonly z?: number;
  readonly depth?: number;
}

export function areaOf({ x, y, z }: Places, least: number): Area {
  const [left, right] = range(x);
  const [top, bottom] = range(y);
  const plane = { x: left, y: top, width: Math.max(least, right - left), height: Math.max(least, bottom - top) };
  if (z === undefined) return plane;
  const [front, back] = range(z);
  return { ...plane, z: front, depth: Math.max(least, back - front) };
}

/** The area, or the volume. */
export function sizeOf({ width, height, depth = 1 }: Area): number {
  return width * height * depth;
}

function range(values: Float64Array): [number, number] {
  const sorted = values.slice().sort();
  const out = Math.floor(0.001 * sorted.length);
  return [sorted[out], sorted[sorted.length - 1 - out]];
}
