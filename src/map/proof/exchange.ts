import { UNASSIGNED } from "../../lap/lap.js";
import { linkBetween } from "../instance/instance.js";
import type { Chains } from "./chains.js";
import type { Core } from "./core.js";
import type { Numbers, Value, Values } from "./numbers.js";

/**
 * By edge outside T*, at least what a set of tracks with it costs beyond the bound by itself and by what its exchange forces; Infinity where that is no less than `most`.
 * It is the same for all levels.
 */
export function forcedCosts(numbers: Numbers, core: Core, { through }: Pick<Chains, "through">, most: Value): Values {
  const { down, list } = numbers;
  const forced = list(core.graph.edges, Number.POSITIVE_INFINITY);
  const active = Uint8Array.from(core.trackEdges.isOfTracks);
  const others = new Others(active, (e) => through[e] < most);
  const { apart, together } = costOfExchange(numbers, core, active, others, through);
  for (let n = 0; n < others.length; n++) {
    const e = others.list[n];
    const two = down(through[e], apart(e));
    const one = down(through[e], together(e));
    forced[e] = two < one ? two : one;
  }
  return forced;
}

/** The active edges outside T*. */
export class Others {
  readonly list: Uint32Array;
  length = 0;

  /** @param active those of T* to begin with */
  constructor(
    readonly active: Uint8Array,
    isOne: (e: number) => boolean,
  ) {
    const list = new Uint32Array(active.length);
    for (let e = 0; e < active.length; e++) if (active[e] === 0 && isOne(e)) list[this.length++] = e;
    this.list = list.slice(0, this.length);
    for (let n = 0; n < this.length; n++) active[list[n]] = 1;
  }

  /** Those that are not kept become inactive, once all were looked at. */
  keepOnly(isKept: (e: number) => boolean): void {
    const { list, active } = this;
    const dropped = new Uint32Array(this.length);
    let kept = 0;
    let gone = 0;
    for (let n = 0; n < this.length; n++) {
      if (isKept(list[n])) list[kept++] = list[n];
      else dropped[gone++] = list[n];
    }
    for (let n = 0; n < gone; n++) active[dropped[n]] = 0;
    this.length = kept;
  }
}

/**
 * The cost that the exchange of an edge forces: the detections that T* has before its head and after its tail lose their partners, and take two
 * other edges, or one together.
 */
export function costOfExchange(
  { of, down }: Numbers,
  { graph, trackEdges: { into, out } }: Core,
  active: Uint8Array,
  others: Others,
  through: Values,
): { apart(e: number): Value; together(e: number): Value } {
  const { tail, head } = graph;
  const leaving = new TwoLeast(out.length, through);
  const entering = new TwoLeast(out.length, through);
  for (let n = 0; n < others.length; n++) {
    const e = others.list[n];
    if (tail[e] !== UNASSIGNED) leaving.add(tail[e], e);
    if (head[e] !== UNASSIGNED) entering.add(head[e], e);
  }
  const zero = of(0);
  const before = (e: number): number => (head[e] === UNASSIGNED ? UNASSIGNED : tail[into[head[e]]]);
  const after = (e: number): number => (tail[e] === UNASSIGNED ? UNASSIGNED : head[out[tail[e]]]);
  return {
    apart(e) {
      const i = before(e);
      const j = after(e);
      if (i === UNASSIGNED) return j === UNASSIGNED ? zero : entering.cost(j, UNASSIGNED, tail);
      if (j === UNASSIGNED) return leaving.cost(i, UNASSIGNED, head);
      return down(leaving.cost(i, j, head), entering.cost(j, i, tail));
    },
    together(e) {
      const i = before(e);
      const j = after(e);
      const link = i === UNASSIGNED || j === UNASSIGNED ? UNASSIGNED : linkBetween(graph, i, j);
      return link >= 0 && active[link] === 1 ? through[link] : Number.POSITIVE_INFINITY;
    },
  };
}

/** The two cheapest of the edges at each detection, on one side of it. */
class TwoLeast {
  readonly #first: Int32Array;
  readonly #second: Int32Array;

  constructor(
    detections: number,
    private readonly through: Values,
  ) {
    this.#first = new Int32Array(detections).fill(UNASSIGNED);
    this.#second = new Int32Array(detections).fill(UNASSIGNED);
  }

  add(d: number, e: number): void {
    const { through } = this;
    const first = this.#first[d];
    const second = this.#second[d];
    if (first < 0 || through[e] < through[first]) {
      this.#second[d] = first;
      this.#first[d] = e;
    } else if (second < 0 || through[e] < through[second]) this.#second[d] = e;
  }

  /** Of the cheapest whose other end is not `not`; Infinity where there is none. */
  cost(d: number, not: number, otherEnd: Int32Array): Value {
    const first = this.#first[d];
    const e = not !== UNASSIGNED && first >= 0 && otherEnd[first] === not ? this.#second[d] : first;
    return e < 0 ? Number.POSITIVE_INFINITY : this.through[e];
  }
}
