import type { OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import { loadHighs } from "../../../src/run/highs.js";
import type { Recipe } from "../problems.js";

/** HiGHS, without which these tests would prove nothing. */
export async function openHighs(): Promise<OpenLinearProgram> {
  const highs = await loadHighs();
  if (highs === null) throw new Error("the package highs is not installed");
  return highs.open;
}

/** Problems of which many have a loose relaxation: `count` without births, and as many with births and every way to keep triplets. */
export const looseRecipes = (count: number): Recipe[] => [
  ...Array.from({ length: count }, (_, seed): Recipe => ({ seed, counts: [4, 4, 4, 4], triplets: 0.8 })),
  ...Array.from(
    { length: count },
    (_, seed): Recipe => ({
      seed,
      counts: [3, 4, 3, 3],
      births: true,
      least: -1,
      storage: (["absolute", "square", "csr"] as const)[seed % 3],
    }),
  ),
];
