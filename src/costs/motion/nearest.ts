import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { middleFrames } from "./middle-frames.js";
import { bindExpectation, type MotionModel } from "./model.js";

/** Links between detections of some frames that are each other's nearest in |z|, with z of each by its tail; next = −1 where there is none. */
export function nearestLinks(
  detections: Detections,
  model: Pick<MotionModel, "drift" | "velocityWeight">,
  [begin, end]: readonly [number, number],
) {
  const { frameStart, x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const next = new Int32Array(x.length).fill(-1);
  const previous = new Int32Array(x.length).fill(-1);
  const nearestIn = new Float64Array(x.length).fill(Number.POSITIVE_INFINITY);
  const zx = new Float64Array(x.length);
  const zy = new Float64Array(x.length);
  const u = new Float64Array(2);
  for (let p = begin; p + 1 < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      let nearest = Number.POSITIVE_INFINITY;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        expectation(i, j, u);
        const dx = x[j] - x[i] - u[0];
        const dy = y[j] - y[i] - u[1];
        const square = dx * dx + dy * dy;
        if (square < nearest) {
          nearest = square;
          next[i] = j;
          zx[i] = dx;
          zy[i] = dy;
        }
        if (square < nearestIn[j]) {
          nearestIn[j] = square;
          previous[j] = i;
        }
      }
    }
  }
  next.forEach((j, i) => {
    if (j >= 0 && previous[j] !== i) next[i] = -1;
  });
  return { next, zx, zy };
}

/** Median distance to the nearest detection of the same frame; 0 where no frame has two, or most share their place. */
export function medianSpacing(detections: Detections): number {
  const { frameStart, x, y } = detections;
  const nearest: number[] = [];
  const [begin, end] = middleFrames(detections);
  for (let p = begin; p < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      let least = Number.POSITIVE_INFINITY;
      for (let j = frameStart[p]; j < frameStart[p + 1]; j++) {
        if (j !== i) least = Math.min(least, (x[j] - x[i]) ** 2 + (y[j] - y[i]) ** 2);
      }
      if (least < Number.POSITIVE_INFINITY) nearest.push(Math.sqrt(least));
    }
  }
  return quantile(nearest, 0.5) ?? 0;
}
