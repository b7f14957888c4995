import { rowStarts } from "../../core/rows.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, linkBetween, tripletCost } from "./instance.js";
import type { PricedProblem } from "./priced.js";

/**
 * Detections that may divide have a *twin* in their frame (docs/explanation/mathematics.md §1.3): with the same links out of it, each dearer by the cost of the division, and none into it.
 * A twin with a link is the second daughter of its *mother*, who must then have a link herself; one without is nothing, at no cost.
 * @param cost of a division by detection, NaN where there is none; of inner frames
 * @returns the problem in which the twins of a frame come after its detections
 */
export function withTwins(problem: PricedProblem, cost: Float64Array): PricedProblem {
  const { links, triplets, birthDeath, exclusions } = problem;
  const { frameStart } = links;
  const origin: number[] = [];
  const motherOf: number[] = [];
  const place = new Uint32Array(cost.length);
  const twin = new Int32Array(cost.length).fill(UNASSIGNED);
  const starts = [0];
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      place[d] = origin.push(d) - 1;
      motherOf.push(UNASSIGNED);
    }
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      if (Number.isNaN(cost[d])) continue;
      twin[d] = origin.push(d) - 1;
      motherOf.push(place[d]);
    }
    starts.push(origin.length);
  }
  const linksFrom = rowStarts(links.tail, cost.length);
  /** The links of the problem behind those of the new one, in order of their tails. */
  const linkOf = origin.flatMap((d) =>
    Array.from({ length: linksFrom[d + 1] - linksFrom[d] }, (_, n) => linksFrom[d] + n),
  );
  const tail = Int32Array.from(origin.flatMap((d, at) => new Array(linksFrom[d + 1] - linksFrom[d]).fill(at)));
  const isTwin = (d: number): boolean => motherOf[d] !== UNASSIGNED;
  const newLink = new Uint32Array(links.tail.length);
  linkOf.forEach((e, n) => {
    if (!isTwin(tail[n])) newLink[e] = n;
  });
  const ofTwins = (values: Float64Array): Float64Array =>
    Float64Array.from(origin, (d, at) => (isTwin(at) ? 0 : values[d]));
  const unused = birthDeath?.unused;
  return {
    links: {
      frameStart: Uint32Array.from(starts),
      tail,
      head: Int32Array.from(linkOf, (e) => place[links.head[e]]),
      cost: Float64Array.from(linkOf, (e, n) => links.cost[e] + (isTwin(tail[n]) ? cost[links.tail[e]] : 0)),
    },
    triplets:
      triplets?.kind === "csr"
        ? {
            kind: "csr",
            rowStart: Uint32Array.from(
              [0, ...linkOf],
              sumOf((n) => rowLength(triplets.rowStart, linkOf[n])),
            ),
            successor: Uint32Array.from(
              linkOf.flatMap((e) => rowOf(triplets.rowStart, triplets.successor, e).map((f) => newLink[f])),
            ),
            cost: Float64Array.from(linkOf.flatMap((e) => rowOf(triplets.rowStart, triplets.cost, e))),
          }
        : triplets,
    birthDeath: birthDeath && {
      birth: ofTwins(birthDeath.birth),
      death: ofTwins(birthDeath.death),
      ...(unused && { unused: Float64Array.from(origin, (d, at) => (isTwin(at) ? Number.NaN : unused[d])) }),
    },
    ...(exclusions && { exclusions: { ...exclusions, member: exclusions.member.map((d) => place[d]) } }),
    motherOf: Int32Array.from(motherOf),
  };
}

/** Where the detections of each frame begin without the twins. */
export function frameStartOfInput(frameStart: Uint32Array, motherOf: Int32Array): Uint32Array {
  const twins = rowStarts(
    Array.from(motherOf.keys()).filter((d) => motherOf[d] !== UNASSIGNED),
    motherOf.length,
  );
  return frameStart.map((begin) => begin - twins[begin]);
}

const rowLength = (rowStart: Uint32Array, e: number): number => rowStart[e + 1] - rowStart[e];

const rowOf = (rowStart: Uint32Array, values: Float64Array | Uint32Array, e: number): number[] =>
  Array.from(values.subarray(rowStart[e], rowStart[e + 1]));

/** The sums of lengths up to each place. */
function sumOf(length: (n: number) => number): (value: number, at: number) => number {
  let sum = 0;
  return (_, at) => {
    if (at > 0) sum += length(at - 1);
    return sum;
  };
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

/** Whether an orphan may cost less than her mother's going on to the orphan's daughter. Where it does not, no cheapest tracks have one, and nothing needs to forbid it. */
export function orphanMayPay(graph: Graph, twin: number): boolean {
  const { motherOf, linkStart, linkEnd, inStart, inEdge, deathOf, cost, head } = graph;
  if (motherOf === null) return false;
  const mother = motherOf[twin];
  const end = deathOf[mother];
  return inEdge.subarray(inStart[mother], inStart[mother + 1]).some((e) => {
    const between = tripletCost(graph, e, end);
    for (let second = linkStart[twin]; second < linkEnd[twin]; second++) {
      const first = linkBetween(graph, mother, head[second]);
      const onward = first < 0 ? Number.POSITIVE_INFINITY : tripletCost(graph, e, first);
      const terms = [between, cost[end], cost[second], -(first < 0 ? 0 : cost[first]), -onward];
      const [saved, size] = [
        terms.reduce((sum, term) => sum + term),
        terms.reduce((sum, term) => sum + Math.abs(term), 0),
      ];
      if (!(saved >= SLACK * size)) return true;
    }
    return false;
  });
}
