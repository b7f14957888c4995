import { z } from "zod";
import { readJson } from "../files/json-file.js";
import { CANDIDATE_TERMS } from "./link-candidates.js";

/** Files that were written before there were the camera's three terms lack their weights, and those of before the two ratios these as well. */
const BEFORE_CAMERA = CANDIDATE_TERMS.length - 3;
const BEFORE_RATIOS = BEFORE_CAMERA - 2;
const LENGTHS: readonly number[] = [CANDIDATE_TERMS.length, BEFORE_CAMERA, BEFORE_RATIOS];

/** Weights of the terms of a link's log odds, as `rmap fit-links` writes them. */
const schema = z.looseObject({
  weights: z
    .array(z.number())
    .refine(
      ({ length }) => LENGTHS.includes(length),
      `give ${CANDIDATE_TERMS.length} weights, as rmap fit-links writes them, or the first ${BEFORE_CAMERA} or ${BEFORE_RATIOS}`,
    ),
});

/** As many as there are terms; those that the file lacks are 0. */
export function readWeights(file: string): readonly number[] {
  const { weights } = readJson(file, schema);
  return CANDIDATE_TERMS.map((_, k) => weights[k] ?? 0);
}
