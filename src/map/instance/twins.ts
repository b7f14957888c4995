import { rowStarts, startsOf } from "../../core/rows.js";
import { sharedCopy, sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, linkBetween, type StoredTriplets } from "./instance.js";
import type { PricedProblem, PricedStoredTriplets } from "./priced.js";

/** The links out of twins, in order of their mothers and then of the detections that they enter, by the detections and links of the problem without twins. */
export interface TwinLinks {
  readonly mother: Int32Array;
  readonly head: Int32Array;
  readonly cost: Float64Array;
  /** Calls `visit` with each link that may follow, in order, and with the cost of the triplet; without effect where every continuation is allowed. */
  readonly after: (n: number, visit: (f: number, cost: number) => void) => void;
}

export interface Twinned {
  readonly problem: PricedProblem & { readonly motherOf: Int32Array };
  /** The number of each link that was there before. */
  readonly linkOf: Uint32Array;
}

/**
 * Detections that may divide have a *twin* in their frame (docs/explanation/mathematics.md §1.3): with links out of it, and none into it.
 * A twin with a link is the second daughter of its *mother*, who must then have a link herself; one without is nothing, at no cost.
 * @returns the problem in which the twins of a frame come after its detections
 */
export function withTwins({ links, triplets, birthDeath, exclusions }: PricedProblem, twins: TwinLinks): Twinned {
  const { frameStart, tail, head, cost } = links;
  const frames = frameStart.length - 1;
  const detections = frameStart[frames];
  const [linkStart, twinStart] = [rowStarts(tail, detections), rowStarts(twins.mother, detections)];
  const mothers = Array.from({ length: detections }, (_, d) => d).filter((d) => twinStart[d + 1] > twinStart[d]);
  const [starts, place] = [sharedUint32(frames + 1), new Uint32Array(detections)];
  const count = detections + mothers.length;
  const motherOf = new Int32Array(count).fill(UNASSIGNED);
  const origin = new Int32Array(count).fill(UNASSIGNED);
  const made = tail.length + twins.head.length;
  const all = { tail: sharedInt32(made), head: sharedInt32(made), cost: sharedFloat64(made) };
  const [linkOf, twinLinkOf] = [new Uint32Array(tail.length), new Uint32Array(twins.head.length)];
  let [at, mother, e] = [0, 0, 0];
  for (let p = 0; p < frames; p++) {
    const end = frameStart[p + 1];
    for (let d = frameStart[p]; d < end; d++) {
      place[d] = at;
      origin[at] = d;
      for (let k = linkStart[d]; k < linkStart[d + 1]; k++, e++) {
        linkOf[k] = e;
        all.tail[e] = at;
        all.cost[e] = cost[k];
      }
      at++;
    }
    for (; mother < mothers.length && mothers[mother] < end; mother++) {
      const d = mothers[mother];
      motherOf[at] = place[d];
      for (let n = twinStart[d]; n < twinStart[d + 1]; n++, e++) {
        twinLinkOf[n] = e;
        all.tail[e] = at;
        all.cost[e] = twins.cost[n];
      }
      at++;
    }
    starts[p + 1] = at;
  }
  head.forEach((d, k) => {
    all.head[linkOf[k]] = place[d];
  });
  twins.head.forEach((d, n) => {
    all.head[twinLinkOf[n]] = place[d];
  });
  const spreadOut = (values: Float64Array, ofTwins: number) =>
    sharedCopy(Float64Array.from(origin, (d) => (d < 0 ? ofTwins : values[d])));
  const unused = birthDeath?.unused;
  const problem = {
    links: { frameStart: starts, ...all },
    triplets: triplets?.kind === "csr" ? withTriplets(triplets, twins, linkOf, twinLinkOf) : triplets,
    birthDeath: birthDeath && {
      birth: spreadOut(birthDeath.birth, 0),
      death: spreadOut(birthDeath.death, 0),
      ...(unused && { unused: spreadOut(unused, Number.NaN) }),
    },
    ...(exclusions && { exclusions: { ...exclusions, member: exclusions.member.map((d) => place[d]) } }),
    motherOf,
  };
  return { problem, linkOf };
}

/** The triplets by the new numbers of links, and those of the twins' links. */
function withTriplets(
  { rowStart, successor, cost }: PricedStoredTriplets,
  { after }: TwinLinks,
  linkOf: Uint32Array,
  twinLinkOf: Uint32Array,
): PricedStoredTriplets {
  const lengths = new Uint32Array(linkOf.length + twinLinkOf.length);
  linkOf.forEach((e, k) => {
    lengths[e] = rowStart[k + 1] - rowStart[k];
  });
  twinLinkOf.forEach((e, n) => {
    after(n, () => lengths[e]++);
  });
  const starts = startsOf(lengths, sharedUint32(lengths.length + 1));
  const total = starts[lengths.length];
  const all = { successor: sharedUint32(total), cost: sharedFloat64(total) };
  linkOf.forEach((e, k) => {
    let t = starts[e];
    for (let from = rowStart[k]; from < rowStart[k + 1]; from++, t++) {
      all.successor[t] = linkOf[successor[from]];
      all.cost[t] = cost[from];
    }
  });
  twinLinkOf.forEach((e, n) => {
    let t = starts[e];
    after(n, (f, value) => {
      all.successor[t] = linkOf[f];
      all.cost[t++] = value;
    });
  });
  return { kind: "csr", rowStart: starts, ...all };
}

