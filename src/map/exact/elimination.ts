import { GrowingArray } from "../../core/growing-array.js";
import { rootOf } from "../../core/union-find.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { ROUNDOFF } from "../certificate/compensated-sum.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import type { Incidence } from "../instance/incidence.js";
import { linkBetween } from "../instance/instance.js";
import type { OwnEdges } from "../proof/own-edges.js";
import { type Chains, shrinkOf } from "./chains.js";
import { chainsWithin } from "./chains-within.js";

/**
 * What is left of an instance after all that is proved about the present tracks T* (docs/explanation/proofs.md §2).
 *
 * If a set of tracks T costs less than T* + level, so does T* with one connected piece of T Δ T* exchanged. An edge outside T* can be
 * part of such a piece only if what it and the edges that its exchange forces cost beyond the bound is less than `room` + level. What
 * cannot is dropped, which separates the rest into components; within one only its own part of the room counts, and so on to a
 * fixed point.
 */
export interface Elimination {
  /** 1 for the edges that may still be exchanged; an edge of T* is active when both its ends have another active edge. */
  readonly active: Uint8Array;
  readonly activeEdges: number;
  readonly components: number;
  /** Component of a detection that an active edge touches; −1 elsewhere. */
  readonly componentOf: Int32Array;
  /** At least what T* costs beyond the bound within each component: no set of tracks saves more there. */
  readonly room: Float64Array;
  /** At least what any set of tracks saves in all components together. */
  readonly roomInAll: number;
  /** G within the component of an active edge, the edges of T* at its border fixed; Infinity for others. */
  readonly through: Float64Array;
  /** Nearly all edges remain: a larger level has nothing to add. */
  readonly crowded: boolean;
}

/** Fixed points are near after a few rounds; stopping early only proves less. */
const ROUNDS = 20;
/** Share of the edges whose remaining makes further rounds not worth their time, in instances in which it takes some. */
const CROWDED = 0.95;
const SMALL = 100_000;

/**
 * @param room at least what T* costs beyond the bound of `reduced`
 * @param level 0 asks what sets of tracks that are strictly cheaper than T* may use
 */
