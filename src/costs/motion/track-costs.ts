import type { Detections } from "../../core/detections.js";
import type { FixedLinks } from "../../core/fixed-links.js";
import { type BirthDeath, constantBirthDeath } from "../births.js";
import type { TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import type { OddsOfDetections } from "./odds.js";

/** Whether the detections begin and end with the recording, or are frames from its middle. */
export interface Extent {
  readonly begins: boolean;
  readonly ends: boolean;
}

const WHOLE: Extent = { begins: true, ends: true };

/** Costs of starts, ends and continuations, stated or by odds; a track of one is priced as a false detection where that is likelier. */
export function trackCosts(
  { frames, frameStart, x }: Detections,
  birthDeath: BirthDeath,
  { model, odds }: { readonly model: MotionModel; readonly odds: OddsOfDetections },
  extent: Extent = WHOLE,
): TrackCosts {
  const { missed } = model;
  const estimated = birthDeath === "auto";
  const ends = estimated ? odds.ends : new Float64Array(x.length).fill(model.ends);
  const goOn = model.prior.map((_, n) =>
    ends.map((end) => -(n + 1) * Math.log1p(-end) - (n > 0 ? n * Math.log(missed) : 0) - Math.log1p(-missed)),
  );
  const single = new Float64Array(x.length);
  if (birthDeath === "none") return { ends: null, maxBirthCost: Number.NEGATIVE_INFINITY, goOn, single };
  if (!estimated) {
    const { birth, death } = constantBirthDeath(x.length, birthDeath.birth, birthDeath.death);
    return { ends: { birth, death }, maxBirthCost: birthDeath.birth, goOn, single };
  }
  const birth = odds.birth.slice();
  const death = new Float64Array(x.length);
  for (let p = 0; p < frames; p++) {
    // No target is seen again after the recording's end.
    const within = extent.ends ? goOn.slice(0, frames - 1 - p) : goOn;
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      death[d] = -Math.log(1 - within.reduce((sum, costs) => sum + Math.exp(-costs[d]), 0));
    }
  }
  const clutter = odds.clutter ?? new Float64Array(x.length).fill(-Math.log(model.clutter));
  const [second, last] = [extent.begins ? frameStart[1] : 0, extent.ends ? frameStart[frames - 1] : x.length];
  for (let d = 0; d < x.length; d++) {
    if (d < second) death[d] -= Math.max(0, birth[d] - clutter[d]);
    else if (d >= last) birth[d] = Math.min(birth[d], clutter[d]);
    else single[d] = Math.max(0, birth[d] + death[d] - clutter[d]);
    birth[d] -= single[d] / 2;
    death[d] -= single[d] / 2;
  }
  const maxBirthCost = birth.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  return { ends: { birth, death }, maxBirthCost, goOn, single };
}

/** The cost of not using a required link beyond all that it could save, in nats, beside the costs of starts and ends. */
const INSISTENCE = 1e4;

/**
 * With its competitors gone, a required link is used, or its tail ends a track and its head starts one: these cost more by this. Sets of tracks that
 * have all required links cost the same as without, so bounds hold for them as they are.
 */
export function insistOn(fixed: FixedLinks | null, costs: TrackCosts): TrackCosts {
  if (fixed === null || costs.ends === null) return costs;
  const [birth, death] = [costs.ends.birth.slice(), costs.ends.death.slice()];
  const most = (values: Float64Array) => values.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  const more = INSISTENCE + 4 * (most(birth) + most(death));
  fixed.next.forEach((j, i) => {
    if (j < 0) return;
    death[i] += more;
    birth[j] += more;
  });
  return { ...costs, ends: { birth, death } };
}
