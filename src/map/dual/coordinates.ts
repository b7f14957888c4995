/** The values of a frame pair's planes, by slot, while they are added up. */
export class PlaneSums {
  readonly values: Float64Array;
  /** By the slots of some planes, as a number with a bit for each: what all of them take. So a term that planes share is added once. */
  readonly shared: Float64Array;

  /** @param hasShared whether anything is added to `shared` */
  constructor(capacity: number, hasShared: boolean) {
    this.values = new Float64Array(capacity);
    this.shared = new Float64Array(hasShared ? 2 ** capacity : 0);
  }

  /** Adds to the values what planes share, and empties that. */
  spread(): void {
    const { values, shared } = this;
    for (let slot = values.length - 1, half = shared.length / 2; half >= 1; slot--, half /= 2) {
      let sum = 0;
      for (let others = 0; others < half; others++) {
        sum += shared[half + others];
        shared[others] += shared[half + others];
        shared[half + others] = 0;
      }
      values[slot] += sum;
    }
    if (shared.length > 0) shared[0] = 0;
  }
}

/** Takes the bit of a slot into a number of slots, or out of it. */
export function withSlot(slots: number, slot: number, isIn: boolean): number {
  return isIn ? slots | (1 << slot) : slots & ~(1 << slot);
}

/** Coordinates of planes beside v: those of inequalities, whose multipliers move with v (docs/explanation/proofs.md §4). */
export interface PlaneCuts {
  /** A plane has been written into a slot. */
  stored(pair: number, slot: number): void;
  /** Sets the pair's combination to the plane in a slot. */
  begin(pair: number, slot: number): void;
  /** Adds Σ g μ of each plane, by slot; what that of empty slots is means nothing. */
  addValues(pair: number, sums: PlaneSums): void;
  /** Σ g μ of the pair's combination. */
  present(pair: number): number;
  /** Squared distance of a plane's coordinates from the combination's. */
  distance(pair: number, slot: number, tau: number): number;
  /** The combination moves by `gamma` towards a plane. */
  move(pair: number, slot: number, gamma: number, tau: number): void;
  /** The pair's part of the model, Σ μ (G − right). */
  model(pair: number): number;
  /** μ = max(0, centre + τ (G − right)). */
  stand(pair: number, tau: number): void;
}

/** The coordinates of all; null where there are none. */
export function allCuts(given: readonly (PlaneCuts | null)[]): PlaneCuts | null {
  const all = given.filter((cuts) => cuts !== null);
  if (all.length < 2) return all[0] ?? null;
  const sum = (of: (cuts: PlaneCuts) => number): number => {
    let total = 0;
    for (const cuts of all) total += of(cuts);
    return total;
  };
  return {
    stored(p, slot) {
      for (const cuts of all) cuts.stored(p, slot);
    },
    begin(p, slot) {
      for (const cuts of all) cuts.begin(p, slot);
    },
    addValues(p, sums) {
      for (const cuts of all) cuts.addValues(p, sums);
    },
    present: (p) => sum((cuts) => cuts.present(p)),
    distance: (p, slot, tau) => sum((cuts) => cuts.distance(p, slot, tau)),
    move(p, slot, gamma, tau) {
      for (const cuts of all) cuts.move(p, slot, gamma, tau);
    },
    model: (p) => sum((cuts) => cuts.model(p)),
    stand(p, tau) {
      for (const cuts of all) cuts.stand(p, tau);
    },
  };
}
