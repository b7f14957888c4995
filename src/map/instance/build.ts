import { InputError, invariant } from "../../core/errors.js";
import { COUNTED, type FrameNumbers, frameNumber } from "../../core/frame-numbers.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { capBeyondSaving } from "./beyond-saving.js";
import type { Graph, ImplicitTriplets, StoredTriplets } from "./instance.js";
import type { PricedImplicitTriplets, PricedLinks, PricedProblem, PricedStoredTriplets } from "./priced.js";
import { tripletRule } from "./triplet-rules.js";

/** Counts of what pruning removed from the priced problem. */
export interface BuildStats {
  /** Links removed because no chain of allowed triplets carries them through all frames. */
  readonly deadLinks: number;
}

/**
 * Builds the graph of a priced problem: numbers the edges, adds births and deaths with their free triplets, and removes
 * links that cannot lie on any track (without births and deaths a link needs a predecessor and a successor).
 *
 * All arrays live in shared memory, so that worker threads can read them without a copy. Stored triplets that already do, and of
 * which none is added or removed, are the problem's own.
 * @param numbers of its frames, in messages
 * @param cap whether births and deaths beyond any saving are capped (docs/explanation/mathematics.md §1.1): it depends on all links, so not for parts
 * @throws InputError when a frame pair has too few edges for any complete assignment.
 */
export function buildGraph(
  problem: PricedProblem,
  numbers = COUNTED,
  { cap = true }: { readonly cap?: boolean } = {},
): { graph: Graph; stats: BuildStats } {
  const { links, birthDeath } = problem;
  const { frameStart } = links;
  const frames = frameStart.length - 1;
  if (frames < 2) throw new InputError(`frames: ${frames} given, but a link needs two; give at least 2 frames`);
  if (birthDeath === null) {
    requireEqualCounts(frameStart, numbers);
    requireLinks(links, numbers);
  }

  const alive = birthDeath === null ? liveLinks(problem) : allLinks(problem);
  const renumbered = new Int32Array(links.tail.length).fill(-1);
  let linkCount = 0;
  for (let e = 0; e < alive.length; e++) if (alive[e] === 1) renumbered[e] = linkCount++;

  const deaths = birthDeath === null ? 0 : frameStart[frames - 1];
  const births = birthDeath === null ? 0 : frameStart[frames] - frameStart[1];
  const edges = linkCount + deaths + births;
  const tail = sharedInt32(edges).fill(UNASSIGNED);
  const head = sharedInt32(edges).fill(UNASSIGNED);
  const cost = sharedFloat64(edges);
  const outStart = sharedUint32(frameStart[frames] + 1);

  for (let e = 0; e < links.tail.length; e++) {
    const kept = renumbered[e];
    if (kept < 0) continue;
    tail[kept] = links.tail[e];
    head[kept] = links.head[e];
    cost[kept] = links.cost[e];
    outStart[links.tail[e] + 1]++;
  }
  for (let d = 0; d < frameStart[frames]; d++) outStart[d + 1] += outStart[d];
  if (birthDeath !== null) {
    for (let d = 0; d < deaths; d++) {
      tail[linkCount + d] = d;
      cost[linkCount + d] = birthDeath.death[d];
    }
    for (let b = 0; b < births; b++) {
      head[linkCount + deaths + b] = frameStart[1] + b;
      cost[linkCount + deaths + b] = birthDeath.birth[frameStart[1] + b];
    }
  }

  const frameCopy = sharedUint32(frameStart.length);
  frameCopy.set(frameStart);
  const skeleton = { frames, frameStart: frameCopy, links: linkCount, edges, outStart, tail, head, cost };
  const triplets =
    problem.triplets?.kind === "implicit"
      ? implicitTriplets(problem.triplets, skeleton, renumbered)
      : storedTriplets(problem.triplets, skeleton, renumbered);
  if (birthDeath === null) requireEdges(frameStart, outStart, numbers);
  const graph = { ...skeleton, triplets };
  return {
    graph: { ...graph, surcharge: cap ? capBeyondSaving(graph) : null },
    stats: { deadLinks: links.tail.length - linkCount },
  };
}

