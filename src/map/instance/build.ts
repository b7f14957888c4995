import { InputError, invariant } from "../../core/errors.js";
import { COUNTED, type FrameNumbers } from "../../core/frame-numbers.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { inParallel } from "../../core/team.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { capBeyondSaving } from "./beyond-saving.js";
import { indexEdges } from "./edges.js";
import { sharedExclusions } from "./exclusions.js";
import { bindOrder, implicitTriplets } from "./implicit-triplets.js";
import type { Graph, StoredTriplets } from "./instance.js";
import type { BirthDeathCosts, PricedLinks, PricedProblem, PricedStoredTriplets } from "./priced.js";
import { requireEdges, requireEqualCounts, requireUnusedCosts } from "./refusals.js";

/** Counts of what pruning removed from the priced problem. */
export interface BuildStats {
  /** Links removed because no chain of allowed triplets carries them through all frames. */
  readonly deadLinks: number;
}

/**
 * Builds the graph of a priced problem: numbers the edges, adds births and deaths with their free triplets, and removes
 * links that cannot lie on any track (without births and deaths a link needs a predecessor and a successor).
 *
 * All arrays live in shared memory, so that worker threads can read them without a copy. Where the problem's already do, and no edge
 * is added or removed, they are the problem's own.
 * @param numbers of its frames, in messages
 * @param cap whether births and deaths beyond any saving are capped (docs/explanation/mathematics.md §1.1): it depends on all links, so not for parts
 * @throws InputError when a frame pair has too few edges for any complete assignment.
 */
export function buildGraph(
  problem: PricedProblem,
  numbers = COUNTED,
  { cap = true }: { readonly cap?: boolean } = {},
): BuiltGraph {
  const built = assemble(problem, numbers, cap);
  const { graph } = built;
  if (graph.triplets.kind === "implicit") {
    const order = bindOrder({ ...graph, triplets: graph.triplets });
    for (let p = 0; p < graph.frames; p++) order(0, p, 0);
  }
  return built;
}

/** The same to the bit on up to `threads` threads. */
export async function buildOnThreads(
  problem: PricedProblem,
  numbers: FrameNumbers,
  threads: number,
): Promise<BuiltGraph> {
  const built = assemble(problem, numbers, true);
  const { graph } = built;
  if (graph.triplets.kind === "implicit") {
    const memory = { ...graph, triplets: graph.triplets };
    await inParallel(
      graph.edges < THREADS_FROM ? 1 : threads,
      "#order-worker",
      memory,
      bindOrder(memory),
      graph.frames,
    );
  }
  return built;
}

interface BuiltGraph {
  readonly graph: Graph;
  readonly stats: BuildStats;
}

/** Edges below which other threads are not worth their start. */
const THREADS_FROM = 300_000;

/** The graph, of which computed triplets are not yet in the order of m. */
function assemble(problem: PricedProblem, numbers: FrameNumbers, cap: boolean): BuiltGraph {
  const { links, birthDeath, exclusions, motherOf } = problem;
  const { frameStart } = links;
  const frames = frameStart.length - 1;
  if (frames < 2) throw new InputError(`frames: ${frames} given, but a link needs two; give at least 2 frames`);
  if (birthDeath === null) {
    requireEqualCounts(frameStart, numbers);
  }

  invariant(
    problem.triplets?.kind !== "implicit" ||
      (birthDeath?.unused === undefined && (exclusions ?? motherOf) === undefined),
    () => "unused detections, exclusions and twins need stored triplets",
  );
  invariant(
    (exclusions ?? motherOf) === undefined || birthDeath !== null,
    () => "exclusions and twins need births and deaths",
  );

  requireUnusedCosts(problem, numbers);
  const alive = birthDeath === null ? liveLinks(problem) : null;
  const { skeleton, edgeOf } = numberEdges(problem, alive);
  const triplets =
    problem.triplets?.kind === "implicit"
      ? implicitTriplets(problem.triplets, skeleton, edgeOf)
      : storedTriplets(problem.triplets, skeleton, edgeOf, birthDeath);
  if (birthDeath === null) requireEdges(skeleton, links, numbers);
  const restrictions = {
    exclusions: exclusions ? sharedExclusions(exclusions) : null,
    motherOf: motherOf ? sharedCopyOf(motherOf) : null,
  };
  const graph = { ...skeleton, triplets, ...restrictions };
  // What births and deaths save where a detection may be unused is beyond that reckoning.
  const isCapped = cap && birthDeath?.unused === undefined && !exclusions && !motherOf;
  return {
    graph: { ...graph, surcharge: isCapped ? capBeyondSaving(graph) : null },
    stats: { deadLinks: links.tail.length - skeleton.links },
  };
}

