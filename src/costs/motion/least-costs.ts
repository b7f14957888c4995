import { CLEARLY, type Continuations, type DropLimits } from "./continuations.js";
import type { TrackCosts } from "./links.js";
import { spread } from "./student.js";

/** The cheapest D into and out of each link, and the links that attain them; Infinity and −1 where there is none. */
export interface LeastCosts {
  readonly into: Float64Array;
  readonly out: Float64Array;
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly incoming: Incoming;
}

/** The links into each detection, in order. */
interface Incoming {
  readonly start: Uint32Array;
  readonly link: Uint32Array;
}

/** Over all pairs of links. */
export function leastCosts(continuations: Continuations): LeastCosts {
  const { links, rules, whitened, runStart } = continuations;
  const { head, span, zx, zy } = links;
  const count = head.length;
  const spans = rules.length;
  const least = noCosts(count, incomingOf(head, (runStart.length - 1) / spans));
  const { out, after, incoming } = least;
  // By span of the earlier link: the least q into each link, and the link that attains it.
  const square = rules.map(() => new Float64Array(count).fill(Number.POSITIVE_INFINITY));
  const from = rules.map(() => new Int32Array(count).fill(-1));
  const scan = (e: number): void => {
    const a = span[e] - 1;
    const { x, y, saving } = whitened[a];
    const [into, earlier] = [square[a], from[a]];
    for (let b = 0; b < spans; b++) {
      const begin = runStart[spans * head[e] + b];
      const end = runStart[spans * head[e] + b + 1];
      if (begin === end) continue;
      const rule = rules[a][b];
      const fromX = rule.a * rule.rho * zx[e];
      const fromY = rule.b * rule.rho * zx[e] + rule.c * rule.rho * zy[e];
      let cheapest = Number.POSITIVE_INFINITY;
      let next = -1;
      for (let f = begin; f < end; f++) {
        const u = x[f] - fromX;
        const w = y[f] - fromY;
        const q = spread(rule, u * u + w * w);
        if (q < into[f]) {
          into[f] = q;
          earlier[f] = e;
        }
        const cost = q * saving[f];
        if (cost < cheapest) {
          cheapest = cost;
          next = f;
        }
      }
      const cost = rule.peak + rule.slope * Math.log(cheapest);
      if (cost < out[e]) {
        out[e] = cost;
        after[e] = next;
      }
    }
  };
  // Detection by detection, so that the links out of it stay in the cache while those into it are gone through.
  for (let k = 0; k < count; k++) scan(incoming.link[k]);
  for (let a = 0; a < spans; a++) {
    for (let f = 0; f < count; f++) takeInto(continuations, least, f, a, square[a][f], from[a][f]);
  }
  return least;
}

/**
 * Mends them after some links were dropped: the cheapest changes only where the link that attains it is gone. Those of dropped links stay.
 * @param kept 1 for the links that are left
 */
