import { randomStreams } from "../../src/core/random.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { randomProblem } from "../../test/map/problems.js";

/**
 * Small problems of every scale: links, triplets, births and deaths of 10⁻¹² … 10³⁰, each on its own or all on one, of one sign or both,
 * on coarse grids or with every digit used, some entries far dearer than the rest, births and deaths that cancel.
 */
export function problemOfAnyScale(seed: number): PricedProblem {
  const random = randomStreams(seed).next().value;
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random.uniform(0, values.length))];
  const scale = (): number => 10 ** random.uniform(-12, 30);
  const births = random.uniform(0, 1) < 0.6;
  const frames = pick(2, 3, 3, 4);
  const targets = pick(1, 2, 3, 3);
  const counts = Array.from({ length: frames }, () => (births ? pick(0, 1, 2, 3) : targets));
  const [least, most, grid] = pick([0, 1, 2 ** -40], [-1, 1, 2 ** -40], [-1, 1, 1], [0, 2, 1], [-3, -1, 2 ** -40]);
  const storage = pick("csr", "csr", "csr", "absolute", "square", "free");
  const problem = randomProblem({
    seed,
    counts,
    links: pick(1, 1, 0.7, 0.5),
    triplets: pick(1, 0.7, 0.4),
    least,
    most,
    grid,
    births,
    storage,
    planted: !births && random.uniform(0, 1) < 0.7,
  });

  const one = scale();
  const own = random.uniform(0, 1) < 0.5;
  const rescaled = (values: Float64Array, by: number) => {
    const rare = random.uniform(0, 1) < 0.2 ? scale() : null;
    return values.map((value) => (rare !== null && random.uniform(0, 1) < 0.2 ? rare : value * by));
  };
  const { links, triplets, birthDeath } = problem;
  const ofLinks = own ? scale() : one;
  const ofTriplets = own ? scale() : one;
  const ofEnds = random.uniform(0, 1) < 0.6 ? scale() : one;
  const kind = pick("each", "each", "uniform", "uniform", "cancel");
  const ends = (values: Float64Array, sign: number): Float64Array => {
    if (kind === "each") return rescaled(values, ofEnds);
    return values.map(() => (kind === "cancel" ? sign * ofEnds : ofEnds));
  };
  return {
    links: { ...links, cost: rescaled(links.cost, ofLinks) },
    triplets:
      triplets === null
        ? null
        : triplets.kind === "csr"
          ? { ...triplets, cost: rescaled(triplets.cost, ofTriplets) }
          : { ...triplets, perLink: rescaled(triplets.perLink, Math.sqrt(ofTriplets)) },
    birthDeath: birthDeath && { birth: ends(birthDeath.birth, 1), death: ends(birthDeath.death, -1) },
  };
}