function storedTriplets(
  priced: PricedStoredTriplets | null,
  skeleton: Omit<Graph, "triplets" | "surcharge">,
  renumbered: Int32Array,
): StoredTriplets {
  const { frames, frameStart, links: linkCount, edges, outStart, head } = skeleton;
  const lastFrame = frameStart[frames - 1];
  const hasBirths = edges > linkCount;
  if (priced !== null && !hasBirths && linkCount === renumbered.length && isShared(priced)) {
    // Every row stays as it is, and the rows of links into the last frame are empty: there is nothing to copy.
    const count = priced.start[linkCount];
    if (priced.start[outStart[frameStart[frames - 2]]] === count) return { ...priced, count };
  }
  const original = new Uint32Array(linkCount);
  for (let e = 0; e < renumbered.length; e++) if (renumbered[e] >= 0) original[renumbered[e]] = e;

  /** Calls `emit` for every successor of edge e in increasing order. */
  const visit = (e: number, emit: (f: number, cost: number) => void): void => {
    const j = head[e];
    if (j === UNASSIGNED || j >= lastFrame) return;
    if (e < linkCount && priced !== null) {
      const row = original[e];
      for (let t = priced.start[row]; t < priced.start[row + 1]; t++) {
        const f = renumbered[priced.successor[t]];
        if (f >= 0) emit(f, priced.cost[t]);
      }
    } else {
      for (let f = outStart[j]; f < outStart[j + 1]; f++) emit(f, 0);
    }
    if (hasBirths) emit(linkCount + j, 0);
  };

  const start = sharedUint32(edges + 1);
  let total = 0;
  for (let e = 0; e < edges; e++) {
    visit(e, () => {
      total++;
    });
    invariant(total < 2 ** 32, () => `triplets: more than 2^32 − 1 (edge ${e} of ${edges})`);
    start[e + 1] = total;
  }
  const successor = sharedUint32(total);
  const cost = sharedFloat64(total);
  let t = 0;
  for (let e = 0; e < edges; e++) {
    visit(e, (f, value) => {
      successor[t] = f;
      cost[t] = value;
      t++;
    });
  }
  return { kind: "csr", count: total, start, successor, cost };
}

function isShared({ start, successor, cost }: PricedStoredTriplets): boolean {
  return [start, successor, cost].every(({ buffer }) => buffer instanceof SharedArrayBuffer);
}

function implicitTriplets(
  { rule, perLink: priced }: PricedImplicitTriplets,
  skeleton: Omit<Graph, "triplets" | "surcharge">,
  renumbered: Int32Array,
): ImplicitTriplets {
  const { frames, frameStart, links, edges, outStart, head } = skeleton;
  const detections = frameStart[frames];
  const { width, minimum } = tripletRule(rule);
  const perLink = sharedFloat64(width * links);
  for (let e = 0; e < renumbered.length; e++) {
    for (let w = 0; w < width && renumbered[e] >= 0; w++) perLink[width * renumbered[e] + w] = priced[width * e + w];
  }
  const inStart = sharedUint32(detections + 1);
  for (let e = 0; e < links; e++) inStart[head[e] + 1]++;
  for (let d = 0; d < detections; d++) inStart[d + 1] += inStart[d];
  const inLink = sharedUint32(links);
  const outLink = sharedUint32(links);
  const next = inStart.slice();
  for (let e = 0; e < links; e++) {
    inLink[next[head[e]]++] = e;
    outLink[e] = e;
  }
  const hasBirths = edges > links ? 1 : 0;
  let count = 0;
  for (let d = 0; d < detections; d++) {
    if (minimum === "sweep") {
      const byLength = (e: number, f: number) => perLink[e] - perLink[f] || e - f;
      inLink.subarray(inStart[d], inStart[d + 1]).sort(byLength);
      outLink.subarray(outStart[d], outStart[d + 1]).sort(byLength);
    }
    if (d < frameStart[1] || d >= frameStart[frames - 1]) continue;
    count += (inStart[d + 1] - inStart[d] + hasBirths) * (outStart[d + 1] - outStart[d] + hasBirths);
  }
  return { kind: "implicit", rule, count, perLink, inStart, inLink, outLink };
}

function allLinks(problem: PricedProblem): Uint8Array {
  return new Uint8Array(problem.links.tail.length).fill(1);
}

