import { quantile } from "d3-array";
import { axesOf, type Detections, frameOfDetections } from "../../core/detections.js";
import { mutuallyCheapest } from "../mutual.js";
import { middleFrames } from "../places/stretch.js";
import { bindDeviation, bindExpectation, type MotionModel } from "./model.js";

/** Links between detections of some frames that are each other's nearest in |z|, with z of each by axis and its tail; next = −1 where there is none. */
export function nearestLinks(
  detections: Detections,
  model: Pick<MotionModel, "drift" | "velocityWeight">,
  [begin, end]: readonly [number, number],
) {
  const { frameStart, x, y, z } = detections;
  const frame = frameOfDetections(frameStart);
  const deviation = bindDeviation(detections, model);
  const expectation = bindExpectation(detections, model);
  const u = new Float64Array(3);
  const next = mutuallyCheapest(x.length, (i, visit) => {
    const p = frame[i];
    if (p < begin || p + 1 >= end) return;
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
      expectation(i, j, u);
      const deep = z === undefined ? 0 : z[j] - z[i] - u[2];
      visit(j, (x[j] - x[i] - u[0]) ** 2 + (y[j] - y[i] - u[1]) ** 2 + deep * deep);
    }
  });
  const off = axesOf(detections).map(() => new Float64Array(x.length));
  next.forEach((j, i) => {
    if (j < 0) return;
    for (const [axis, value] of deviation(i, j, 1).entries()) off[axis][i] = value;
  });
  return { next, z: off };
}

/** Median distance to the nearest detection of the same frame; 0 where no frame has two, or most share their place. */
export function medianSpacing(detections: Detections): number {
  const { frameStart, x, y, z } = detections;
  const nearest: number[] = [];
  const [begin, end] = middleFrames(detections);
  for (let p = begin; p < end; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      let least = Number.POSITIVE_INFINITY;
      for (let j = frameStart[p]; j < frameStart[p + 1]; j++) {
        const deep = z === undefined ? 0 : (z[j] - z[i]) ** 2;
        if (j !== i) least = Math.min(least, (x[j] - x[i]) ** 2 + (y[j] - y[i]) ** 2 + deep);
      }
      if (least < Number.POSITIVE_INFINITY) nearest.push(Math.sqrt(least));
    }
  }
  return quantile(nearest, 0.5) ?? 0;
}
