/** How far elimination goes. Its proofs are true with any limits. */
export interface EliminationLimits {
  /** Rounds at most. */
  readonly rounds: number;
  /** An instance of more edges than `smallEdges` is crowded when more than this share of them remains; it gets one round. */
  readonly crowdedShare: number;
  readonly smallEdges: number;
}

/**
 * Fixed points are near after a few rounds, and stopping early only proves less. Where nearly all edges remain, the room is too large for
 * rounds to separate anything; in a small instance they take no time.
 */
export const ELIMINATION_LIMITS: EliminationLimits = { rounds: 20, crowdedShare: 0.95, smallEdges: 100_000 };
