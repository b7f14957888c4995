import { InputError } from "../../core/errors.js";

/**
 * A triplet cost D_ef that is a function of numbers m kept per link: everything that computes it on either device takes it from here.
 * Instances hold the rule's name or its texts, which can be sent to worker threads.
 */
export interface TripletRule {
  /** Numbers per link. */
  readonly width: number;
  /** D_ef in f64; the links' numbers begin at m[e] and m[f]. */
  cost(m: Float64Array, e: number, f: number): number;
  /**
   * D_ef in WGSL: declarations, `fn tripletCost(e: Numbers, f: Numbers) -> f32` among them. The links' Numbers are a vec2f up to a width of
   * 2, with one number the other is 0, and else an array<f32, width>.
   */
  readonly wgsl: string;
  /**
   * How min over f of D_ef − v_f is found for all links into a detection: "sweep" where D_ef = |m_e − m_f| with one number per
   * link, in time linear in the links once they are in order of m; "pairs" visits every triplet and is correct for any rule.
   */
  readonly minimum: "sweep" | "pairs";
}

/** A rule that a user's function or formula states, as texts; compiled once in each thread. */
export interface WrittenRule {
  /** Where it is stated, for messages. */
  readonly name: string;
  readonly width: number;
  /** Names of the numbers, for messages. */
  readonly numbers: readonly string[];
  /** Body of a function that returns TripletRule.cost. */
  readonly js: string;
  readonly wgsl: string;
}

/** An expression of e and f as TripletRule.wgsl has it. */
export const tripletFunction = (d: string): string => `fn tripletCost(e: Numbers, f: Numbers) -> f32 { return ${d}; }`;

/** To add a rule: an entry here. */
export const TRIPLET_RULES = {
  /** D_ef = |m_e − m_f|. */
  absolute: {
    width: 1,
    cost: (m, e, f) => Math.abs(m[e] - m[f]),
    wgsl: tripletFunction("abs(f.x - e.x)"),
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
    wgsl: tripletFunction("(f.x - e.x) * (f.x - e.x) + (f.y - e.y) * (f.y - e.y)"),
    minimum: "pairs",
  },
} as const satisfies Record<string, TripletRule>;

export type TripletRuleName = keyof typeof TRIPLET_RULES;

/** What computed triplets cost, as plain data. */
export type TripletRuleSource = TripletRuleName | WrittenRule;

const compiled = new WeakMap<WrittenRule, TripletRule>();

/** The rule of a name or of texts, as the interface states it. */
export function tripletRule(source: TripletRuleSource): TripletRule {
  if (typeof source === "string") return TRIPLET_RULES[source];
  const before = compiled.get(source);
  if (before !== undefined) return before;
  const rule = compile(source);
  compiled.set(source, rule);
  return rule;
}

/** All costs are below this in size, so that no sum of them is infinite. */
const MAX_COST = 1e30;

/** The texts are the user's own functions, whose every name src/costs/written/ has looked up, or made of formulas, which hold arithmetic alone. */
function compile({ name, width, numbers, js, wgsl }: WrittenRule): TripletRule {
  const price: TripletRule["cost"] = new Function(`"use strict";\n${js}`)();
  return {
    width,
    // No pass looks at all triplets before they are used, so that each is looked at when it is computed.
    cost: (m, e, f) => {
      const d = price(m, e, f);
      if (d < MAX_COST && d > -MAX_COST) return d;
      const link = (at: number) => numbers.map((number, k) => `${number} ${m[at + k]}`).join(", ");
      throw new InputError(
        `${name}: the cost of a triplet is ${d} where ij has ${link(e)} and jk has ${link(f)}; let all be numbers below 1e30 in size`,
      );
    },
    wgsl,
    minimum: "pairs",
  };
}
