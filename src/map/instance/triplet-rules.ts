/**
 * A triplet cost D_ef that is a function of numbers m kept per link: everything that computes it on either device takes it from here.
 * Instances hold the rule's name, which can be sent to worker threads.
 */
export interface TripletRule {
  /** Numbers per link. */
  readonly width: 1 | 2;
  /** D_ef in f64; the links' numbers begin at m[e] and m[f]. */
  cost(m: Float64Array, e: number, f: number): number;
  /** D_ef in WGSL, an expression in `e` and `f`, the links' numbers as vec2f; with one number the other is 0. */
  readonly wgsl: string;
  /**
   * How min over f of D_ef − v_f is found for all links into a detection: "sweep" where D_ef = |m_e − m_f| with one number per
   * link, in time linear in the links once they are in order of m; "pairs" visits every triplet and is correct for any rule.
   */
  readonly minimum: "sweep" | "pairs";
}

/** To add a rule: an entry here. */
export const TRIPLET_RULES = {
  /** D_ef = |m_e − m_f|. */
  absolute: {
    width: 1,
    cost: (m, e, f) => Math.abs(m[e] - m[f]),
    wgsl: "abs(f.x - e.x)",
    minimum: "sweep",
  },
  /** D_ef = |m_e − m_f|², m in the plane. */
  square: {
    width: 2,
    cost: (m, e, f) => {
      const x = m[f] - m[e];
      const y = m[f + 1] - m[e + 1];
      return x * x + y * y;
    },
    wgsl: "(f.x - e.x) * (f.x - e.x) + (f.y - e.y) * (f.y - e.y)",
    minimum: "pairs",
  },
} as const satisfies Record<string, TripletRule>;

export type TripletRuleName = keyof typeof TRIPLET_RULES;

/** The rule of a name, as the interface states it. */
export function tripletRule(name: TripletRuleName): TripletRule {
  return TRIPLET_RULES[name];
}
