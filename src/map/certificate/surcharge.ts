import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph, Surcharge } from "../instance/instance.js";
import { CompensatedSum, ROUNDOFF } from "./compensated-sum.js";
import { forcedEnds } from "./shortage.js";

/** The cover of a pair of two empty frames. */
const NOTHING: readonly [number[], number[]] = [[], []];

/**
 * How much more the stated births and deaths cost than those computed with (docs/explanation/mathematics.md §1.1): at least `least` for every set of tracks, so
 * a bound in computed costs and `least` together bound the stated cost.
 */
export interface CertifiedSurcharge {
  /** Rounded down; 0 where nothing was capped. */
  readonly least: number;
  /** The surcharge of a set of tracks beyond `least`, at least 0; the set is given by the link that each detection takes. */
  beyondLeast(linkOfRow: Int32Array): number;
}

const NONE: CertifiedSurcharge = { least: 0, beyondLeast: () => 0 };

/** Called for every set of tracks that is priced. */
const known = new WeakMap<Graph, CertifiedSurcharge>();

export function certifySurcharge(graph: Graph): CertifiedSurcharge {
  const { surcharge } = graph;
  if (surcharge === null) return NONE;
  const certified = known.get(graph) ?? certify(graph, surcharge);
  known.set(graph, certified);
  return certified;
}

function certify(graph: Graph, { stated, shift }: Surcharge): CertifiedSurcharge {
  const { frames, frameStart, deathOf, birthOf, cost, head } = graph;
  const lastFrame = frameStart[frames - 1];

  /** At most what a death or birth costs beyond `cost` and the shift, and at least 0. */
  const over = (e: number): number => {
    const shifted = stated[e] + (head[e] === UNASSIGNED ? shift : -shift);
    const size = Math.abs(stated[e]) + Math.abs(shift) + Math.abs(shifted) + Math.abs(cost[e]);
    if (shift === 0 && shifted === cost[e]) return 0;
    const least = shifted - cost[e] - 4 * ROUNDOFF * size;
    // 0 where that overflows, too: the surcharges are sorted, which NaN would spoil.
    return least > 0 ? least : 0;
  };

  /** By frame pair, the least surcharges of its deaths and its births in increasing order: as many as every set of tracks must use. */
  const forced = Array.from({ length: frames - 1 }, (_, pair) => {
    const [rows, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
    if (rows === end) return NOTHING;
    const ends = forcedEnds(graph, pair);
    const cheapest = (edges: Int32Array, count: number) =>
      Array.from(edges, over)
        .sort((a, b) => a - b)
        .slice(0, count);
    return [
      cheapest(deathOf.subarray(rows, columns), ends.deaths),
      cheapest(birthOf.subarray(columns, end), ends.births),
    ] as const;
  });

  const sum = new CompensatedSum();
  for (const kinds of forced) for (const kind of kinds) for (const value of kind) sum.add(value);
  // Over all frame pairs, births are as many more than deaths as the last frame has more detections than the first.
  const surplus = frameStart[frames] - lastFrame - frameStart[1];
  for (let k = 0; k < Math.abs(surplus); k++) sum.add(Math.sign(surplus) * shift);
  return {
    least: sum.lower,
    beyondLeast(linkOfRow) {
      const entered = new Uint8Array(frameStart[frames]);
      for (let d = 0; d < lastFrame; d++) if (linkOfRow[d] !== UNASSIGNED) entered[head[linkOfRow[d]]] = 1;
      let beyond = 0;
      forced.forEach(([ofDeaths, ofBirths], pair) => {
        const [rows, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
        if (rows === end) return;
        const used: [number[], number[]] = [[], []];
        for (let i = rows; i < columns; i++) if (linkOfRow[i] === UNASSIGNED) used[0].push(over(deathOf[i]));
        for (let j = columns; j < end; j++) if (entered[j] === 0) used[1].push(over(birthOf[j]));
        for (const [kind, least] of [ofDeaths, ofBirths].entries()) {
          used[kind].sort((a, b) => a - b);
          for (const [n, value] of used[kind].entries()) beyond += n < least.length ? value - least[n] : value;
        }
      });
      return beyond;
    },
  };
}
