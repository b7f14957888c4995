import { sampledTriplets } from "../../map/instance/sampled-triplets.js";
import { type TripletRuleSource, tripletRule } from "../../map/instance/triplet-rules.js";
import type { BoundCost } from "../cost.js";
import type { LinkArrays, TripletArrays } from "../price.js";

/** Where the text of a user's triplet, run apart from its file, is not the function that the file exports; null where both agree, or there is none. */
export function disagreement(
  rule: TripletRuleSource,
  { tripletOf }: BoundCost,
  { outStart, tail, head, perLink }: LinkArrays,
): string | null {
  if (tripletOf === undefined) return null;
  const { width, cost } = tripletRule(rule);
  const samples = samplesOf({ outStart, tail, head });
  for (let n = 0; n < samples.e.length; n++) {
    const [e, f] = [samples.e[n], samples.f[n]];
    const [alone, exported] = [cost(perLink, width * e, width * f), tripletOf(tail[e], head[e], head[f])];
    if (alone !== exported) return `the function returns ${exported}, and its text run alone ${alone}`;
  }
  return null;
}

/** What a cost says of the same triplet or its first link when it is asked again, where that differs; null where it does not. */
export function secondThoughts(
  { link }: BoundCost,
  triplet: NonNullable<BoundCost["triplet"]>,
  width: number,
  { cost: linkCost, perLink, ...links }: LinkArrays,
  { rowStart, cost }: TripletArrays,
): string | null {
  const { outStart, tail, head } = links;
  const samples = samplesOf(links);
  const unkept = new Float64Array(width);
  for (let n = 0; n < samples.e.length; n++) {
    const [e, f] = [samples.e[n], samples.f[n]];
    const [i, j] = [tail[e], head[e]];
    const pair = link(i, j, unkept, 0);
    if (pair !== linkCost[e])
      return `the link of detections ${i} and ${j} costs ${linkCost[e]}, and ${pair} when asked again`;
    const first = cost[rowStart[e] + f - outStart[j]];
    const again = triplet(perLink, width * e, width * f);
    if (again !== first)
      return `the triplet of detections ${i}, ${j} and ${head[f]} costs ${first}, and ${again} when asked again`;
  }
  return null;
}

function samplesOf({ outStart, tail, head }: Pick<LinkArrays, "outStart" | "tail" | "head">) {
  return sampledTriplets(tail.length, (e) => {
    return { first: outStart[head[e]], count: outStart[head[e] + 1] - outStart[head[e]] };
  });
}
