import type { Ending } from "./attempt.js";
import type { ExactOptions } from "./exact-run.js";
import type { OpenLinearProgram } from "./linear-program.js";
import type { RegionAnswer, RegionCaller, RegionTask } from "./region-bounds.js";
import type { ExactOutcome } from "./solve-exactly.js";

/** Threads for regions, and how tasks are given to them; `work` is that of the calling thread. */
export interface RegionThreads {
  readonly threads: number;
  readonly caller: (work: (task: RegionTask) => Promise<RegionAnswer>) => Promise<RegionCaller>;
}

export interface BeyondOptions extends Omit<ExactOptions, "open"> {
  /** Loads a solver of linear programs, where any are needed; null where there is none. */
  readonly load: () => Promise<OpenLinearProgram | null>;
  /** Threads for regions [the calling one]. */
  readonly regions?: RegionThreads | undefined;
  /** So little fits between the bounds that linear programs come first, however large the instance is [false]. */
  readonly isSmall?: boolean;
  /** Of the bundle with cuts at most. */
  readonly iterations: number;
  /** Seconds that the ascent took: the search with noise takes no longer, also where there is no limit of time [no limit]. */
  readonly spent?: number;
  /** Work that may have no effect, in edges and triplets gone through; it is shared out in the place of time [no limit]. */
  readonly vain?: number;
}

/** How the gap that an ascent left was closed, or how far that went. */
export interface BeyondOutcome extends Omit<ExactOutcome, "outcome"> {
  /** fruitless: it had as much work without effect as it was given. Else as in an exact solve. */
  readonly outcome: Ending | "fruitless";
  /** Whose multipliers were certified last. */
  readonly by: "search" | "linear programs" | "bundle";
}
