import type { Line } from "../track/line.js";

/** Frames that an object may be unseen and still be interpolated. */
const LONGEST_GAP = 3;

/** Where and when a true object was at the line: its label, time in frames and position. */
export type OnPassage = (target: string, time: number, position: number) => void;

/** Finds out when true objects pass the line, between two sightings of them. */
export class Passages {
  /** Last measurement of each object in sight, the one seen longest ago first. */
  readonly #sighted = new Map<string, { frame: number; x: number; y: number }>();

  constructor(
    readonly line: Line,
    readonly onPassage: OnPassage,
  ) {}

  sight(target: string, frame: number, x: number, y: number): void {
    const { line } = this;
    const before = this.#sighted.get(target);
    this.#sighted.delete(target);
    this.#sighted.set(target, { frame, x, y });
    for (const [old, { frame: seen }] of this.#sighted) {
      if (frame - seen <= LONGEST_GAP) break;
      this.#sighted.delete(old);
    }
    if (before === undefined || frame - before.frame > LONGEST_GAP) return;
    const [was, is] = line.axis === "x" ? [before.x, x] : [before.y, y];
    if (was === is || was < line.at === is < line.at) return;
    const share = (line.at - was) / (is - was);
    const position = line.axis === "x" ? before.y + share * (y - before.y) : before.x + share * (x - before.x);
    this.onPassage(target, before.frame + share * (frame - before.frame), position);
  }
}
