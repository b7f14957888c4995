/** Arrays that a program gives, checked entry by entry. */
import { isIn, type NumberRange, rangeText } from "../../core/range.js";
import { refuse } from "../../files/refusal.js";

/** An array or a typed array of numbers. */
export type Numbers = ArrayLike<number>;

/**
 * A copy of `values`, each in its range.
 * @param place of the array, for messages
 * @param holes whether NaN stands for a number that is not there
 */
export function numbersIn(place: string, values: unknown, range: NumberRange, holes = false): Float64Array {
  if (!Array.isArray(values) && !(ArrayBuffer.isView(values) && "length" in values)) {
    const given = values === undefined ? "missing" : values === null ? "null" : `of the type ${typeof values}`;
    refuse(place, `is ${given}`, "give an array or a typed array of numbers");
  }
  const numbers = new Float64Array((values as Numbers).length);
  for (let k = 0; k < numbers.length; k++) {
    const value: unknown = (values as ArrayLike<unknown>)[k];
    if (typeof value !== "number" || !(isIn(value, range) || (holes && Number.isNaN(value)))) {
      const text = typeof value === "string" ? JSON.stringify(value) : String(value);
      refuse(`${place}[${k}]`, `is ${text}`, `give ${wanted(range)}${holes ? ", or NaN where there is none" : ""}`);
    }
    numbers[k] = value;
  }
  return numbers;
}

function wanted(range: NumberRange): string {
  const { least, most } = range;
  return least === -most ? `a finite number below ${most.toExponential().replace("+", "")} in size` : rangeText(range);
}

/** @throws InputError unless all columns are as long as the first */
export function requireOneLength(place: string, columns: Readonly<Record<string, Numbers | null | undefined>>): void {
  const [[first, { length }], ...others] = Object.entries(columns).filter(
    (column): column is [string, Numbers] => column[1] != null,
  );
  for (const [name, values] of others) {
    if (values.length === length) continue;
    const counts = `has ${values.length} numbers, but ${first} has ${length}`;
    refuse(`${place}, ${name}`, counts, "give one number for each in every array");
  }
}
