import type { Detections } from "../../core/detections.js";
import { continuationsOf } from "./continuations.js";
import { type Links, linkCosts, mergeLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { spread } from "./student.js";

/**
 * Multipliers and duals of the problem of links of one frame (docs/algorithm.md §2): v and Δ by edge, its links first, then deaths, then
 * births; α by tail and β by head.
 */
export interface Multipliers {
  readonly v: Float64Array;
  readonly delta: Float64Array;
  readonly rowDual: Float64Array;
  readonly columnDual: Float64Array;
}

/**
 * The amount that each link over several frames would have to save to change the dual's optimum,
 *
 *     C_e + min_h (D_he − Δ_h) + min_f (D_ef − v_f) − α_i − β_k,
 *
 * over the links and births h into its tail, the links and deaths f out of its head. The detections between have no duals of their own.
 */
export function reducedCosts(
  detections: Detections,
  consecutive: Links,
  over: Links,
  model: MotionModel,
  costs: TrackCosts,
  { v, delta, rowDual, columnDual }: Multipliers,
): Float64Array {
  const { frames, frameStart, x } = detections;
  const links = consecutive.tail.length;
  const lastFrame = frameStart[frames - 1];
  const all = mergeLinks(consecutive, over);
  const { rules, offset, whitened, runStart } = continuationsOf(x.length, all, model, costs);
  const { tail, head, span, zx, zy } = all;
  const spans = rules.length;
  // Numbers of the consecutive links among all, and of those over several frames.
  const own = new Int32Array(tail.length).fill(-1);
  const wide: number[] = [];
  let n = 0;
  span.forEach((frames, e) => {
    if (frames === 1) own[e] = n++;
    else wide.push(e);
  });
  // Of each detection, what its links of one frame save at most: Δ into it, and v beside the own offset out of it.
  const mostInto = new Float64Array(x.length).fill(Number.NEGATIVE_INFINITY);
  const mostOut = new Float64Array(x.length).fill(Number.NEGATIVE_INFINITY);
  own.forEach((number, e) => {
    if (number < 0) return;
    mostInto[head[e]] = Math.max(mostInto[head[e]], delta[number]);
    mostOut[tail[e]] = Math.max(mostOut[tail[e]], v[number] + offset[e]);
  });
  /** By link: the least cost before it, or behind it. Within a rule costs compare as the spread times a weight, so that pairs take no logarithm. */
  const before = new Float64Array(tail.length).fill(Number.POSITIVE_INFINITY);
  const after = new Float64Array(tail.length).fill(Number.POSITIVE_INFINITY);
  const scan = (a: number, b: number): void => {
    const rule = rules[a][b];
    const { slope, peak, rho } = rule;
    const { x: whiteX, y: whiteY } = whitened[a];
    const isBefore = a === 0;
    const least = isBefore ? before : after;
    const weight = new Float64Array(tail.length);
    own.forEach((number, e) => {
      if (number < 0) return;
      const less = isBefore ? mostInto[head[e]] - delta[number] : mostOut[tail[e]] - v[number] - offset[e];
      weight[e] = Math.exp(less / slope);
    });
    for (let e = 0; e < tail.length; e++) {
      if (span[e] !== a + 1) continue;
      const fromX = rule.a * rho * zx[e];
      const fromY = rule.b * rho * zx[e] + rule.c * rho * zy[e];
      const end = runStart[spans * head[e] + b + 1];
      for (let f = runStart[spans * head[e] + b]; f < end; f++) {
        const u = whiteX[f] - fromX;
        const w = whiteY[f] - fromY;
        const value = spread(rule, u * u + w * w) * weight[isBefore ? e : f];
        const at = isBefore ? f : e;
        if (value < least[at]) least[at] = value;
      }
    }
    // From products to costs.
    for (const e of wide) {
      if (span[e] !== (isBefore ? b : a) + 1) continue;
      least[e] = peak + slope * Math.log(least[e]) - (isBefore ? offset[e] + mostInto[tail[e]] : mostOut[head[e]]);
    }
  };
  for (let s = 1; s < spans; s++) {
    scan(0, s);
    scan(s, 0);
  }
  const cost = linkCosts(all, costs);
  const birthOf = (d: number) => links + lastFrame + d - frameStart[1];
  return Float64Array.from(wide, (e) => {
    const [i, k] = [tail[e], head[e]];
    const into = i < frameStart[1] ? 0 : Math.min(before[e], -delta[birthOf(i)]);
    const out = k >= lastFrame ? 0 : Math.min(after[e], -v[links + k]);
    return cost[e] + into + out - rowDual[i] - columnDual[k];
  });
}
