import { f32 } from "../formula/expression.js";

/** What of Math is translated, and how; WGSL lacks those of arithmetic.wgsl. */

const same = (name: string) => (x: string) => `${name}(${x})`;

const TWO = f32(2);

/** A square keeps more digits than a power. */
export function power(x: string, y: string): string {
  return y === TWO ? `square(${x})` : `power(${x}, ${y})`;
}

/** Functions of one number, and of two. */
const FIXED: Readonly<Record<string, (...x: readonly string[]) => string>> = {
  ...Object.fromEntries(
    ["abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "exp", "floor", "log", "log2", "sign", "sin", "sinh"].map(
      (name) => [name, same(name)],
    ),
  ),
  ...Object.fromEntries(["sqrt", "tan", "tanh", "trunc", "acosh", "asinh", "atanh"].map((name) => [name, same(name)])),
  atan2: (y, x) => `angle(${y}, ${x})`,
  pow: power,
  cbrt: (x) => `(sign(${x}) * pow(abs(${x}), 1.0 / 3.0))`,
  expm1: same("expm1"),
  fround: (x) => x,
  log10: (x) => `(log(${x}) / ${Math.LN10})`,
  log1p: same("log1p"),
  round: (x) => `floor(${x} + 0.5)`,
};

const nested = (name: string) => (items: readonly string[]) => items.reduce((a, b) => `${name}(${a}, ${b})`);

/** Functions of any number of numbers, one at least. */
const VARIADIC: Readonly<Record<string, (items: readonly string[]) => string>> = {
  max: nested("max"),
  min: nested("min"),
  hypot: (items) => (items.length === 1 ? `abs(${items[0]})` : nested("hypot")(items)),
};

/** The call of a function of Math in WGSL; null where it is not translated, or not with so many arguments. */
export function mathCall(name: string, items: readonly string[]): string | null {
  if (Object.hasOwn(VARIADIC, name) && items.length > 0) return VARIADIC[name](items);
  if (!Object.hasOwn(FIXED, name)) return null;
  return items.length === Math.max(1, FIXED[name].length) ? FIXED[name](...items) : null;
}

/** Every function that may be called, for messages. */
export const MATH_FUNCTIONS: readonly string[] = [...Object.keys(FIXED), ...Object.keys(VARIADIC)].sort();