/**
 * Marks the links that lie on some path of allowed triplets from the first to the last frame. Links are sorted by tail, so one
 * backward and one forward sweep reach the fixed point.
 */
function liveLinks({ links, triplets }: PricedProblem): Uint8Array {
  return triplets?.kind === "csr" ? linksOnAllowedPaths(links, triplets) : linksOnPaths(links);
}

/** Where every link into a detection may be followed by every link out of it, it is enough to mark detections. */
function linksOnPaths({ frameStart, tail, head }: PricedLinks): Uint8Array {
  const frames = frameStart.length - 1;
  const reached = new Uint8Array(frameStart[frames]).fill(1, 0, frameStart[1]);
  const leadsOn = new Uint8Array(frameStart[frames]).fill(1, frameStart[frames - 1]);
  for (let e = tail.length - 1; e >= 0; e--) leadsOn[tail[e]] |= leadsOn[head[e]];
  for (let e = 0; e < tail.length; e++) reached[head[e]] |= reached[tail[e]];
  const alive = new Uint8Array(tail.length);
  for (let e = 0; e < alive.length; e++) alive[e] = reached[tail[e]] & leadsOn[head[e]];
  return alive;
}

function linksOnAllowedPaths({ frameStart, tail, head }: PricedLinks, triplets: PricedStoredTriplets): Uint8Array {
  const { start, successor } = triplets;
  const frames = frameStart.length - 1;
  const count = tail.length;
  const alive = new Uint8Array(count).fill(1);
  const inLastPair = (e: number): boolean => head[e] >= frameStart[frames - 1];
  for (let e = count - 1; e >= 0; e--) {
    if (inLastPair(e)) continue;
    let t = start[e];
    while (t < start[e + 1] && alive[successor[t]] === 0) t++;
    alive[e] = t < start[e + 1] ? 1 : 0;
  }
  const reached = new Uint8Array(count);
  for (let e = 0; e < count; e++) {
    if (tail[e] < frameStart[1]) reached[e] = alive[e];
    if (reached[e] === 0 || inLastPair(e)) continue;
    for (let t = start[e]; t < start[e + 1]; t++) if (alive[successor[t]] === 1) reached[successor[t]] = 1;
  }
  return reached;
}

function requireEqualCounts(frameStart: Uint32Array, numbers: FrameNumbers): void {
  const first = frameStart[1] - frameStart[0];
  for (let p = 1; p + 1 < frameStart.length; p++) {
    const count = frameStart[p + 1] - frameStart[p];
    if (count === first) continue;
    const [frame, other] = [p, 0].map((one) => frameNumber(numbers, one));
    throw new InputError(
      `frame ${frame}: ${count} detections, but frame ${other} has ${first}; unequal counts need birth and death costs`,
    );
  }
}

const REMEDY = "widen the gate or give birth and death costs";

/** Every detection needs a link to the next frame. */
function requireLinks({ frameStart, tail }: PricedLinks, numbers: FrameNumbers): void {
  const left = new Uint8Array(frameStart[frameStart.length - 1]);
  for (const i of tail) left[i] = 1;
  for (let p = 0; p + 2 < frameStart.length; p++) {
    const [frame, next] = [p, p + 1].map((one) => frameNumber(numbers, one));
    const marked = left.subarray(frameStart[p], frameStart[p + 1]);
    const lonely = marked.indexOf(0);
    if (lonely < 0) continue;
    const what = marked.includes(1) ? `detection ${lonely} of frame ${frame} has no edge` : "there is no edge";
    throw new InputError(`frame pair ${frame}–${next}: ${what}; ${REMEDY}`);
  }
}

/** The problem without the links that lie on no complete track. */
function requireEdges(frameStart: Uint32Array, outStart: Uint32Array, numbers: FrameNumbers): void {
  const lastFrame = frameStart[frameStart.length - 2];
  let p = 0;
  for (let d = 0; d < lastFrame; d++) {
    while (d >= frameStart[p + 1]) p++;
    if (outStart[d + 1] > outStart[d]) continue;
    const [frame, next] = [p, p + 1].map((one) => frameNumber(numbers, one));
    throw new InputError(
      `frame pair ${frame}–${next}: detection ${d - frameStart[p]} of frame ${frame} has no edge that lies on a ` +
        `complete track; ${REMEDY}`,
    );
  }
}
