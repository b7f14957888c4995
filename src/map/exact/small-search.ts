import { UNASSIGNED } from "../../lap/lap.js";
import { refuteTracks } from "../certificate/certificate.js";
import { type Graph, isLink } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import { costOf } from "./paid.js";
import type { Goal, ReducedCosts } from "./stages.js";

/**
 * Triplets of the core, and nodes of the search, at most. The first cores of the axial instances of lab/notes/exact.md have at most 505 triplets; all but one take fewer than 2,000 nodes, a tenth of a
 * second with a cold start (chosen on the odd seeds).
 */
export const MOST_SEARCHED = 600;
const MOST_NODES = 5000;

/** Triplets of a core, each through a detection of the first frame, of the second and of the third, with what it costs beyond the bound. */
interface Triplets {
  readonly count: number;
  readonly edges: readonly (readonly [e: number, f: number])[];
  /** Three detections of each, one after another. */
  readonly detections: Int32Array;
  readonly cost: Float64Array;
}

/**
 * The cheapest tracks of a small core of three frames where all are linked to all, when they are cheaper than the goal: a search through all sets of triplets that cost less beyond the bound than `below` leaves room
 * for, detection by detection, first where the fewest triplets are left (as D. Knuth's algorithm X). It proves nothing, and is there for speed: where costs have a grain it takes milliseconds, and linear
 * programs with a tree a second.
 * @returns null where the core is not of this kind, or has more to search than is worth while; "none" where nothing is cheaper
 */
export function searchSmallCore(
  core: Core,
  reduced: ReducedCosts,
  goal: Goal,
  below: number,
): Int32Array | "none" | null {
  const { graph, removed } = core;
  if (!isSearchable(graph, goal) || graph.triplets.count > MOST_SEARCHED) return null;
  for (let e = 0; e < graph.edges; e++) if (removed[e] === 0 && !isLink(graph, e)) return null;
  const search = new Search(tripletsOf(core, reduced), graph.frameStart, below - reduced.constant, goal.saving);
  if (!search.run()) return null;
  if (search.best === null) return "none";
  const tracks = new Int32Array(graph.frameStart[3]).fill(UNASSIGNED);
  for (const [e, f] of search.best) {
    tracks[graph.tail[e]] = e;
    tracks[graph.tail[f]] = f;
  }
  return refuteTracks(graph, tracks) === null && costOf(graph, tracks) < goal.cost ? tracks : "none";
}

/** Whether small cores of an instance are of the kind that is searched: three frames, costs with a grain, and neither exclusions nor twins. */
export const isSearchable = ({ frames, exclusions, motherOf }: Graph, { saving }: Goal): boolean =>
  frames === 3 && saving > 0 && exclusions === null && motherOf === null;

function tripletsOf({ graph, removed }: Core, reduced: ReducedCosts): Triplets {
  const { edges, tail, head, triplets } = graph;
  if (triplets.kind !== "csr") throw new Error("a core has stored triplets");
  const found: [number, number][] = [];
  const costs: number[] = [];
  for (let e = 0; e < edges; e++) {
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      const f = triplets.successor[t];
      const cost = removed[e] + removed[f] > 0 ? Number.POSITIVE_INFINITY : reduced.triplet(e, f, t);
      if (cost === Number.POSITIVE_INFINITY) continue;
      found.push([e, f]);
      costs.push(cost + reduced.edge[e] + reduced.edge[f]);
    }
  }
  const detections = Int32Array.from(found.flatMap(([e, f]) => [tail[e], head[e], head[f]]));
  return { count: found.length, edges: found, detections, cost: Float64Array.from(costs) };
}

class Search {
  best: (readonly [e: number, f: number])[] | null = null;
  readonly #chosen: number[] = [];
  #nodes = 0;

  constructor(
    private readonly triplets: Triplets,
    private readonly frameStart: Uint32Array,
    /** Only sets of triplets that cost less are looked for. */
    private room: number,
    private readonly saving: number,
  ) {}

  /** @returns whether everything was searched */
  run(): boolean {
    const all = Int32Array.from({ length: this.triplets.count }, (_, n) => n);
    this.#descend(all, new Uint8Array(this.frameStart[3]), 0);
    return this.#nodes <= MOST_NODES;
  }

  /** @param left triplets of detections that none of the chosen ones covers */
  #descend(left: Int32Array, covered: Uint8Array, cost: number): void {
    if (++this.#nodes > MOST_NODES) return;
    const { detections, cost: costs, edges } = this.triplets;
    const next = this.#leastOf(left, covered);
    if (next.bounds.some((bound) => cost + bound >= this.room)) return;
    if (next.detection === UNASSIGNED) {
      this.best = this.#chosen.map((n) => edges[n]);
      this.room = cost - this.saving;
      return;
    }
    // What costs too much with the least of all other detections of one frame is in no such set.
    const { least, bounds } = next;
    const through = (n: number, frame: number): number => bounds[frame] - least[detections[3 * n + frame]] + costs[n];
    const useful = left.filter((n) => [0, 1, 2].every((frame) => cost + through(n, frame) < this.room));
    const tried = [...useful].filter((n) => [0, 1, 2].some((k) => detections[3 * n + k] === next.detection));
    for (const chosen of tried.sort((a, b) => costs[a] - costs[b])) {
      const now = covered.slice();
      for (let k = 0; k < 3; k++) now[detections[3 * chosen + k]] = 1;
      this.#chosen.push(chosen);
      const free = (n: number): boolean =>
        now[detections[3 * n]] + now[detections[3 * n + 1]] + now[detections[3 * n + 2]] === 0;
      this.#descend(useful.filter(free), now, cost + costs[chosen]);
      this.#chosen.pop();
    }
  }

  /** The least cost of a triplet by detection, their sum by frame, and the detection with the fewest triplets; UNASSIGNED where all are covered. */
  #leastOf(left: Int32Array, covered: Uint8Array) {
    const { detections, cost } = this.triplets;
    const least = new Float64Array(covered.length).fill(Number.POSITIVE_INFINITY);
    const count = new Uint32Array(covered.length);
    for (const n of left) {
      for (let k = 3 * n; k < 3 * n + 3; k++) {
        const d = detections[k];
        count[d]++;
        if (cost[n] < least[d]) least[d] = cost[n];
      }
    }
    const bounds = [0, 0, 0];
    let detection = UNASSIGNED;
    for (let frame = 0; frame < 3; frame++) {
      for (let d = this.frameStart[frame]; d < this.frameStart[frame + 1]; d++) {
        if (covered[d] === 1) continue;
        bounds[frame] += least[d];
        if (detection === UNASSIGNED || count[d] < count[detection]) detection = d;
      }
    }
    return { least, bounds, detection };
  }
}
