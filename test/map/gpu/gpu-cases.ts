import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { tripletFunction, type WrittenRule } from "../../../src/map/instance/triplet-rules.js";
import { type Recipe, randomProblem } from "../problems.js";

/** All costs times a factor. */
function scaled(problem: PricedProblem, factor: number): PricedProblem {
  const { links, triplets, birthDeath } = problem;
  const times = (values: Float64Array, by = factor) => values.map((value) => by * value);
  const perLink = (rule: "absolute" | "square") => (rule === "square" ? Math.sqrt(factor) : factor);
  return {
    links: { ...links, cost: times(links.cost) },
    triplets:
      triplets?.kind === "implicit"
        ? { ...triplets, perLink: times(triplets.perLink, perLink(triplets.rule as "absolute" | "square")) }
        : triplets && { ...triplets, cost: times(triplets.cost) },
    birthDeath: birthDeath && { birth: times(birthDeath.birth), death: times(birthDeath.death) },
  };
}

/** D_ef = |m_e − m_f| + n_e n_f of a third number and a first one, as a user's function would state it: of either sign. */
const three: WrittenRule = {
  name: "cost mine.mjs",
  width: 3,
  numbers: ["x", "y", "n"],
  js: "return (m, e, f) => Math.abs(m[f] - m[e]) + m[e + 1] * m[f + 2];",
  wgsl: tripletFunction("abs(f[0] - e[0]) + e[1] * f[2]"),
};
const two: WrittenRule = {
  ...three,
  width: 2,
  js: "return (m, e, f) => Math.abs(m[f] - m[e]) - m[e + 1];",
  wgsl: tripletFunction("abs(f[0] - e[0]) - e[1]"),
};

/** The same links with the triplets of another rule, of the numbers that they keep and of more of their kind. */
function written({ triplets, ...problem }: PricedProblem, rule: WrittenRule): PricedProblem {
  if (triplets?.kind !== "implicit") throw new Error("triplets without numbers");
  const perLink = Float64Array.from({ length: rule.width * problem.links.tail.length }, (_, n) => {
    return triplets.perLink[n % triplets.perLink.length];
  });
  return { ...problem, triplets: { kind: "implicit", rule, perLink } };
}

const equal = (targets: number, frames: number) => new Array<number>(frames).fill(targets);

/** Costs off every grid, so that nothing ties. */
const fine = { grid: 2 ** -40 };

const recipes: Record<string, Recipe & { factor?: number; rule?: WrittenRule }> = {
  "absolute, closed": { seed: 1, counts: equal(9, 6), storage: "absolute", ...fine },
  "absolute, births, unequal and empty frames": {
    seed: 2,
    counts: [5, 0, 7, 3, 8, 1, 0, 4],
    births: true,
    links: 0.7,
    storage: "absolute",
    ...fine,
  },
  "absolute, frames of 1 to 130": {
    seed: 3,
    counts: [1, 63, 2, 130, 1, 65],
    births: true,
    storage: "absolute",
    ...fine,
  },
  "absolute, two blocks of detections a pair": {
    seed: 19,
    counts: equal(150, 3),
    links: 0.03,
    storage: "absolute",
    ...fine,
  },
  "absolute, one target": { seed: 4, counts: equal(1, 4), storage: "absolute", ...fine },
  "absolute, two frames": { seed: 5, counts: equal(5, 2), storage: "absolute", ...fine },
  "absolute, × 1e6": { seed: 6, counts: equal(7, 5), storage: "absolute", factor: 1e6, ...fine },
  "square, closed, sparse": { seed: 7, counts: equal(9, 6), links: 0.5, storage: "square", ...fine },
  "square, births, × 1e−6": {
    seed: 8,
    counts: [6, 9, 2, 7, 5],
    births: true,
    storage: "square",
    factor: 1e-6,
    ...fine,
  },
  "square, frames of 2 to 130": { seed: 9, counts: [65, 3, 130, 2], births: true, storage: "square", ...fine },
  "written, two numbers": { seed: 26, counts: equal(9, 5), storage: "square", rule: two, ...fine },
  "written, three numbers, frames of 1 to 130": {
    seed: 27,
    counts: [65, 2, 130, 1],
    births: true,
    storage: "square",
    rule: three,
    ...fine,
  },
  "stored, complete": { seed: 10, counts: equal(8, 6), least: -1, ...fine },
  "stored, complete, frames of 1 to 130": { seed: 11, counts: [65, 2, 130, 1], births: true, ...fine },
  "stored, complete, births": { seed: 12, counts: [6, 4, 9, 7, 5], births: true, ...fine },
  "stored, forbidden triplets": { seed: 13, counts: equal(9, 6), links: 0.7, triplets: 0.5, ...fine },
  "stored, forbidden, births, unequal and empty frames": {
    seed: 14,
    counts: [4, 7, 0, 6, 9, 3],
    births: true,
    links: 0.7,
    triplets: 0.4,
    ...fine,
  },
  "stored, forbidden, frames of 1 to 130": {
    seed: 15,
    counts: [1, 65, 2, 130, 1],
    births: true,
    links: 0.6,
    triplets: 0.4,
    ...fine,
  },
  "stored, × 1e−6": { seed: 16, counts: equal(7, 5), triplets: 0.6, factor: 1e-6, ...fine },
  "stored, births, × 1e6": { seed: 17, counts: [5, 8, 3, 6], births: true, triplets: 0.6, factor: 1e6, ...fine },
  "free triplets, births": { seed: 18, counts: [3, 5, 4, 6], births: true, storage: "free", ...fine },
};

/** Storages, births, frame sizes around the workgroup's 64 and 256 threads, and scales. */
export const gpuCases: readonly (readonly [string, PricedProblem])[] = Object.entries(recipes).map(
  ([name, { factor = 1, rule, ...recipe }]) => {
    const problem = scaled(randomProblem(recipe), factor);
    return [name, rule ? written(problem, rule) : problem];
  },
);

/** Costs 0 and 1 only: whatever minimum is asked for, several attain it. */
export const tiedCases: readonly (readonly [string, PricedProblem])[] = (
  [
    { seed: 21, counts: equal(7, 6), storage: "absolute" },
    { seed: 22, counts: [5, 7, 0, 6, 4], births: true, storage: "square" },
    { seed: 23, counts: equal(7, 6), triplets: 0.6 },
    { seed: 24, counts: [5, 7, 6, 4], births: true, triplets: 0.6 },
    { seed: 25, counts: equal(6, 5), least: 1 },
  ] satisfies Recipe[]
).map((recipe) => [`ties, ${recipe.storage ?? "stored"}, seed ${recipe.seed}`, randomProblem({ ...recipe, grid: 1 })]);

/** Cases whose items and detections take several rounds of so few workgroups a dispatch. */
export const stridedCases: readonly (readonly [string, PricedProblem, number])[] = gpuCases
  .filter(([name]) => name.includes("130"))
  .map(([name, problem]) => [`${name}, 2 workgroups a dispatch`, problem, 2]);