export function eliminate(
  reduced: ReducedCosts,
  incidence: Incidence,
  chains: Chains,
  own: OwnEdges,
  room: number,
  level: number,
): Elimination {
  const { graph, edge: r } = reduced;
  const { frames, frameStart, edges, tail, head } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const { out, into, isOwn } = own;
  const detections = frameStart[frames];
  const first = frameStart[1];
  const last = frameStart[frames - 1];
  const shrink = shrinkOf(frames);
  const grow = 1 + 8 * ROUNDOFF;

  const active = new Uint8Array(edges);
  let through = chains.through;
  const componentOf = new Int32Array(detections).fill(-1);
  let rooms = new Float64Array(1).fill(room);
  let oneComponent = true;
  const roomAt = (e: number): number =>
    oneComponent ? room : rooms[componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]]];
  /** The edges outside T* that are active, increasing, as far as they were when these were last listed; those of T* are `own.edges`. */
  let others = new Uint32Array(edges);
  /** G within components, once there are any. */
  const within = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  let listed = 0;
  const mayMatter = (e: number): void => {
    if (isOwn[e] === 1) active[e] = 1;
    else if (r[e] < Infinity && chains.through[e] * shrink < (room + level) * grow) {
      active[e] = 1;
      others[listed++] = e;
    }
  };
  for (let e = 0; e < edges; e++) mayMatter(e);
  others = others.slice(0, listed);
  const listAgain = (e: number): void => {
    if (active[e] === 1) others[listed++] = e;
    else within[e] = Number.POSITIVE_INFINITY;
  };
  /** Lists anew which are left. */
  const list = (): void => {
    listed = 0;
    each(others, listAgain);
    others = others.subarray(0, listed);
  };
  const countActive = (): number => {
    list();
    let count = others.length;
    for (let n = 0; n < own.edges.length; n++) count += active[own.edges[n]];
    return count;
  };

  // The two least G of the active edges outside T* out of, and into, each detection.
  const leastOut = new Int32Array(detections);
  const secondOut = new Float64Array(detections);
  const leastIn = new Int32Array(detections);
  const secondIn = new Float64Array(detections);
  const noteAt = (e: number, d: number, least: Int32Array, second: Float64Array): void => {
    const before = least[d] < 0 ? Number.POSITIVE_INFINITY : through[least[d]];
    if (through[e] < before) {
      second[d] = before;
      least[d] = e;
    } else if (through[e] < second[d]) second[d] = through[e];
  };
  const note = (e: number): void => {
    if (tail[e] !== UNASSIGNED) noteAt(e, tail[e], leastOut, secondOut);
    if (head[e] !== UNASSIGNED) noteAt(e, head[e], leastIn, secondIn);
  };

  const dropped = new GrowingArray(Uint32Array);
  const stays = (e: number, rest: number) => (through[e] + rest) * shrink < (roomAt(e) + level) * grow;
  const judge = (e: number): void => {
    const i = head[e] === UNASSIGNED ? UNASSIGNED : tail[into[head[e]]];
    const j = tail[e] === UNASSIGNED ? UNASSIGNED : head[out[tail[e]]];
    let rest = 0;
    if (i !== UNASSIGNED && j !== UNASSIGNED) {
      // i and j take one edge together, or two.
      const least = leastOut[i];
      const outOther = least < 0 ? Infinity : head[least] === j ? secondOut[i] : through[least];
      const entering = leastIn[j];
      const inOther = entering < 0 ? Infinity : tail[entering] === i ? secondIn[j] : through[entering];
      rest = outOther + inOther;
      if (stays(e, rest)) return;
      const f = linkBetween(graph, i, j);
      if (f >= 0 && active[f] === 1) rest = Math.min(rest, through[f]);
    } else if (i !== UNASSIGNED) rest = leastOut[i] < 0 ? Number.POSITIVE_INFINITY : through[leastOut[i]];
    else if (j !== UNASSIGNED) rest = leastIn[j] < 0 ? Number.POSITIVE_INFINITY : through[leastIn[j]];
    if (!stays(e, rest)) dropped.push(e);
  };
  const drop = (e: number): void => {
    active[e] = 0;
  };
  /** Drops x where it and what its exchange forces, the other edges at the detections it leaves alone, cost too much. */
  const dropByExchange = (): void => {
    leastOut.fill(-1);
    leastIn.fill(-1);
    secondOut.fill(Number.POSITIVE_INFINITY);
    secondIn.fill(Number.POSITIVE_INFINITY);
    list();
    each(others, note);
    dropped.clear();
    each(others, judge);
    each(dropped.values, drop);
  };

  /** Drops what has no partner: an exchange at a detection has an edge of T* and another. */
  const othersOut = new Int32Array(detections);
  const othersIn = new Int32Array(detections);
  const countOther = (e: number): void => {
    if (tail[e] !== UNASSIGNED) othersOut[tail[e]]++;
    if (head[e] !== UNASSIGNED) othersIn[head[e]]++;
  };
  const queue: number[] = [];
  const check = (e: number): void => {
    if (active[e] === 0) return;
    const i = tail[e];
    const j = head[e];
    const alone =
      isOwn[e] === 1
        ? (i !== UNASSIGNED && othersOut[i] === 0) || (j !== UNASSIGNED && othersIn[j] === 0)
        : (i !== UNASSIGNED && active[out[i]] === 0) || (j !== UNASSIGNED && active[into[j]] === 0);
    if (!alone) return;
    active[e] = 0;
    queue.push(e);
  };
  const dropAlone = (): void => {
    othersOut.fill(0);
    othersIn.fill(0);
    list();
    each(others, countOther);
    each(own.edges, check);
    each(others, check);
    for (let e = queue.pop(); e !== undefined; e = queue.pop()) {
      const i = tail[e];
      const j = head[e];
      if (isOwn[e] === 1) {
        if (i !== UNASSIGNED) for (let k = outFrom[i]; k < outFrom[i + 1]; k++) check(outEdge[k]);
        if (j !== UNASSIGNED) for (let k = inFrom[j]; k < inFrom[j + 1]; k++) check(inEdge[k]);
      } else {
        if (i !== UNASSIGNED && --othersOut[i] === 0) check(out[i]);
        if (j !== UNASSIGNED && --othersIn[j] === 0) check(into[j]);
      }
    }
  };

  /** Numbers the components of active edges joined at detections; returns how many. */
  const root = new Int32Array(detections);
  const number = new Int32Array(detections);
  /** Joins the ends of an edge, and marks them with 0, to be numbered when all are joined. */
  const join = (e: number): void => {
    if (active[e] === 0) return;
    if (tail[e] !== UNASSIGNED) componentOf[tail[e]] = 0;
    if (head[e] !== UNASSIGNED) componentOf[head[e]] = 0;
    if (tail[e] !== UNASSIGNED && head[e] !== UNASSIGNED) root[rootOf(root, tail[e])] = rootOf(root, head[e]);
  };
  const separate = (): number => {
    for (let d = 0; d < detections; d++) root[d] = d;
    componentOf.fill(-1);
    each(own.edges, join);
    each(others, join);
    let count = 0;
    number.fill(-1);
    for (let d = 0; d < detections; d++) {
      if (componentOf[d] < 0) continue;
      const at = rootOf(root, d);
      if (number[at] < 0) number[at] = count++;
      componentOf[d] = number[at];
    }
    return count;
  };

  /**
   * The room of each component: all of it, less what the edges and triplets of T* elsewhere cost beyond the bound. What rounding and
   * slack cuts keep from anyone counts in every component.
   */
  let roomInAll = room;
  const share = (count: number): void => {
    const inside = new Float64Array(count);
    let sum = 0;
    let outside = 0;
    for (let n = 0; n < own.edges.length; n++) {
      const e = own.edges[n];
      const component = active[e] === 1 ? componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]] : -1;
      if (component < 0) outside += r[e];
      else inside[component] += r[e];
      sum += r[e];
    }
    for (let d = first; d < last; d++) {
      const value = reduced.between(into[d], out[d]);
      if (componentOf[d] < 0) outside += value;
      else inside[componentOf[d]] += value;
      sum += value;
    }
    // Sums of as many non-negative terms, each term once.
    const depth = 4 * (edges + detections + 16) * ROUNDOFF;
    const hidden = Math.max(0, room - sum * (1 - depth)) + depth * room;
    rooms = inside.map((value) => Math.min(room, value * (1 + depth) + hidden) * grow);
    roomInAll = count === 0 ? 0 : Math.min(room, Math.max(0, room - outside * (1 - depth)) * grow + depth * room);
  };

  const parts = chainsWithin(reduced, incidence, own, active, componentOf);
  const sumUp = (e: number): void => {
    const { before, after } = parts;
    within[e] = active[e] === 1 ? before[e] + r[e] + after[e] : Number.POSITIVE_INFINITY;
  };

  const dropDear = (e: number): void => {
    if (!stays(e, 0)) active[e] = 0;
  };

  dropByExchange();
  // Where nearly all edges remain, the room is too large for rounds to separate anything.
  const crowded = countActive() > CROWDED * edges && edges > SMALL;
  let components = 0;
  let activeEdges = -1;
  for (let round = 0; round < ROUNDS; round++) {
    dropAlone();
    const left = countActive();
    if (left === activeEdges) break;
    activeEdges = left;
    components = separate();
    share(components);
    oneComponent = false;
    // Rooms and G are of the same components from here on: a G over whole tracks counts what T* pays elsewhere, which a room leaves out.
    parts.update();
    each(own.edges, sumUp);
    each(others, sumUp);
    through = within;
    if (crowded) break;
    each(others, dropDear);
    dropByExchange();
  }
  return { active, activeEdges, components, componentOf, room: rooms, roomInAll, through, crowded };
}

/** These loops are long and run a few times only: what they do is a function each, so that the compiler gets to it early. */
function each(edges: Uint32Array, visit: (e: number) => void): void {
  for (let n = 0; n < edges.length; n++) visit(edges[n]);
}
