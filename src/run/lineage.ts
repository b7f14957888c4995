import { UNASSIGNED } from "../lap/lap.js";
import type { Graph } from "../map/instance/instance.js";
import { frameStartOfInput } from "../map/instance/twins.js";
import { numberTracks } from "../map/primal/tracks.js";
import type { Solution } from "../map/solution.js";

/** The mother's track of each track that begins where she divides. */
export type Parents = ReadonlyMap<number, number>;

/** Tracks with twins (map/instance/twins.ts) as those of the input's detections. */
export interface Lineage {
  /** Input detection behind each one of the instance, −1 for a twin. */
  readonly origin: Int32Array;
  readonly frameStart: Uint32Array;
  /** The solution with the mothers' tracks ended where they divide, as both daughters' begin there. */
  readonly solution: Solution;
  /** Track of each detection of the input; null without tracks. */
  readonly track: Int32Array | null;
  readonly parents: Parents;
}

/** Margins of the daughters' begins, which say that they are their mother's, and of her end, without which one of them is not; of the others as they are. */
function withLineage(margins: Solution["margins"], divisions: readonly (readonly number[])[]): Solution["margins"] {
  if (margins === null) return null;
  const [out, into] = [margins.out.slice(), margins.into.slice()];
  for (const [mother, ...daughters] of divisions) {
    for (const d of daughters) into[d] = margins.lineage?.[d] ?? into[d];
    out[mother] = Math.min(...daughters.map((d) => into[d]));
  }
  return { ...margins, out, into };
}

/**
 * null where no detection may divide.
 * @param given input detection behind each one of the instance, −1 for twins and placeholders; null where all but the twins are the input's
 */
export function lineageOf(graph: Graph, solution: Solution, given: Int32Array | null): Lineage | null {
  const { motherOf, head } = graph;
  if (motherOf === null) return null;
  let inputs = 0;
  const origin = given ?? motherOf.map((mother) => (mother === UNASSIGNED ? inputs++ : UNASSIGNED));
  const frameStart = frameStartOfInput(graph.frameStart, motherOf);
  if (solution.tracks === null) return { origin, frameStart, solution, track: null, parents: new Map() };
  const tracks = solution.tracks.slice();
  const divided = Array.from(motherOf.keys()).filter((d) => motherOf[d] !== UNASSIGNED && tracks[d] !== UNASSIGNED);
  const divisions = divided.map((twin) => [motherOf[twin], head[tracks[motherOf[twin]]], head[tracks[twin]]]);
  for (const twin of divided) {
    tracks[twin] = UNASSIGNED;
    tracks[motherOf[twin]] = UNASSIGNED;
  }
  const numbers = new Map<number, number>();
  const numbered = numberTracks(graph, tracks);
  numbered.forEach((one, d) => {
    if (origin[d] >= 0 && !numbers.has(one)) numbers.set(one, numbers.size);
  });
  const trackOf = (d: number): number => numbers.get(numbered[d]) as number;
  const parents = new Map(
    divisions.flatMap(([mother, ...both]) => both.map((d) => [trackOf(d), trackOf(mother)] as const)),
  );
  const track = Int32Array.from(origin.keys())
    .filter((d) => origin[d] >= 0)
    .map(trackOf);
  const margins = withLineage(solution.margins, divisions);
  return { origin, frameStart, solution: { ...solution, tracks, margins } as Solution, track, parents };
}

/** Says how many divisions were seen too late to be priced. */
export function noteUnpriced(count: number): string[] {
  if (count === 0) return [];
  const seem = count === 1 ? "1 target seems" : `${count} targets seem`;
  return [
    `${seem} to divide, which the next pass would price, so that mothers were named: leave --passes out, or give more time.`,
  ];
}

/** What may close the gap where a device's ascent stalled that leaves rows to the certificate. */
export function noteUnweighed({ motherOf }: Graph, { status }: Solution, weighsDivisions: boolean): string[] {
  if (motherOf === null || weighsDivisions || status !== "stalled") return [];
  return [
    "A GPU and shards leave to the certificate what ties a second daughter to the first: --device cpu without --shards weighs it in the ascent too, which may close the gap.",
  ];
}
