import { z } from "zod";
import { readJson } from "../files/json-file.js";

/** Weights of the terms of a link's log odds, as `rmap fit-links` writes them. */
const schema = z.looseObject({ weights: z.array(z.number()).length(10) });

export function readWeights(file: string): readonly number[] {
  return readJson(file, schema).weights;
}