type Skeleton = Omit<Graph, "triplets" | "surcharge" | "exclusions" | "motherOf">;

function sharedCopyOf(values: Int32Array): Int32Array {
  const shared = sharedInt32(values.length);
  shared.set(values);
  return shared;
}

/**
 * The edges of a problem; `edgeOf` is the edge of each of its links, UNASSIGNED for those that are not alive, and null where the edges are
 * the links and their arrays the problem's own.
 */
function numberEdges(
  { links, birthDeath }: PricedProblem,
  alive: Uint8Array | null,
): { readonly skeleton: Skeleton; readonly edgeOf: Int32Array | null } {
  const frameStart = sharedUint32(links.frameStart.length);
  frameStart.set(links.frameStart);
  const frames = frameStart.length - 1;
  const ends = birthDeath === null ? 0 : frameStart[frames - 1] + frameStart[frames] - frameStart[1];
  const count = links.tail.length;
  let edges = ends + count;
  for (let link = 0; alive !== null && link < count; link++) edges -= 1 - alive[link];
  if (edges === count && ends === 0 && areShared(links.tail, links.head, links.cost)) {
    const { tail, head, cost } = links;
    return { skeleton: { frames, frameStart, ...indexEdges(frameStart, tail, head), tail, head, cost }, edgeOf: null };
  }
  const tail = sharedInt32(edges).fill(UNASSIGNED);
  const head = sharedInt32(edges).fill(UNASSIGNED);
  const cost = sharedFloat64(edges);
  const edgeOf = new Int32Array(count).fill(UNASSIGNED);
  let e = 0;
  for (let p = 0, link = 0; p + 1 < frames; p++) {
    for (; link < count && links.tail[link] < frameStart[p + 1]; link++) {
      if (alive !== null && alive[link] === 0) continue;
      tail[e] = links.tail[link];
      head[e] = links.head[link];
      cost[e] = links.cost[link];
      edgeOf[link] = e++;
    }
    if (birthDeath === null) continue;
    const { birth, death, unused } = birthDeath;
    // In the first and in the last frame one edge alone says that a detection has no link.
    const ends = (stated: Float64Array, d: number, isRim: boolean): number =>
      isRim && unused !== undefined && !Number.isNaN(unused[d]) ? unused[d] : stated[d];
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++, e++) {
      tail[e] = d;
      cost[e] = ends(death, d, p === 0);
    }
    for (let d = frameStart[p + 1]; d < frameStart[p + 2]; d++, e++) {
      head[e] = d;
      cost[e] = ends(birth, d, p + 2 === frames);
    }
  }
  return { skeleton: { frames, frameStart, ...indexEdges(frameStart, tail, head), tail, head, cost }, edgeOf };
}

