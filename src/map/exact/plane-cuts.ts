import { PairMap } from "../../core/pair-map.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
import type { Bundle } from "../dual/bundle.js";
import type { PlaneCuts, PlaneSums } from "../dual/coordinates.js";
import type { Graph } from "../instance/instance.js";
import type { Point } from "./separation.js";

/** Weights of triplets below this are forgotten. */
const TINY = 1e-9;

/** A cut k as a coordinate of the bundle. */
export interface CutCoordinate {
  readonly cut: Cut;
  readonly right: number;
  /** μ_k at present, and at the centre. */
  mu: number;
  centre: number;
  /** G_k: the items that the convex combination takes. */
  combined: number;
}

/**
 * Cuts of one frame pair's subproblem each, x_e of the pair and y_ef of its triplets, as further coordinates of the bundle (docs/explanation/proofs.md §4): with
 * the multiplier μ_k ≥ 0 cut k adds μ_k to the cost of its items and takes μ_k right_k from the bound, a plane has the coordinate
 * g_k = Σ items it takes, and the proximal step is μ_k = max(0, centre_k + τ (G_k − right_k)).
 */
export class CutCoordinates implements PlaneCuts {
  #cuts: CutCoordinate[] = [];
  /** The cuts of each pair. */
  readonly #ofPair: CutCoordinate[][];
  /** g by pair and slot, in order of the pair's cuts. */
  readonly #coordinates: Float64Array[][];
  /** y of the combination by pair and triplet (e, f), in units of the pair's scale. */
  readonly #weights: PairMap<number>[];
  readonly #scale: Float64Array;
  /** Of the plane that is read: the successor of each edge that it takes, −1 for other edges; and the edge into each column. */
  readonly #successor: Int32Array;
  readonly #into: Int32Array;
  /** x of the last point that was made, and the edges where it is not 0. */
  readonly #x: Float64Array;
  #nonzero: number[] = [];

