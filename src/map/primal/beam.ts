import { UNASSIGNED } from "../../lap/lap.js";
import type { BlockFrame, Member } from "./block.js";

/** States at most that a layer keeps, and that are made of them. */
const WIDTH = 64;
const MADE = 16 * WIDTH;
const TABLE = 1 << (32 - Math.clz32(2 * MADE));

/** A set of tracks of a block up to a detection: which of the present frame are still to go on and which of these were born, and which of the next are entered or may not be. */
interface State {
  readonly rows: number;
  readonly born: number;
  readonly entered: number;
  readonly closed: number;
  readonly cost: number;
  readonly price: number;
}

/** States, and of which one of the layer before each was made, by what. */
class Layer {
  size = 0;
  readonly rows = new Int32Array(MADE);
  readonly born = new Int32Array(MADE);
  readonly entered = new Int32Array(MADE);
  readonly closed = new Int32Array(MADE);
  readonly cost = new Float64Array(MADE);
  readonly price = new Float64Array(MADE);
  readonly from = new Int32Array(MADE);
  readonly by = new Int32Array(MADE);

  at(n: number): State {
    return {
      rows: this.rows[n],
      born: this.born[n],
      entered: this.entered[n],
      closed: this.closed[n],
      cost: this.cost[n],
      price: this.price[n],
    };
  }

  set(n: number, from: number, by: number, { rows, born, entered, closed, cost, price }: State): void {
    this.rows[n] = rows;
    this.born[n] = born;
    this.entered[n] = entered;
    this.closed[n] = closed;
    this.cost[n] = cost;
    this.price[n] = price;
    this.from[n] = from;
    this.by[n] = by;
  }
}

interface Step {
  readonly member: Member | null;
  readonly from: Int32Array;
  readonly by: Int32Array;
}

/** Lays the tracks of a block from frame to frame and keeps those that promise most by the multipliers (beam search). */
export class Beam {
  #now = new Layer();
  #next = new Layer();
  readonly #table = new Int32Array(TABLE);
  readonly #stamp = new Uint32Array(TABLE);
  #stamps = 0;
  #steps: Step[] = [];

  /** The links of each member before the last frame, and of its twin. */
  search(frames: readonly BlockFrame[]): Map<number, readonly [number, number]> | null {
    this.#steps = [];
    this.#begin();
    this.#put(-1, 0, {
      rows: 0,
      born: 0,
      entered: frames[0].entered,
      closed: closedBy(frames[0], frames[0].entered),
      cost: 0,
      price: 0,
    });
    this.#end(null);
    for (const [n, frame] of frames.entries()) {
      for (const [bit, member] of frame.members.entries()) if (member.mayBeBorn) this.#bear(member, bit);
      this.#turn(frame, frames[n + 1] ?? null);
      if (this.#now.size === 0) return null;
      for (const [bit, member] of frame.members.entries()) this.#goOn(member, bit);
    }
    return this.#now.size === 0 ? null : this.#best();
  }

  #put(from: number, by: number, state: State): void {
    const { rows, born, entered, cost } = state;
    const to = this.#next;
    let at = (Math.imul(rows, 0x9e3779b1) ^ Math.imul(born, 0x85ebca6b) ^ Math.imul(entered, 0xc2b2ae35)) >>> 0;
    at = (at ^ (at >>> 15)) & (TABLE - 1);
    for (; this.#stamp[at] === this.#stamps; at = (at + 1) & (TABLE - 1)) {
      const same = this.#table[at];
      if (to.rows[same] !== rows || to.born[same] !== born || to.entered[same] !== entered) continue;
      if (cost < to.cost[same]) to.set(same, from, by, state);
      return;
    }
    if (to.size === MADE) return;
    this.#stamp[at] = this.#stamps;
    this.#table[at] = to.size;
    to.set(to.size++, from, by, state);
  }

  #begin(): void {
    this.#stamps++;
    this.#next.size = 0;
  }

  /** Keeps the best states of the next layer, which becomes the present one. */
  #end(member: Member | null): void {
    const next = this.#next;
    if (next.size > WIDTH) {
      const most = next.price.slice(0, next.size).sort()[WIDTH - 1];
      let kept = 0;
      for (let n = 0; n < next.size && kept < WIDTH; n++)
        if (next.price[n] <= most) next.set(kept++, next.from[n], next.by[n], next.at(n));
      next.size = kept;
    }
    this.#steps.push({ member, from: next.from.slice(0, next.size), by: next.by.slice(0, next.size) });
    [this.#now, this.#next] = [this.#next, this.#now];
  }

  /** A detection is born, or not. */
  #bear(member: Member, bit: number): void {
    this.#begin();
    for (let n = 0; n < this.#now.size; n++) {
      const state = this.#now.at(n);
      this.#put(n, 0, state);
      if (((state.closed | state.entered) >> bit) & 1) continue;
      const closed = state.closed | member.closes | (1 << bit);
      this.#put(n, 1, { ...state, born: state.born | (1 << bit), closed, price: state.price + member.born });
    }
    this.#end(null);
  }

  /** The next frame becomes the present one. */
  #turn({ members, needed }: BlockFrame, next: BlockFrame | null): void {
    this.#begin();
    const { size, born, entered, cost } = this.#now;
    const begun = next?.entered ?? 0;
    const closed = next === null ? 0 : closedBy(next, begun);
    for (let n = 0; n < size; n++) {
      const rows = entered[n] | born[n];
      if ((rows & needed) !== needed) continue;
      let price = cost[n];
      for (let bit = 0; bit < members.length; bit++)
        if ((rows >> bit) & 1) price += (born[n] >> bit) & 1 ? members[bit].born : members[bit].entered;
      this.#put(n, 0, { rows, born: born[n], entered: begun, closed, cost: cost[n], price });
    }
    this.#end(null);
  }

  /** A detection that is used takes one of its options. */
  #goOn(member: Member, bit: number): void {
    this.#begin();
    for (let n = 0; n < this.#now.size; n++) {
      const state = this.#now.at(n);
      if (((state.rows >> bit) & 1) === 0) {
        this.#put(n, -1, state);
        continue;
      }
      const isBorn = (state.born >> bit) & 1;
      const least = isBorn ? member.born : member.entered;
      for (const [by, option] of member.options.entries()) {
        if (isBorn && option.links[0] === UNASSIGNED) continue;
        if ((state.closed | state.entered) & option.heads) continue;
        this.#put(n, by, {
          rows: state.rows & ~(1 << bit),
          born: state.born & ~(1 << bit),
          entered: state.entered | option.heads,
          closed: state.closed | option.closes,
          cost: state.cost + option.cost,
          price: state.price + option.price - least,
        });
      }
    }
    this.#end(member);
  }

  #best(): Map<number, readonly [number, number]> {
    const { size, cost } = this.#now;
    let at = 0;
    for (let n = 1; n < size; n++) if (cost[n] < cost[at]) at = n;
    const links = new Map<number, readonly [number, number]>();
    for (const { member, from, by } of this.#steps.toReversed()) {
      if (member !== null) links.set(member.d, by[at] < 0 ? [UNASSIGNED, UNASSIGNED] : member.options[by[at]].links);
      at = from[at];
    }
    return links;
  }
}

function closedBy({ members }: BlockFrame, bits: number): number {
  let closed = 0;
  for (let bit = 0; bit < members.length; bit++) if ((bits >> bit) & 1) closed |= members[bit].closes | (1 << bit);
  return closed;
}
