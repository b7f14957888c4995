import type { FormulaCost } from "./formula/compile.js";
import type { CostName } from "./models/cost-models.js";
import type { ParameterValues } from "./parameters.js";

/** A cost as a user chooses it, in plain JSON, as scenarios and results hold it. */
export type CostChoice = CostName | NamedCost | FileCost | FormulaCost;

/** One of the built-in costs with some of its parameters set. */
export interface NamedCost {
  readonly name: CostName;
  readonly parameters: ParameterValues;
}

/** A user's file that exports a CostModel. */
export interface FileCost {
  readonly file: string;
  /** SHA-256 digest of the file that was used. */
  readonly sha256: string;
  readonly parameters?: ParameterValues;
}

/** The parameters that a choice sets. */
export function parametersOf(choice: CostChoice): ParameterValues {
  return typeof choice === "string" ? {} : (choice.parameters ?? {});
}

/** A choice with more parameters set. */
export function withParameters(
  choice: CostChoice,
  parameters: Readonly<Record<string, number | undefined>>,
): CostChoice {
  const stated = Object.entries(parameters).filter((one): one is [string, number] => one[1] !== undefined);
  const all = { ...parametersOf(choice), ...Object.fromEntries(stated) };
  if (Object.keys(all).length === 0) return choice;
  return typeof choice === "string" ? { name: choice, parameters: all } : { ...choice, parameters: all };
}
