import { type Found, pieceOf } from "../../map/window/piece.js";
import type { DecidedWindow } from "./decided.js";
import type { InputFrame } from "./frames.js";
import type { WindowAnswer } from "./job.js";
import { WindowJobs, type WindowSettings } from "./jobs.js";
import type { Kept } from "./kept.js";

/** Windows first … end − 1. */
export type WindowRange = readonly [first: number, end: number];

/** A window with the iterations of the seam to the one before. */
export interface Decision extends DecidedWindow {
  readonly seamIterations: number;
}

/**
 * Decides a recording's windows as its frames come. Each is solved for itself, with its overlaps; where two meet, a seam is solved between what both have decided
 * (docs/explanation/mathematics.md §4.1). Seams do not touch one another, so what is decided of a window depends on it and its two neighbours alone, and
 * all threads work on different windows and seams.
 */
export class Decisions {
  readonly jobs: WindowJobs;
  /** Windows that had been found, and all that are. */
  readonly taken = new Set<number>();
  readonly held = new Set<number>();
  readonly #answers = new Map<number, Promise<WindowAnswer>>();
  /** Iterations of the seam before each window. */
  readonly #seams = new Map<number, Promise<number>>();
  #range: WindowRange | null = null;
  #next = 0;
  /** Windows under way, in order; each is handed on when those before it have been. */
  readonly #waiting: Promise<void>[] = [];
  #chain: Promise<void> = Promise.resolve();
  #handedOn = 0;
  #failure: { readonly error: unknown } | null = null;

  /**
   * @param onDecided called for each window in order, while the frames from its first on are in the store
   * @param rangeOf the windows to decide, once the costs are learned [all]
   */
  constructor(
    private readonly settings: WindowSettings,
    private readonly onDecided: (window: number, decision: Decision) => void,
    private readonly rangeOf: () => WindowRange = () => [0, Number.POSITIVE_INFINITY],
  ) {
    this.jobs = new WindowJobs(settings);
  }

  /** No frame that comes later matters. */
  get isDone(): boolean {
    return this.#range !== null && this.#next >= this.#range[1];
  }

  /** Hands over the next frame; waits while there is more to do than threads. */
  async add(frame: InputFrame): Promise<void> {
    this.jobs.store.add(frame);
    await this.#advance();
  }

  /** There are no more frames, or none that matters. */
  async end(): Promise<void> {
    if (!this.isDone) {
      this.jobs.end();
      await this.#advance();
    }
    await this.#chain;
    this.#rethrow();
  }

