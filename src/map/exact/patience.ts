import type { Graph } from "../instance/instance.js";
import type { ExactOptions } from "./exact-run.js";
import type { OpenLinearProgram } from "./linear-program.js";

/** Share of the gap that has to be closed for the work to count from 0 again. */
export const EFFECT = 0.1;

/** Granted in any case, a second or two: where the ascent took less than that, nobody waits for what follows. */
const LEAST_WORK = 5e7;

/**
 * Edges and triplets that a simplex iteration is worth for each row and each number of its matrix: it takes 2 to 3 ns for each, where an iteration of the ascent takes 20 to 25 ns for each
 * edge and triplet. This and the other weights of work are from lab/costs' crowds of 100 and of 250 in 12 × 6 m, mixed faults, seed 1, one thread.
 */
const SIMPLEX_WORK = 1 / 8;

/** Iterations for each row that no solve comes near to (a tenth or two is usual): where so many are left, none is told, since a limit costs a tree its rays. */
const MOST_PIVOTS = 10;

/** The work of an iteration of an ascent: the edges and the stored triplets that it goes through. */
export function iterationWork({ edges, triplets }: Graph): number {
  return edges + (triplets.kind === "csr" ? triplets.count : 0);
}

/** Work that may have no effect after an ascent of some iterations. */
export function workOfAscent(graph: Graph, iterations: number): number {
  return Math.max(LEAST_WORK, iterations * iterationWork(graph));
}

/**
 * How long cuts, linear programs and searches for better tracks go on without effect: as long as the ascent took before them. They have an effect whenever
 * they have closed a tenth of the gap since the last time. Work is counted and not timed, so that a run prints the same on a slow machine and on a fast one.
 */
export class Patience {
  /** Work since the last effect. */
  #spent = 0;
  #lowerBound = Number.NEGATIVE_INFINITY;
  #upperBound = Number.POSITIVE_INFINITY;
  /** The gap at the last effect. */
  #gap = Number.POSITIVE_INFINITY;

  /**
   * @param granted work that may have no effect, in edges and triplets gone through
   * @param told of all work [nobody]
   */
  constructor(
    private readonly granted: number,
    private readonly told: (work: number) => void = () => {},
  ) {}

  /** Counts work. */
  took(work: number): void {
    this.#spent += work;
    this.told(work);
  }

  /** Notes bounds. */
  saw(lowerBound: number, upperBound: number): void {
    this.#lowerBound = Math.max(this.#lowerBound, lowerBound);
    this.#upperBound = Math.min(this.#upperBound, upperBound);
    const gap = this.#upperBound - this.#lowerBound;
    if (gap <= (1 - EFFECT) * this.#gap) [this.#gap, this.#spent] = [gap, 0];
  }

  /** Whether a share of the work was without effect. */
  isOver(share = 1): boolean {
    return this.#spent >= share * this.granted;
  }

  /** Linear programs whose work counts; a solve ends where the work is over. */
  counting(open: OpenLinearProgram): OpenLinearProgram {
    return (data) => {
      const program = open(data);
      const each = SIMPLEX_WORK * (data.right.length + data.index.length);
      return {
        ...program,
        solve: (limits) => {
          const left = Math.max(1, Math.ceil((this.granted - this.#spent) / each));
          const solution = program.solve(
            left < MOST_PIVOTS * data.right.length ? { iterations: left, ...limits } : limits,
          );
          this.took(each * solution.iterations);
          return solution;
        },
      };
    };
  }
}

/** The options with bounds and work told to the patience, which ends it at a share of the work. */
export function withPatience<Options extends Pick<ExactOptions, "progress" | "interrupted" | "worked">>(
  options: Options,
  patience: Patience | null,
  share: number,
): Options {
  if (patience === null) return options;
  return {
    ...options,
    interrupted: () => options.interrupted?.() === true || patience.isOver(share),
    worked: (work) => patience.took(work),
    progress: (progress) => {
      patience.saw(progress.lowerBound, progress.upperBound);
      options.progress?.(progress);
    },
  };
}
