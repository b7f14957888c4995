import fc from "fast-check";
import type { Recipe } from "./problems.js";

const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const density = fc.constantFrom(1, 0.7, 0.4);

/** Kinds of costs: what they range over, and how coarse they are (1 gives many ties, and [3, 3] all-equal costs). */
const costs = fc.constantFrom(
  { least: 0, most: 1, grid: 2 ** -10 },
  { least: -1, most: 1, grid: 2 ** -10 },
  { least: -3, most: -1, grid: 2 ** -10 },
  { least: 0, most: 2, grid: 1 },
  { least: -1, most: 1, grid: 1 },
  { least: 3, most: 3, grid: 3 },
  { least: 0, most: 0, grid: 1 },
);

const storage = fc.constantFrom("csr", "csr", "absolute", "square", "free");

/** Problems in which every detection is linked in every frame pair, and at least one set of tracks is allowed. */
export const closedRecipe: fc.Arbitrary<Recipe> = fc
  .record({
    seed,
    targets: fc.integer({ min: 1, max: 4 }),
    frames: fc.integer({ min: 2, max: 4 }),
    density,
    costs,
    storage,
  })
  .map(({ seed, targets, frames, density, costs, storage }) => ({
    seed,
    counts: new Array<number>(frames).fill(targets),
    links: Math.sqrt(density),
    triplets: density,
    storage,
    ...costs,
  }));

/** Problems with births and deaths: frames of unequal size, empty ones among them. */
export const openRecipe: fc.Arbitrary<Recipe> = fc
  .record({
    seed,
    counts: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 4 }),
    density,
    costs,
    storage,
  })
  .map(({ seed, counts, density, costs, storage }) => ({
    seed,
    counts,
    links: density,
    triplets: density,
    births: true,
    storage,
    ...costs,
  }));

export const anyRecipe: fc.Arbitrary<Recipe> = fc.oneof(closedRecipe, openRecipe);
