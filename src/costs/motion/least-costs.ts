import { CLEARLY, type Continuations, type DropLimits } from "./continuations.js";
import type { TrackCosts } from "./links.js";
import { spread } from "./student.js";

/** The cheapest D into and out of each link, and the links that attain them; Infinity and −1 where there is none. */
export interface LeastCosts {
  readonly into: Float64Array;
  readonly out: Float64Array;
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** Over all pairs of links. */
export function leastCosts(continuations: Continuations): LeastCosts {
  const { links, rules, whitened, runStart } = continuations;
  const { head, span, zx, zy } = links;
  const count = head.length;
  const spans = rules.length;
  const least = noCosts(count);
  const { out, after } = least;
  // By span of the earlier link: the least q into each link, and the link that attains it.
  const square = rules.map(() => new Float64Array(count).fill(Number.POSITIVE_INFINITY));
  const from = rules.map(() => new Int32Array(count).fill(-1));
  for (let a = 0; a < spans; a++) {
    const { x, y, saving } = whitened[a];
    const [into, earlier] = [square[a], from[a]];
    for (let b = 0; b < spans; b++) {
      const rule = rules[a][b];
      const { peak, slope } = rule;
      const [ruleA, ruleB, ruleC, rho] = [rule.a, rule.b, rule.c, rule.rho];
      for (let e = 0; e < count; e++) {
        if (span[e] !== a + 1) continue;
        const run = spans * head[e] + b;
        const end = runStart[run + 1];
        let f = runStart[run];
        if (f === end) continue;
        const fromX = ruleA * rho * zx[e];
        const fromY = ruleB * rho * zx[e] + ruleC * rho * zy[e];
        let cheapest = Number.POSITIVE_INFINITY;
        let next = -1;
        for (; f < end; f++) {
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
        const cost = peak + slope * Math.log(cheapest);
        if (cost < out[e]) {
          out[e] = cost;
          after[e] = next;
        }
      }
    }
  }
  for (let a = 0; a < spans; a++) {
    for (let f = 0; f < count; f++) takeInto(continuations, least, f, a, square[a][f], from[a][f]);
  }
  return least;
}

/**
 * The same after some links were dropped, from what was known before: the cheapest changes only where the link that attains it is gone.
 * @param continuations those that are left
 * @param places of those links among the ones before
 */
export function leastCostsLeft(continuations: Continuations, known: LeastCosts, places: Uint32Array): LeastCosts {
  const { links, rules, whitened, runStart } = continuations;
  const { tail, head, span, zx, zy } = links;
  const count = tail.length;
  const spans = rules.length;
  const least = noCosts(count);
  const place = new Int32Array(known.out.length).fill(-1);
  for (let e = 0; e < count; e++) place[places[e]] = e;
  const incoming = incomingOf(head, (runStart.length - 1) / spans);
  for (let e = 0; e < count; e++) {
    const { into, before, out, after } = known;
    const was = places[e];
    if (after[was] < 0 || place[after[was]] >= 0) {
      least.out[e] = out[was];
      least.after[e] = after[was] < 0 ? -1 : place[after[was]];
    } else {
      for (let b = 0; b < spans; b++) {
        const begin = runStart[spans * head[e] + b];
        const end = runStart[spans * head[e] + b + 1];
        if (begin === end) continue;
        const { x, y, saving } = whitened[span[e] - 1];
        const rule = rules[span[e] - 1][b];
        const fromX = rule.a * rule.rho * zx[e];
        const fromY = rule.b * rule.rho * zx[e] + rule.c * rule.rho * zy[e];
        let cheapest = Number.POSITIVE_INFINITY;
        let next = -1;
        for (let f = begin; f < end; f++) {
          const u = x[f] - fromX;
          const w = y[f] - fromY;
          const cost = spread(rule, u * u + w * w) * saving[f];
          if (cost < cheapest) {
            cheapest = cost;
            next = f;
          }
        }
        const cost = rule.peak + rule.slope * Math.log(cheapest);
        if (cost < least.out[e]) {
          least.out[e] = cost;
          least.after[e] = next;
        }
      }
    }
    if (before[was] < 0 || place[before[was]] >= 0) {
      least.into[e] = into[was];
      least.before[e] = before[was] < 0 ? -1 : place[before[was]];
      continue;
    }
    for (let a = 0; a < spans; a++) {
      const { x, y } = whitened[a];
      const rule = rules[a][span[e] - 1];
      const [ruleA, ruleB, ruleC, rho] = [rule.a, rule.b, rule.c, rule.rho];
      let square = Number.POSITIVE_INFINITY;
      let from = -1;
      for (let k = incoming.start[tail[e]]; k < incoming.start[tail[e] + 1]; k++) {
        const d = incoming.link[k];
        if (span[d] !== a + 1) continue;
        const u = x[e] - ruleA * rho * zx[d];
        const w = y[e] - (ruleB * rho * zx[d] + ruleC * rho * zy[d]);
        const q = spread(rule, u * u + w * w);
        if (q < square) {
          square = q;
          from = d;
        }
      }
      takeInto(continuations, least, e, a, square, from);
    }
  }
  return least;
}

function noCosts(count: number): LeastCosts {
  return {
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

/** The links into each detection, in order. */
function incomingOf(head: Int32Array, detections: number): { start: Uint32Array; link: Uint32Array } {
  const start = new Uint32Array(detections + 1);
  for (let e = 0; e < head.length; e++) start[head[e] + 1]++;
  for (let d = 0; d < detections; d++) start[d + 1] += start[d];
  const next = start.slice(0, detections);
  const link = new Uint32Array(head.length);
  for (let e = 0; e < head.length; e++) link[next[head[e]]++] = e;
  return { start, link };
}

/** Places of the links that some best set of tracks may need (docs/motion.md §3). */
export function neededLinks(
  { links: { tail, head } }: Continuations,
  cost: Float64Array,
  { into, out }: LeastCosts,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
): Uint32Array {
  const needed = new Uint32Array(tail.length);
  let count = 0;
  for (let e = 0; e < tail.length; e++) {
    const least = cost[e] + Math.min(0, into[e]) + Math.min(0, out[e]);
    if (least < death[tail[e]] + birth[head[e]] + CLEARLY) needed[count++] = e;
  }
  return needed.slice(0, count);
}

/** A triplet is dropped where cutting its later, or its earlier, link undercuts it with the cheapest on the other side. */
export function dropLimits(
  { links: { tail, head } }: Continuations,
  cost: Float64Array,
  { into, out }: LeastCosts,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
): DropLimits {
  const byLater = new Float64Array(cost.length);
  const byEarlier = new Float64Array(cost.length);
  for (let e = 0; e < cost.length; e++) {
    const cut = death[tail[e]] + birth[head[e]] - cost[e] + CLEARLY;
    byLater[e] = cut - Math.min(0, out[e]);
    byEarlier[e] = cut - Math.min(0, into[e]);
  }
  return { byLater, byEarlier };
}