function storedTriplets(
  priced: PricedStoredTriplets | null,
  { frames, frameStart, edges, edgeStart, linkStart, linkEnd, deathOf, tail, head }: Skeleton,
  edgeOfLink: Int32Array | null,
  ends: BirthDeathCosts | null,
): StoredTriplets {
  const lastFrame = frameStart[frames - 1];
  const areLinks = edgeOfLink === null || edges === edgeOfLink.length;
  if (priced !== null && areLinks && areShared(priced.rowStart, priced.successor, priced.cost)) {
    // Every row stays as it is, and the rows of links into the last frame are empty: there is nothing to copy.
    const count = priced.rowStart[edges];
    if (priced.rowStart[edgeStart[frames - 2]] === count) return { ...priced, count };
  }
  const edgeOf = edgeOfLink ?? Int32Array.from({ length: edges }, (_, e) => e);
  const linkOf = new Int32Array(edges).fill(UNASSIGNED);
  for (let link = 0; link < edgeOf.length; link++) if (edgeOf[link] !== UNASSIGNED) linkOf[edgeOf[link]] = link;

  /** Calls `emit` for every successor of edge e in increasing order. */
  const visit = (e: number, emit: (f: number, cost: number) => void): void => {
    const j = head[e];
    if (j === UNASSIGNED || j >= lastFrame) return;
    if (tail[e] !== UNASSIGNED && priced !== null) {
      for (let t = priced.rowStart[linkOf[e]]; t < priced.rowStart[linkOf[e] + 1]; t++) {
        const f = edgeOf[priced.successor[t]];
        if (f !== UNASSIGNED) emit(f, priced.cost[t]);
      }
    } else {
      for (let f = linkStart[j]; f < linkEnd[j]; f++) emit(f, 0);
    }
    if (deathOf[j] !== UNASSIGNED) emit(deathOf[j], tail[e] === UNASSIGNED ? loneCost(ends, j) : 0);
  };

  const rowStart = sharedUint32(edges + 1);
  let total = 0;
  for (let e = 0; e < edges; e++) {
    visit(e, () => {
      total++;
    });
    invariant(total < 2 ** 32, () => `triplets: more than 2^32 − 1 (edge ${e} of ${edges})`);
    rowStart[e + 1] = total;
  }
  const successor = sharedUint32(total);
  const cost = sharedFloat64(total);
  let t = 0;
  for (let e = 0; e < edges; e++) {
    visit(e, (f, value) => {
      successor[t] = f;
      // Pages of zeros take no memory as long as nothing is written to them, as where all triplets are free.
      if (!Object.is(value, 0)) cost[t] = value;
      t++;
    });
  }
  return { kind: "csr", count: total, rowStart, successor, cost, ...(priced === null && { areFree: true }) };
}

/** D of the birth and the death of a detection of an inner frame. */
function loneCost(ends: BirthDeathCosts | null, d: number): number {
  if (ends?.unused === undefined || Number.isNaN(ends.unused[d])) return 0;
  return ends.unused[d] - (ends.birth[d] + ends.death[d]);
}

function areShared(...arrays: readonly (Int32Array | Uint32Array | Float64Array)[]): boolean {
  return arrays.every(({ buffer }) => buffer instanceof SharedArrayBuffer);
}

/**
 * Marks the links that lie on some path of allowed triplets from the first to the last frame; null where all do. Links are sorted by tail, so one
 * backward and one forward sweep reach the fixed point.
 */
function liveLinks({ links, triplets }: PricedProblem): Uint8Array | null {
  return triplets?.kind === "csr" ? linksOnAllowedPaths(links, triplets) : linksOnPaths(links);
}

/** Where every link into a detection may be followed by every link out of it, it is enough to mark detections. */
function linksOnPaths({ frameStart, tail, head }: PricedLinks): Uint8Array | null {
  const frames = frameStart.length - 1;
  const reached = new Uint8Array(frameStart[frames]).fill(1, 0, frameStart[1]);
  const leadsOn = new Uint8Array(frameStart[frames]).fill(1, frameStart[frames - 1]);
  for (let e = tail.length - 1; e >= 0; e--) leadsOn[tail[e]] |= leadsOn[head[e]];
  for (let e = 0; e < tail.length; e++) reached[head[e]] |= reached[tail[e]];
  if (!reached.includes(0) && !leadsOn.includes(0)) return null;
  const alive = new Uint8Array(tail.length);
  for (let e = 0; e < alive.length; e++) alive[e] = reached[tail[e]] & leadsOn[head[e]];
  return alive;
}

function linksOnAllowedPaths({ frameStart, tail, head }: PricedLinks, triplets: PricedStoredTriplets): Uint8Array {
  const { rowStart, successor } = triplets;
  const frames = frameStart.length - 1;
  const count = tail.length;
  const alive = new Uint8Array(count).fill(1);
  const inLastPair = (e: number): boolean => head[e] >= frameStart[frames - 1];
  for (let e = count - 1; e >= 0; e--) {
    if (inLastPair(e)) continue;
    let t = rowStart[e];
    while (t < rowStart[e + 1] && alive[successor[t]] === 0) t++;
    alive[e] = t < rowStart[e + 1] ? 1 : 0;
  }
  const reached = new Uint8Array(count);
  for (let e = 0; e < count; e++) {
    if (tail[e] < frameStart[1]) reached[e] = alive[e];
    if (reached[e] === 0 || inLastPair(e)) continue;
    for (let t = rowStart[e]; t < rowStart[e + 1]; t++) if (alive[successor[t]] === 1) reached[successor[t]] = 1;
  }
  return reached;
}