  async #advance(): Promise<void> {
    if (!(await this.jobs.learn())) return;
    if (this.#range === null) {
      this.#range = this.rangeOf();
      this.#next = this.#range[0];
      this.#handedOn = this.#next;
    }
    while (!this.isDone && this.jobs.has(this.#next) && this.jobs.isRead(this.#lastOf(this.#next))) {
      this.#rethrow();
      // A window waits for its neighbours now and then, and others are worked on meanwhile.
      while (this.#waiting.length >= 2 * this.settings.caller.threads) await this.#waiting.shift();
      this.#begin(this.#next++);
      // On one thread nothing is gained by reading ahead, and decisions would wait.
      if (this.settings.caller.threads === 1) await this.#chain;
    }
    this.#rethrow();
    this.#forget();
  }

  #begin(k: number): void {
    const decision = this.#decision(k);
    const settled = decision.then(
      () => {},
      () => {},
    );
    this.#waiting.push(settled);
    this.#chain = this.#chain.then(async () => {
      if (this.#failure !== null) return settled;
      try {
        this.onDecided(k, await decision);
        this.#handedOn = k + 1;
        this.#forget();
      } catch (error) {
        this.#failure = { error };
      }
    });
  }

  #rethrow(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Frames on which no window that is still to come depends, and that have been handed on. */
  #forget(): void {
    const needed = this.jobs.neededFrom(Math.max(0, this.#next - 1));
    this.jobs.store.forgetBefore(Math.min(needed, this.jobs.frames(this.#handedOn).border));
  }

  async #decision(k: number): Promise<Decision> {
    const { keeper } = this.settings;
    const [first, last] = [Math.max(0, k - 1), this.jobs.has(k + 1) ? k + 1 : k];
    const name = () => this.jobs.name(k, first, last);
    const { value, known } = await keeper.keep("decided", name, () => this.#decide(k, last > k));
    if (known) this.taken.add(k);
    this.held.add(k);
    return value;
  }

  async #decide(k: number, hasNext: boolean): Promise<Decision> {
    for (const before of this.#answers.keys()) if (before < k - 1) this.#answers.delete(before);
    for (const before of this.#seams.keys()) if (before < k) this.#seams.delete(before);
    const hasSeamBehind = hasNext && !this.#isBorder(k);
    const seams = Promise.all([k > 0 ? this.#seam(k) : 0, hasSeamBehind ? this.#seam(k + 1) : 0]);
    const answer = this.#answer(k);
    const { border, next } = this.jobs.frames(k);
    const isLast = next === this.jobs.last;
    const [seamIterations] = await seams;
    const decided = await this.settings.caller.decide({ ...(await answer), window: k, border, next, isLast });
    return { ...decided, seamIterations };
  }

  /** The last window whose frames window k depends on. */
  #lastOf(k: number): number {
    return this.#isBorder(k + 1) ? k + 2 : k + 1;
  }

  /** Whether the window behind is another shard's. */
  #isBorder(k: number): boolean {
    return k + 1 === this.#range?.[1] && this.jobs.has(k + 1);
  }

  #seam(k: number): Promise<number> {
    return memoized(this.#seams, k, async () => {
      const seam = this.#join(k, this.#answer(k - 1));
      if (k !== this.#range?.[0]) return seam;
      // The shard before takes the window before from here.
      await this.#border(k - 1, async () => {
        await seam;
        return this.#answer(k - 1);
      });
      return seam;
    });
  }

  async #join(k: number, before: Promise<WindowAnswer>): Promise<number> {
    const [from, to] = this.jobs.frames(k).seam;
    const [left, right] = await Promise.all([before, this.#answer(k)]);
    const seam = { from, to, left: left.piece, right: right.piece };
    return this.settings.caller.join({ seam, options: this.settings.options });
  }

  /** A window with the seam to the one behind it. */
  #border(k: number, make: () => Promise<WindowAnswer>): Promise<Kept<WindowAnswer>> {
    return this.settings.keeper.keep("border", () => this.jobs.name(k, k, k + 1), make);
  }

  #answer(k: number): Promise<WindowAnswer> {
    return memoized(this.#answers, k, async () => {
      if (!this.#isBorder(k)) return this.#find(k);
      const { value, known } = await this.#border(k, async () => {
        const found = this.#find(k);
        await this.#join(k + 1, found);
        return found;
      });
      if (!known) return value;
      this.taken.add(k);
      const { piece, place } = value;
      return { piece: pieceOf(piece.first, piece.graph, piece), place };
    });
  }

  async #find(k: number): Promise<WindowAnswer> {
    const { keeper, caller } = this.settings;
    const job = this.jobs.job(k);
    const answers: WindowAnswer[] = [];
    const find = async (): Promise<Found> => {
      answers.push(await caller.solve({ job: await job, found: null }));
      const { v, columnDual, tracks, iterations } = answers[0].piece;
      return { v, columnDual, tracks, iterations };
    };
    const { value, known } = await keeper.keep("found", () => this.jobs.name(k), find);
    if (known) this.taken.add(k);
    this.held.add(k);
    return answers[0] ?? caller.solve({ job: await job, found: value });
  }
}

/** Whoever waits for a value that fails hears of it. */
function memoized<Value>(known: Map<number, Promise<Value>>, key: number, make: () => Promise<Value>): Promise<Value> {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = make();
  value.catch(() => {});
  known.set(key, value);
  return value;
}
