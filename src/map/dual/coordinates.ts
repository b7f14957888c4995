/** Coordinates of planes beside v: those of inequalities, whose multipliers move with v (docs/explanation/proofs.md §4). */
export interface PlaneCuts {
  /** A plane has been written into a slot. */
  stored(pair: number, slot: number): void;
  /** Sets the pair's combination to the plane in a slot. */
  begin(pair: number, slot: number): void;
  /** Σ g μ of a plane, and of the pair's combination. */
  value(pair: number, slot: number): number;
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
    value: (p, slot) => sum((cuts) => cuts.value(p, slot)),
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
