/** The bound that prices prove for a matching, however either was found. */

/** The problem as AuctionProblem has it. */
interface Worth {
  readonly persons: number;
  readonly objects: number;
  readonly rowStart: Uint32Array;
  readonly object: Uint32Array;
  readonly utility: Float64Array;
}

export interface AuctionCertificate {
  /** Every pair is a candidate, and no object is in two. */
  readonly legal: boolean;
  /** Utility of the matching; −Infinity where it is not legal. */
  readonly utility: number;
  /** No matching has a greater utility, rounding included. */
  readonly bound: number;
  /** bound − utility. */
  readonly gap: number;
}

/**
 * Σ_i max(0, max_j(a_ij − p_j)) + Σ_j p_j bounds the utility of every matching from above, for any prices p ≥ 0: each pair is worth what its person
 * gains at these prices and its object costs (LP duality). Prices below 0 are taken as 0.
 */
export function certifyAuction(problem: Worth, objectOfPerson: Int32Array, price: Float64Array): AuctionCertificate {
  const { persons, objects, rowStart, object, utility } = problem;
  const taken = new Uint8Array(objects);
  const priceOf = (j: number) => (price[j] > 0 ? price[j] : 0);
  let legal = true;
  let total = 0;
  let sum = 0;
  let magnitude = 0;
  for (let i = 0; i < persons; i++) {
    let gain = 0;
    let worth = -1;
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const j = object[k];
      const net = utility[k] - priceOf(j);
      if (net > gain) gain = net;
      magnitude += Math.abs(utility[k]) + priceOf(j);
      if (j === objectOfPerson[i]) worth = utility[k];
    }
    sum += gain;
    const j = objectOfPerson[i];
    if (j < 0) continue;
    if (worth < 0 || j >= objects || taken[j]) legal = false;
    else taken[j] = 1;
    total += worth;
  }
  for (let j = 0; j < objects; j++) {
    sum += priceOf(j);
    magnitude += priceOf(j);
  }
  // Every difference and partial sum is off by 2⁻⁵³ of itself, of which there are fewer than these.
  const bound = sum + 2 ** -52 * (persons + objects) * Math.abs(sum) + 2 ** -52 * magnitude;
  const found = legal ? total : -Infinity;
  return { legal, utility: found, bound, gap: bound - found };
}
