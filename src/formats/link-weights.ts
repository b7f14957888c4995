import { z } from "zod";
import { readJson } from "../files/json-file.js";
import { CANDIDATE_TERMS } from "./link-candidates.js";

/** Files that were written before there were the two ratios lack their weights. */
const WITHOUT_RATIOS = CANDIDATE_TERMS.length - 2;

/** Weights of the terms of a link's log odds, as `rmap fit-links` writes them. */
const schema = z.looseObject({
  weights: z
    .array(z.number())
    .refine(
      ({ length }) => length === CANDIDATE_TERMS.length || length === WITHOUT_RATIOS,
      `give ${CANDIDATE_TERMS.length} weights, as rmap fit-links writes them, or the first ${WITHOUT_RATIOS}`,
    ),
});

/** As many as there are terms; those that the file lacks are 0. */
export function readWeights(file: string): readonly number[] {
  const { weights } = readJson(file, schema);
  return CANDIDATE_TERMS.map((_, k) => weights[k] ?? 0);
}
