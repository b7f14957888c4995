/** What many attacked instances came to. */
export interface Tally {
  instances: number;
  /** Seed and what is false. */
  readonly violations: string[];
  /** Instances by how they ended. */
  readonly ended: Record<string, number>;
}

/** What an attack finds in the instances of one seed. */
export interface Findings {
  /** One more instance was attacked, and it ended like this. */
  ended(how: string): void;
  violated(what: string): void;
}

/** A way to feed the solver what is wrong or extreme, and to judge all that it states by exact arithmetic or enumeration. */
export interface Attack {
  /** What is attacked, and how: a sentence of lab/notes/truth.md. */
  readonly what: string;
  /** Its share of the instances of a run of all kinds, relative to the others'. */
  readonly share: number;
  /** Instances of a seed, about. */
  readonly perSeed: number;
  /** Attacks the instances of a seed, the same ones each time. */
  run(seed: number, findings: Findings): Promise<void>;
}
