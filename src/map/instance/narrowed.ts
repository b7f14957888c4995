import { marked, picked } from "../../core/growing-array.js";
import type { BirthDeathCosts, PricedProblem, PricedTriplets } from "./priced.js";
import { tripletRule } from "./triplet-rules.js";

/** What becomes of a problem: links and triplets are left out, some triplets are added, and some ends cost more. */
export interface Narrowing {
  /** 1 for a link that stays; length links. */
  readonly links: Uint8Array;
  /** 1 for a stored triplet that stays; null where all of those of two such links do. */
  readonly triplets: Uint8Array | null;
  /** Triplets that are there in any case: cost by later link, by earlier link; for stored triplets. */
  readonly added: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** Detections whose births, and those whose deaths, cost so much more. */
  readonly dearer: { readonly birth: readonly number[]; readonly death: readonly number[]; readonly by: number };
}

/** The problem with the links that stay, in their order. */
export function narrowed(
  problem: PricedProblem,
  narrowing: Narrowing,
): { readonly problem: PricedProblem; readonly linkOf: Uint32Array } {
  const { links, triplets, birthDeath } = problem;
  const linkOf = marked(narrowing.links);
  const [tail, head, cost] = [picked(links.tail, linkOf), picked(links.head, linkOf), picked(links.cost, linkOf)];
  return {
    problem: {
      ...problem,
      links: { frameStart: links.frameStart, tail, head, cost },
      triplets: triplets && tripletsOf(triplets, linkOf, narrowing),
      birthDeath: birthDeath && endsOf(birthDeath, narrowing),
    },
    linkOf,
  };
}

function tripletsOf(
  triplets: PricedTriplets,
  linkOf: Uint32Array,
  { links, triplets: stays, added }: Narrowing,
): PricedTriplets {
  if (triplets.kind === "implicit") {
    const { width } = tripletRule(triplets.rule);
    const places = new Uint32Array(width * linkOf.length);
    for (let n = 0; n < places.length; n++) places[n] = width * linkOf[Math.floor(n / width)] + (n % width);
    return { ...triplets, perLink: picked(triplets.perLink, places) };
  }
  const number = new Uint32Array(links.length);
  linkOf.forEach((link, n) => {
    number[link] = n;
  });
  const more = [...added.values()].reduce((sum, { size }) => sum + size, 0);
  const room = more + triplets.successor.length;
  const [rowStart, successor, cost] = [
    new Uint32Array(linkOf.length + 1),
    new Uint32Array(room),
    new Float64Array(room),
  ];
  let count = 0;
  const put = (link: number, value: number): void => {
    successor[count] = number[link];
    cost[count++] = value;
  };
  for (let n = 0; n < linkOf.length; n++) {
    const link = linkOf[n];
    const further = [...(added.get(link) ?? [])].filter(([f]) => links[f] === 1).sort(([a], [b]) => a - b);
    let next = 0;
    for (let t: number = triplets.rowStart[link]; t < triplets.rowStart[link + 1]; t++) {
      const f = triplets.successor[t];
      for (; next < further.length && further[next][0] < f; next++) put(...further[next]);
      const isAdded = next < further.length && further[next][0] === f;
      if (!isAdded && links[f] === 1 && stays?.[t] !== 0) put(f, triplets.cost[t]);
    }
    for (; next < further.length; next++) put(...further[next]);
    rowStart[n + 1] = count;
  }
  return { kind: "csr", rowStart, successor: successor.subarray(0, count), cost: cost.subarray(0, count) };
}

function endsOf({ birth, death, unused }: BirthDeathCosts, { dearer }: Narrowing): BirthDeathCosts {
  const raised = (values: Float64Array, detections: readonly number[]): Float64Array => {
    const costs = values.slice();
    for (const d of detections) costs[d] += dearer.by;
    return costs;
  };
  return {
    birth: raised(birth, dearer.birth),
    death: raised(death, dearer.death),
    ...(unused && { unused: raised(unused, [...dearer.birth, ...dearer.death]) }),
  };
}