/** Twins of the detections that divide at a cost of their own: with all links out of these, each dearer by that cost. NaN where there is none. */
export function likeTheirMothers({ links, triplets }: PricedProblem, divides: Float64Array): TwinLinks {
  const { tail, head, cost } = links;
  const like = Uint32Array.from(tail.keys()).filter((e) => !Number.isNaN(divides[tail[e]]));
  return {
    mother: Int32Array.from(like, (e) => tail[e]),
    head: Int32Array.from(like, (e) => head[e]),
    cost: Float64Array.from(like, (e) => cost[e] + divides[tail[e]]),
    after: (n, visit) => {
      if (triplets?.kind !== "csr") return;
      const { rowStart, successor } = triplets;
      for (let t = rowStart[like[n]]; t < rowStart[like[n] + 1]; t++) visit(successor[t], triplets.cost[t]);
    },
  };
}

/** The twin of each detection, UNASSIGNED for those that have none. */
export function twinsOf(motherOf: Int32Array | null, twinOf: Int32Array): Int32Array {
  twinOf.fill(UNASSIGNED);
  motherOf?.forEach((mother, twin) => {
    if (mother !== UNASSIGNED) twinOf[mother] = twin;
  });
  return twinOf;
}

/** Where the detections of each frame begin without the twins. */
export function frameStartOfInput(frameStart: Uint32Array, motherOf: Int32Array): Uint32Array {
  const twins = rowStarts(
    Array.from(motherOf.keys()).filter((d) => motherOf[d] !== UNASSIGNED),
    motherOf.length,
  );
  return frameStart.map((begin) => begin - twins[begin]);
}

/** A twin with a link whose mother has none; −1 where there is none. Tracks are given by the link that each detection takes. */
export function orphanIn({ motherOf }: Pick<Graph, "motherOf">, tracks: Int32Array): number {
  if (motherOf === null) return -1;
  return motherOf.findIndex(
    (mother, d) => mother !== UNASSIGNED && tracks[d] !== UNASSIGNED && tracks[mother] === UNASSIGNED,
  );
}

/** More than the rounding of the sums that are compared. */
const SLACK = 2 ** -40;

/** The twins whose orphans may pay. */
export function payingTwins(graph: Graph): number[] {
  const { motherOf, triplets } = graph;
  if (motherOf === null || triplets.kind !== "csr") return [];
  return Array.from(motherOf.keys()).filter(
    (d) => motherOf[d] !== UNASSIGNED && orphanMayPay(graph, triplets, motherOf[d], d),
  );
}

/** Whether an orphan may cost less than her mother's going on to the orphan's daughter. Where it does not, no cheapest tracks have one, and nothing needs to forbid it. */
function orphanMayPay(graph: Graph, triplets: StoredTriplets, mother: number, twin: number): boolean {
  const { frameStart, linkStart, linkEnd, inStart, inEdge, deathOf, cost, head } = graph;
  const { rowStart, successor } = triplets;
  const end = deathOf[mother];
  const seconds = Array.from({ length: linkEnd[twin] - linkStart[twin] }, (_, n) => linkStart[twin] + n);
  const firsts = seconds.map((second) => linkBetween(graph, mother, head[second]));
  if (firsts.some((first) => first < 0)) return true;
  const pays = (n: number, ends: number, goesOn: number): boolean => {
    const [second, first] = [cost[seconds[n]], cost[firsts[n]]];
    const saved = ends + cost[end] + second - first - goesOn;
    const size = Math.abs(ends) + Math.abs(cost[end]) + Math.abs(second) + Math.abs(first) + Math.abs(goesOn);
    return !(saved >= SLACK * size);
  };
  if (mother < frameStart[1]) return firsts.some((_, n) => pays(n, 0, 0));
  // What may follow an edge stands in order: links, as those of the twin, and then the death.
  return inEdge.subarray(inStart[mother], inStart[mother + 1]).some((e) => {
    let t = rowStart[e];
    const last = rowStart[e + 1] - 1;
    const ends = last >= t && successor[last] === end ? triplets.cost[last] : Number.POSITIVE_INFINITY;
    return firsts.some((first, n) => {
      while (t <= last && successor[t] < first) t++;
      return pays(n, ends, t <= last && successor[t] === first ? triplets.cost[t] : Number.POSITIVE_INFINITY);
    });
  });
}

/** A detection itself, or the mother of a twin. */
export function ownerOf({ motherOf }: Graph, d: number): number {
  const mother = motherOf?.[d] ?? UNASSIGNED;
  return mother < 0 ? d : mother;
}
