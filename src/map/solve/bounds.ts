import { sharedCopy } from "../../core/shared-arrays.js";
import { certifyOnThreads } from "../certificate/certificate.js";
import type { Cut } from "../certificate/cuts.js";
import { EQUAL, relativeGap } from "../certificate/gap.js";
import type { AscentSteps } from "../dual/steps.js";
import { EXAMINED_TRIPLETS, type Examination, examine, examineWithMargins } from "../exact/examine.js";
import { exclusionCuts, weighedCuts } from "../exact/instance-cuts.js";
import { LEVELS } from "../exact/margins-by-level.js";
import { boundBy } from "../exact/stages.js";
import type { Graph } from "../instance/instance.js";
import type { BestTracks } from "../primal/best-tracks.js";
import type { Tracks } from "../primal/feasible.js";
import type { Proof, Stage } from "../proof/proof.js";
import type { SolveOptions } from "../solution.js";

/** Rough time of an examination. */
const SECONDS_A_TRIPLET = 1e-6;

/** Triplets from which the margins are made on several threads, and threads from which some idle while elimination is tried. */
const MARGINS_FROM = 500_000;
const THREADS_FOR_MARGINS = LEVELS.length + 1;

/** Edges below which other threads are not worth their start for a certificate. */
const THREADS_FROM = 300_000;

/** A bound that elimination has proved next to some tracks, and the multipliers that prove it. */
export interface Lifted {
  readonly bound: number;
  readonly tracks: Tracks;
  readonly stage: Stage;
}

/** The bounds that a solve knows, in the costs that are computed with. */
export class Bounds {
  /** The best bound of the ascent itself. */
  ascent = Number.NEGATIVE_INFINITY;
  /** The best of all certificates, and its multipliers: every certificate holds. */
  certified: { readonly computed: number; readonly stage: Stage } | null = null;
  /** The highest bound that elimination has proved, next to the best tracks of that time. */
  lifted: Lifted | null = null;
  /** The tracks that elimination has proved optimal. */
  proved: Lifted | null = null;
  /** β to certify with in place of the present one, once an iteration was cut short. */
  keptDuals: Float64Array | null = null;
  /** The last examination, and the tracks that it was of. */
  #last: { readonly tracks: Tracks; readonly found: Examined } | null = null;
  /** The stage of the last multipliers, and the bounds that stages were certified with. */
  #stage: Stage | null = null;
  readonly #computed = new WeakMap<Stage, number>();
  /** The exclusions, once they were needed. */
  #cuts: readonly Cut[] | null = null;
  /** How far the device's bounds may lie above the certified one; f64 is exact enough to need none. */
  #deviceError = 0;

  constructor(
    private readonly graph: Graph,
    private readonly steps: AscentSteps,
    private readonly best: BestTracks,
    private readonly options: Pick<SolveOptions, "eliminate" | "time" | "threads" | "margins" | "gap">,
    private readonly seconds: () => number,
  ) {}

  /** The highest of all. */
  highest(): number {
    return Math.max(this.ascent, this.lifted?.bound ?? this.ascent);
  }

  isBest(tracks: Tracks): boolean {
    return tracks.every((e, d) => this.best.tracks?.[d] === e);
  }

  /** Proof that the best tracks are optimal; null while there is none. */
  proofOfBest(): Lifted | null {
    return this.proved !== null && this.isBest(this.proved.tracks) ? this.proved : null;
  }

  /** Notes a bound of the ascent; whether it is higher than the last one. NaN is no bound. */
  rise(bound: number): boolean {
    const rose = bound - this.#deviceError > this.ascent;
    if (rose) this.ascent = bound - this.#deviceError;
    return rose;
  }

  /** Certifies the present multipliers. */
  async certify(): Promise<number> {
    const stage = await this.stage();
    const computed = this.#computed.get(stage) ?? (await this.#boundOf(stage));
    this.#computed.set(stage, computed);
    if (this.certified === null || computed > this.certified.computed) this.certified = { computed, stage };
    return computed;
  }

  /** The bound of a stage that was certified; undefined of others. */
  certifiedBy(stage: Stage): number | undefined {
    return this.#computed.get(stage);
  }

