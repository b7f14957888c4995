import type { Detections } from "../../core/detections.js";

/** Extent of the positions without the outermost thousandth on either side, never below `least`. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function areaOf({ x, y }: Detections, least: number): Area {
  const [left, right] = range(x);
  const [top, bottom] = range(y);
  return { x: left, y: top, width: Math.max(least, right - left), height: Math.max(least, bottom - top) };
}

function range(values: Float64Array): [number, number] {
  const sorted = values.slice().sort();
  const out = Math.floor(0.001 * sorted.length);
  return [sorted[out], sorted[sorted.length - 1 - out]];
}
