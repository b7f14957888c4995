import type { MovingDetections } from "../../src/costs/cost.js";
import type { PricedDetections } from "../../src/costs/price-detections.js";

/** Detections from rows of [x, y, vx, vy], frame by frame. */
export function scene(frames: readonly (readonly (readonly number[])[])[], timeStep = 1): MovingDetections {
  const rows = frames.flat();
  const column = (k: number) => Float64Array.from(rows, (row) => row[k]);
  const frameStart = Uint32Array.from([0, ...frames.map((_, p) => frames.slice(0, p + 1).flat().length)]);
  return {
    frames: frames.length,
    frameStart,
    x: column(0),
    y: column(1),
    vx: column(2),
    vy: column(3),
    target: null,
    timeStep,
  };
}

/** The detections turned by an angle, stretched and moved. */
export function transformed(detections: MovingDetections, angle: number, scale: number, dx: number, dy: number) {
  const { x, y, vx, vy } = detections;
  const cos = scale * Math.cos(angle);
  const sin = scale * Math.sin(angle);
  return {
    ...detections,
    x: x.map((_, i) => cos * x[i] - sin * y[i] + dx),
    y: y.map((_, i) => sin * x[i] + cos * y[i] + dy),
    vx: vx.map((_, i) => cos * vx[i] - sin * vy[i]),
    vy: vy.map((_, i) => sin * vx[i] + cos * vy[i]),
  };
}

/** Links as "tail→head". */
export const linkNames = ({ links }: PricedDetections) => Array.from(links.tail, (i, e) => `${i}→${links.head[e]}`);