export function mendLeastCosts(continuations: Continuations, least: LeastCosts, kept: Uint8Array): void {
  const { links, rules, whitened, runStart } = continuations;
  const { tail, head, span, zx, zy } = links;
  const { into, out, before, after, incoming } = least;
  const spans = rules.length;
  const mend = (e: number): void => {
    if (kept[e] === 0) return;
    if (after[e] >= 0 && kept[after[e]] === 0) scanAfter(e);
    if (before[e] >= 0 && kept[before[e]] === 0) scanBefore(e);
  };
  const scanAfter = (e: number): void => {
    const { x, y, saving } = whitened[span[e] - 1];
    out[e] = Number.POSITIVE_INFINITY;
    after[e] = -1;
    for (let b = 0; b < spans; b++) {
      const begin = runStart[spans * head[e] + b];
      const end = runStart[spans * head[e] + b + 1];
      const rule = rules[span[e] - 1][b];
      const fromX = rule.a * rule.rho * zx[e];
      const fromY = rule.b * rule.rho * zx[e] + rule.c * rule.rho * zy[e];
      let cheapest = Number.POSITIVE_INFINITY;
      let next = -1;
      for (let f = begin; f < end; f++) {
        if (kept[f] === 0) continue;
        const u = x[f] - fromX;
        const w = y[f] - fromY;
        const cost = spread(rule, u * u + w * w) * saving[f];
        if (cost < cheapest) {
          cheapest = cost;
          next = f;
        }
      }
      const cost = rule.peak + rule.slope * Math.log(cheapest);
      if (cost < out[e]) {
        out[e] = cost;
        after[e] = next;
      }
    }
  };
  const scanBefore = (f: number): void => {
    into[f] = Number.POSITIVE_INFINITY;
    before[f] = -1;
    for (let a = 0; a < spans; a++) {
      const { x, y } = whitened[a];
      const rule = rules[a][span[f] - 1];
      let square = Number.POSITIVE_INFINITY;
      let from = -1;
      for (let k = incoming.start[tail[f]]; k < incoming.start[tail[f] + 1]; k++) {
        const e = incoming.link[k];
        if (span[e] !== a + 1 || kept[e] === 0) continue;
        const u = x[f] - rule.a * rule.rho * zx[e];
        const w = y[f] - (rule.b * rule.rho * zx[e] + rule.c * rule.rho * zy[e]);
        const q = spread(rule, u * u + w * w);
        if (q < square) {
          square = q;
          from = e;
        }
      }
      takeInto(continuations, least, f, a, square, from);
    }
  };
  for (let e = 0; e < kept.length; e++) mend(e);
}

function noCosts(count: number, incoming: Incoming): LeastCosts {
  return {
    incoming,
    into: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    out: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    before: new Int32Array(count).fill(-1),
    after: new Int32Array(count).fill(-1),
  };
}

/** Takes the least q into f from links of span a + 1, where that is the cheapest so far. */
function takeInto(
  { links, rules, offset }: Continuations,
  { into, before }: LeastCosts,
  f: number,
  a: number,
  square: number,
  from: number,
): void {
  if (from < 0) return;
  const { peak, slope } = rules[a][links.span[f] - 1];
  const cost = peak + slope * Math.log(square) - offset[f];
  if (cost >= into[f]) return;
  into[f] = cost;
  before[f] = from;
}

/** The links by their heads. */
export function incomingOf(head: Int32Array, detections: number): Incoming {
  const start = new Uint32Array(detections + 1);
  for (let e = 0; e < head.length; e++) start[head[e] + 1]++;
  for (let d = 0; d < detections; d++) start[d + 1] += start[d];
  const next = start.slice(0, detections);
  const link = new Uint32Array(head.length);
  for (let e = 0; e < head.length; e++) link[next[head[e]]++] = e;
  return { start, link };
}

/** Takes the mark of links that no best set of tracks needs (docs/motion.md §3); returns how many lost it. */
export function dropNeedless(
  { links: { tail, head } }: Continuations,
  cost: Float64Array,
  { into, out }: LeastCosts,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
  kept: Uint8Array,
): number {
  let dropped = 0;
  const isNeeded = (e: number): boolean =>
    cost[e] + Math.min(0, into[e]) + Math.min(0, out[e]) < death[tail[e]] + birth[head[e]] + CLEARLY;
  for (let e = 0; e < kept.length; e++) {
    if (kept[e] === 0 || isNeeded(e)) continue;
    kept[e] = 0;
    dropped++;
  }
  return dropped;
}

/** A triplet is dropped where cutting its later, or its earlier, link undercuts it with the cheapest on the other side. */
export function dropLimits(
  { links: { tail, head } }: Continuations,
  cost: Float64Array,
  { into, out }: Pick<LeastCosts, "into" | "out">,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
): DropLimits {
  const byLater = new Float64Array(cost.length);
  const byEarlier = new Float64Array(cost.length);
  const limit = (e: number): void => {
    const cut = death[tail[e]] + birth[head[e]] - cost[e] + CLEARLY;
    byLater[e] = cut - Math.min(0, out[e]);
    byEarlier[e] = cut - Math.min(0, into[e]);
  };
  for (let e = 0; e < cost.length; e++) limit(e);
  return { byLater, byEarlier };
}