  constructor(
    private readonly graph: Graph,
    private readonly bundle: Bundle,
  ) {
    const pairs = graph.frames - 1;
    this.#ofPair = Array.from({ length: pairs }, () => []);
    this.#coordinates = Array.from({ length: pairs }, () =>
      Array.from({ length: bundle.capacity }, () => new Float64Array(0)),
    );
    this.#weights = Array.from({ length: pairs }, () => new PairMap<number>());
    this.#scale = new Float64Array(pairs).fill(1);
    this.#successor = new Int32Array(graph.edges).fill(-1);
    this.#into = new Int32Array(graph.frameStart[graph.frames]);
    this.#x = new Float64Array(graph.edges);
  }

  get cuts(): readonly CutCoordinate[] {
    return this.#cuts;
  }

  ofPair(p: number): readonly CutCoordinate[] {
    return this.#ofPair[p];
  }

  /** Adds cuts of a pair, of multiplier 0. */
  add(p: number, cuts: readonly Cut[]): void {
    if (cuts.length === 0) return;
    for (const cut of cuts) {
      const combined = cut.items.reduce((sum, item) => this.#addWeights(sum, p, item), 0);
      const coordinate = { cut, right: rightOf(cut), mu: 0, centre: 0, combined };
      this.#cuts.push(coordinate);
      this.#ofPair[p].push(coordinate);
    }
    const { capacity, planeStamp } = this.bundle;
    for (let slot = 0; slot < capacity; slot++)
      if (planeStamp[slot * this.#ofPair.length + p] > 0) this.stored(p, slot);
  }

  #addWeights(sum: number, p: number, [e, f]: readonly [e: number, f: number]): number {
    const [weights, scale] = [this.#weights[p], this.#scale[p]];
    if (f >= 0) return sum + scale * (weights.get(e, f) ?? 0);
    for (const weight of weights.row(e).values()) sum += scale * weight;
    return sum;
  }

  /** Takes out the cuts whose μ and centre are 0 and which the combination satisfies by more than `slack`; returns them. */
  dropSlack(slack: number): Cut[] {
    const stays = ({ mu, centre, combined, right }: CutCoordinate): boolean =>
      mu > 0 || centre > 0 || combined >= right - slack;
    const dropped = this.#cuts.filter((cut) => !stays(cut)).map(({ cut }) => cut);
    if (dropped.length === 0) return [];
    this.#cuts = this.#cuts.filter(stays);
    for (const [p, cuts] of this.#ofPair.entries()) {
      this.#coordinates[p] = this.#coordinates[p].map((g) => g.filter((_, at) => stays(cuts[at])));
      this.#ofPair[p] = cuts.filter(stays);
    }
    return dropped;
  }

  /** The centre becomes the present μ, or the other way round. */
  keep(): void {
    for (const cut of this.#cuts) cut.centre = cut.mu;
  }

  restore(): void {
    for (const cut of this.#cuts) cut.mu = cut.centre;
  }

  stand(p: number, tau: number): void {
    for (const cut of this.#ofPair[p]) stand(cut, tau);
  }

  /** Σ μ right. */
  constant(): number {
    return this.#cuts.reduce((sum, { mu, right }) => sum + mu * right, 0);
  }

  model(p: number): number {
    return this.#ofPair[p].reduce((sum, { mu, combined, right }) => sum + mu * (combined - right), 0);
  }

  /** The bundle's present point in the convex hull of a pair's solutions: x of its edges and of the next pair's, and y. Valid until the next call. */
  point(p: number): Point {
    for (const e of this.#nonzero) this.#x[e] = 0;
    this.#nonzero = [];
    if (p + 2 === this.graph.frames) return { x: this.#x, y: [] };
    const y: [number, number, number][] = [];
    for (const [e, f, weight] of this.#weights[p].entries()) {
      const value = weight * this.#scale[p];
      if (value < TINY) {
        this.#weights[p].delete(e, f);
        continue;
      }
      y.push([e, f, value]);
      for (const edge of [e, f]) {
        if (this.#x[edge] === 0) this.#nonzero.push(edge);
        this.#x[edge] += value;
      }
    }
    return { x: this.#x, y };
  }

  stored(p: number, slot: number): void {
    if (this.#ofPair[p].length === 0) {
      this.#coordinates[p][slot] = new Float64Array(0);
      return;
    }
    const successor = this.#successor;
    this.#eachTriplet(p, slot, (e, f) => {
      successor[e] = f;
    });
    this.#coordinates[p][slot] = Float64Array.from(this.#ofPair[p], ({ cut }) => {
      let sum = 0;
      for (const [e, f] of cut.items) if (successor[e] >= 0 && (f < 0 || successor[e] === f)) sum++;
      return sum;
    });
    this.#eachTriplet(p, slot, (e) => {
      successor[e] = -1;
    });
  }

  begin(p: number, slot: number): void {
    this.#weights[p].clear();
    this.#scale[p] = 1;
    this.#eachTriplet(p, slot, (e, f) => this.#weights[p].set(e, f, 1));
    for (const [at, cut] of this.#ofPair[p].entries()) cut.combined = this.#coordinates[p][slot][at];
  }

  addValues(p: number, { values }: PlaneSums): void {
    for (const [slot, g] of this.#coordinates[p].entries()) {
      let sum = 0;
      for (let at = 0; at < g.length; at++) sum += g[at] * this.#ofPair[p][at].mu;
      values[slot] += sum;
    }
  }

  present(p: number): number {
    let sum = 0;
    for (const { combined, mu } of this.#ofPair[p]) sum += combined * mu;
    return sum;
  }

  distance(p: number, slot: number): number {
    let sum = 0;
    const g = this.#coordinates[p][slot];
    for (let at = 0; at < g.length; at++) sum += (g[at] - this.#ofPair[p][at].combined) ** 2;
    return sum;
  }

  move(p: number, slot: number, gamma: number, tau: number): void {
    const g = this.#coordinates[p][slot];
    for (let at = 0; at < g.length; at++) {
      const cut = this.#ofPair[p][at];
      cut.combined += gamma * (g[at] - cut.combined);
      stand(cut, tau);
    }
    const weights = this.#weights[p];
    if (gamma >= 1 || this.#scale[p] * (1 - gamma) < 1e-200) {
      weights.clear();
      this.#scale[p] = 1;
    } else this.#scale[p] *= 1 - gamma;
    const share = gamma / this.#scale[p];
    this.#eachTriplet(p, slot, (e, f) => {
      const after = weights.row(e);
      after.set(f, (after.get(f) ?? 0) + share);
    });
  }

  /** Visits the triplets of a plane: the edge into each column and its successor. The last pair has none. */
  #eachTriplet(p: number, slot: number, visit: (e: number, f: number) => void): void {
    const { frames, frameStart, birthOf, head } = this.graph;
    if (p + 2 === frames) return;
    const { planeEdge, planeSuccessor } = this.bundle;
    const into = this.#into;
    const plane = slot * into.length;
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) into[j] = birthOf[j];
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      const e = planeEdge[plane + i];
      if (head[e] >= 0) into[head[e]] = e;
    }
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) visit(into[j], planeSuccessor[plane + j]);
  }
}

/** μ = max(0, centre + τ (G − right)). */
function stand(cut: CutCoordinate, tau: number): void {
  cut.mu = Math.max(0, cut.centre + tau * (cut.combined - cut.right));
}
