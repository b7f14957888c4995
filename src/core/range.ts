import { InputError } from "./errors.js";

/** The values that a number may take: those from `least` to `most`. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly whole?: true;
  /** Whether `least` itself is out of range, and whether `most` is. */
  readonly above?: true;
  readonly below?: true;
}

/** Lengths beyond this leave no digits for differences. */
export const MAX_LENGTH = 1e15;

export function isIn(value: number, { least, most, whole, above, below }: NumberRange): boolean {
  const isInside = (above ? value > least : value >= least) && (below ? value < most : value <= most);
  return isInside && (!whole || Number.isInteger(value));
}

/** "an integer from 2 to 100", "a number above 0, up to 20". */
export function rangeText({ least, most, whole, above, below }: NumberRange): string {
  const kind = whole ? "an integer" : "a number";
  const end = below ? `, below ${most}` : above ? `, up to ${most}` : ` to ${most}`;
  return `${kind} ${above ? "above" : "from"} ${least}${end}`;
}

/**
 * @param place of the values, for messages
 * @throws InputError for the first value that is out of its range
 */
export function requireInRange<Name extends string>(
  place: string,
  values: Readonly<Record<NoInfer<Name>, number>>,
  ranges: Readonly<Record<Name, NumberRange>>,
): void {
  for (const [name, range] of Object.entries<NumberRange>(ranges)) {
    const value = values[name as Name];
    if (!isIn(value, range)) throw new InputError(`${place}${name} is ${value}; give ${rangeText(range)}`);
  }
}
