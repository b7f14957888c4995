import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CostChoice, FileCost } from "../costs/choice.js";
import { compileFormulas } from "../costs/formula/compile.js";
import type { ModelSource } from "../costs/model-source.js";
import type { CostName } from "../costs/models/cost-models.js";
import { translateTriplet } from "../costs/written/translate.js";
import { readBytes } from "../files/text-file.js";

/**
 * A user's file as the cost, with the digest that results state.
 * @throws InputError when there is no such file
 */
export function chooseCostFile(file: string): FileCost {
  return { file, sha256: createHash("sha256").update(readBytes(file, limit)).digest("hex") };
}

const limit = { maxBytes: 2 ** 24, remedy: "name a file that exports a cost" };

/** The name of a built-in cost, else null. */
export function costName(choice: CostChoice): CostName | null {
  if (typeof choice === "string") return choice;
  return "name" in choice ? choice.name : null;
}

/** The source from which worker threads load the cost's model; cost motion has none. */
export async function modelSource(choice: CostChoice): Promise<ModelSource | "motion"> {
  if (typeof choice === "string") return choice;
  if ("name" in choice) return choice.name;
  if ("pair" in choice) return await compileFormulas(choice, "cost");
  const triplet = await translateTriplet(readBytes(choice.file, limit).toString("utf8"));
  return { file: choice.file, triplet, url: `${pathToFileURL(resolve(choice.file)).href}?sha256=${choice.sha256}` };
}