  async #boundOf(stage: Stage): Promise<number> {
    const { graph, options } = this;
    if (stage.cuts.length > 0) return boundBy(graph, stage);
    const threads = graph.edges < THREADS_FROM ? 1 : (options.threads ?? 1);
    return (await certifyOnThreads(graph, stage.v, stage.columnDual, threads)).computed;
  }

  /** Certifies the multipliers of a bound in f32, and learns how far such a bound may be too high. */
  async confirm(bound: number): Promise<void> {
    const computed = await this.certify();
    // Multipliers that prove nothing tell nothing of the device's rounding.
    if (Number.isFinite(computed)) this.#deviceError = Math.max(this.#deviceError, bound - computed);
    this.ascent = this.certified?.computed ?? computed;
  }

  /** Whether elimination is asked for and would not take too long. */
  mayExamine(): boolean {
    const { graph, best, options } = this;
    const { count } = graph.triplets;
    if (options.eliminate === false) return false;
    if (count > EXAMINED_TRIPLETS && relativeGap(this.highest(), best.upperBound) > EQUAL) return false;
    return this.seconds() + SECONDS_A_TRIPLET * count <= options.time + 1;
  }

  /**
   * Tries elimination from the present multipliers, or from given ones. Where threads idle, they make the margins of what may end the ascent beside it.
   * @param isLast whether margins follow in any case
   * @returns null where it is not asked for, would take too long, or proves nothing
   */
  async examine(by: Stage | null = null, isLast = false): Promise<Examined | null> {
    const { graph, best, options, marginThreads } = this;
    if (best.tracks === null || !this.mayExamine()) return null;
    const stage = by ?? (await this.stage());
    if (this.#last?.found.stage === stage && this.isBest(this.#last.tracks)) return this.#last.found;
    const isEnough = ({ lowerBound, optimal }: Examination): boolean =>
      isLast || optimal || relativeGap(lowerBound, best.upperBound) <= options.gap;
    const found =
      marginThreads >= THREADS_FOR_MARGINS || (isLast && marginThreads > 1)
        ? await examineWithMargins(graph, stage, best.tracks, marginThreads, isEnough)
        : examine(graph, stage.v, stage.columnDual, best.tracks, stage);
    if (found === null) return null;
    const lifted: Lifted = { bound: found.lowerBound, tracks: best.tracks.slice(), stage };
    if (found.lifts && (this.lifted === null || lifted.bound > this.lifted.bound)) this.lifted = lifted;
    if (found.optimal && this.proofOfBest() === null) this.proved = lifted;
    this.#last = { tracks: lifted.tracks, found: { ...found, stage } };
    return this.#last.found;
  }

  /** Threads that make the margins, where these are wanted. */
  get marginThreads(): number {
    const { graph, options } = this;
    const isWanted = options.margins === true && graph.surcharge === null;
    return isWanted && graph.triplets.count >= MARGINS_FROM ? (options.threads ?? 1) : 1;
  }

  /** The present multipliers as a stage of a proof: 0 where none is read, on the first frame pair, for births, and in the first frame. */
  private async stage(): Promise<Stage> {
    const { frameStart, edgeStart, birthStart } = this.graph;
    const read = await this.steps.read("multipliers");
    const own = (values: Float64Array) => (read.isGiven && values !== this.keptDuals ? values : sharedCopy(values));
    const [v, columnDual] = [own(read.v), own(this.keptDuals ?? read.columnDual)];
    v.fill(0, 0, edgeStart[1]);
    birthStart.forEach((birth, p) => {
      v.fill(0, birth, edgeStart[p + 1]);
    });
    columnDual.fill(0, 0, frameStart[1]);
    const weighed = weighedCuts(this.graph, read, () => {
      this.#cuts ??= exclusionCuts(this.graph);
      return this.#cuts;
    });
    const made = { v, columnDual, ...weighed };
    // The same multipliers are not examined or certified twice.
    this.#stage = [this.#stage, this.#last?.found.stage].find((before) => before && areSame(before, made)) ?? made;
    return this.#stage;
  }
}

/** What an examination has found, and by which multipliers. */
export type Examined = NonNullable<ReturnType<typeof examine>> & { readonly stage: Stage };

function areSame(a: Stage, b: Stage): boolean {
  return (
    isSame(a.v, b.v) &&
    isSame(a.columnDual, b.columnDual) &&
    a.cuts.length === b.cuts.length &&
    a.cuts.every((cut, k) => cut === b.cuts[k] || isSameRow(cut, b.cuts[k])) &&
    isSame(a.cutMultipliers, b.cutMultipliers)
  );
}

/** Of edges, as those that an ascent finds. */
function isSameRow(a: Cut, b: Cut): boolean {
  return a.kind === b.kind && a.set === b.set && a.items.every(([e], n) => b.items[n]?.[0] === e);
}

/** A loop, which takes a sixth of the time of `every`. */
function isSame(a: Float64Array, b: Float64Array): boolean {
  for (let n = 0; n < a.length; n++) if (!Object.is(a[n], b[n])) return false;
  return true;
}

/** A proof of one stage. */
export function proofBy(stage: Stage): Proof {
  return { stages: [stage], leaves: [] };
}
