import { InputError } from "../core/errors.js";

/** A number that users may set. */
export interface CostParameter {
  readonly default: number;
  /** "1" for a bare number. */
  readonly unit: string;
  /** Its meaning, a phrase for the user. */
  readonly meaning: string;
  /** Least value that is allowed. */
  readonly min?: number;
}

export type CostParameters = Readonly<Record<string, CostParameter>>;
export type ParameterValues = Readonly<Record<string, number>>;

/**
 * All of a cost's parameters, those given and the defaults of the others.
 * @throws InputError for one that the cost does not have, and for a value out of range
 */
export function parameterValues(cost: string, parameters: CostParameters, given: ParameterValues): ParameterValues {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(parameters, name)) {
      throw new InputError(`cost ${cost}: ${JSON.stringify(name)} is no parameter of it; it has ${listed(parameters)}`);
    }
    const { min = Number.NEGATIVE_INFINITY } = parameters[name];
    if (!Number.isFinite(value) || value < min) {
      const range = min === Number.NEGATIVE_INFINITY ? "a finite number" : `a number of ${min} or more`;
      throw new InputError(`cost ${cost}: parameter ${name} is ${value}; give ${range}`);
    }
  }
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { default: usual }]) => [name, given[name] ?? usual]),
  );
}

function listed(parameters: CostParameters): string {
  const each = Object.entries(parameters).map(
    ([name, { default: usual, unit, meaning }]) =>
      `${name} (${meaning}; default ${usual}${unit === "1" ? "" : ` ${unit}`})`,
  );
  return each.length === 0 ? "none" : each.join(", ");
}
