import { sampledTriplets } from "../../map/instance/sampled-triplets.js";
import { type TripletRuleSource, tripletRule } from "../../map/instance/triplet-rules.js";
import type { BoundCost } from "../cost.js";
import type { LinkArrays } from "../price.js";

/** Where the text of a user's triplet, run apart from its file, is not the function that the file exports; null where both agree, or there is none. */
export function disagreement(
  rule: TripletRuleSource,
  { tripletOf }: BoundCost,
  { outStart, tail, head, perLink }: LinkArrays,
): string | null {
  if (tripletOf === undefined) return null;
  const { width, cost } = tripletRule(rule);
  const samples = sampledTriplets(tail.length, (e) => {
    return { first: outStart[head[e]], count: outStart[head[e] + 1] - outStart[head[e]] };
  });
  for (let n = 0; n < samples.e.length; n++) {
    const [e, f] = [samples.e[n], samples.f[n]];
    const [alone, exported] = [cost(perLink, width * e, width * f), tripletOf(tail[e], head[e], head[f])];
    if (alone !== exported) return `the function returns ${exported}, and its text run alone ${alone}`;
  }
  return null;
}
