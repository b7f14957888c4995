import type { Proof, Stage } from "../proof/proof.js";
import { type Bounds, type Lifted, proofBy } from "./bounds.js";
import type { SolveRun } from "./solve-run.js";

/** A bound and its proof; null for the proof where nothing is proved. */
export interface KnownBound {
  readonly bound: number;
  readonly proof: Proof | null;
}

/**
 * The highest bound that one proof proves next to the best tracks, which is the bound that a solve states: next to other tracks the same
 * multipliers prove another one.
 */
export class BestProof {
  known: KnownBound;
  /** Proved by the multipliers alone. */
  readonly certificate: KnownBound;
  readonly #bounds: Bounds;

  constructor(private readonly run: SolveRun) {
    this.#bounds = run.bounds;
    const { certified } = run.bounds;
    this.certificate = {
      bound: certified?.computed ?? Number.NEGATIVE_INFINITY,
      proof: certified && proofBy(certified.stage),
    };
    this.known = this.certificate;
  }

  offer(bound: number, proof: Proof): void {
    if (bound > this.known.bound) this.known = { bound, proof };
  }

  /** Examines the best tracks; `proof` is the proof with `stage` in it, where it has more stages. */
  async examine(stage: Stage | null = null, proof: Proof | null = null, isLast = false) {
    const found = await this.run.timed("elimination", () => this.#bounds.examine(stage, isLast));
    if (found?.lifts) this.offer(found.lowerBound, proof ?? proofBy(found.stage));
    return found;
  }

  /** Offers the bound that elimination has proved; where the tracks have become others since, it is proved once more. */
  async takeUp(before: Lifted | null): Promise<void> {
    if (before === null || before.bound <= this.known.bound) return;
    if (this.#bounds.isBest(before.tracks)) this.offer(before.bound, proofBy(before.stage));
    else await this.examine(before.stage);
  }
}
