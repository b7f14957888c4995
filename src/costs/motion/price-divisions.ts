import { axesOf, type Detections, distanceBetween, frameOfDetections } from "../../core/detections.js";
import { bindExpected, bindLaw, isNext, squareTo } from "./division-law.js";
import type { Divisions } from "./divisions.js";
import type { Followed } from "./follow.js";
import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

/** Links of second daughters, in order of mothers and daughters. */
export interface PricedDivisions {
  readonly mother: Int32Array;
  readonly daughter: Int32Array;
  readonly cost: Float64Array;
}

/**
 * What a second daughter costs beside her mother's link to the first one, along each link to the next frame, where that is less than a start. The first one is taken to be who follows the mother in the tracks that the law was
 * fitted to; where nobody does, the place of the second one alone counts.
 * @param first number that the first detection of these tracks has
 */
export function priceDivisions(
  detections: Detections,
  { tail, head, span }: Pick<Links, "tail" | "head" | "span">,
  model: MotionModel,
  { ends, single }: TrackCosts,
  { law, followed }: Divisions,
  first: number,
): PricedDivisions | null {
  if (law === null || followed === null || ends === null) return null;
  const axes = axesOf(detections);
  const distance = distanceBetween(detections, detections);
  const density = bindLaw(law, axes.length);
  const known = around(followed, first, detections);
  const expected = bindExpected(detections, known, model);
  const found: { mother: number; daughter: number; cost: number }[] = [];
  for (let e = 0; e < tail.length; e++) {
    const [i, k] = [tail[e], head[e]];
    const j = known.next[i];
    if (span[e] > 1 || j === k) continue;
    const at = expected(i);
    const to = (d: number) => axes.map((axis) => axis[d]);
    let cost = density.one(squareTo(to(k), at)) - Math.log(law.rate);
    if (isNext(known, i, j)) {
      const middle = axes.map((axis) => 0.5 * (axis[j] + axis[k]));
      cost = density.both(squareTo(middle, at), 0.25 * distance(j, k) ** 2) - density.one(squareTo(to(j), at));
    }
    if (cost - 0.5 * single[k] < ends.birth[k]) found.push({ mother: i, daughter: k, cost });
  }
  return {
    mother: Int32Array.from(found, ({ mother }) => mother),
    daughter: Int32Array.from(found, ({ daughter }) => daughter),
    cost: Float64Array.from(found, ({ cost }) => cost),
  };
}

/** Tracks by the detections of a recording of which they are a part. */
function around({ previous, next }: Followed, first: number, { frameStart, x }: Detections): Followed {
  const moved = (neighbour: Int32Array): Int32Array => {
    const all = new Int32Array(x.length).fill(-1);
    neighbour.forEach((d, at) => {
      if (at + first >= 0 && at + first < all.length && d >= 0) all[at + first] = d + first;
    });
    return all;
  };
  return { previous: moved(previous), next: moved(next), frame: frameOfDetections(frameStart) };
}
