/** Formulas as trees of arithmetic and named functions, and the translation of each piece to JavaScript and WGSL. */

export type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "call"; readonly name: string; readonly of: readonly Expression[] };

interface Operation {
  /** How many arguments it takes. */
  readonly arity: number;
  /** Names of the operands are replaced by their texts. */
  js(...of: readonly string[]): string;
  wgsl(...of: readonly string[]): string;
}

const binary = (sign: string): Operation => ({
  arity: 2,
  js: (a, b) => `(${a} ${sign} ${b})`,
  wgsl: (a, b) => `(${a} ${sign} ${b})`,
});
const named = (arity: number, js: string, wgsl: string): Operation => ({
  arity,
  js: (...of) => `${js}(${of.join(", ")})`,
  wgsl: (...of) => `${wgsl}(${of.join(", ")})`,
});

/** Operators by the names that mathjs gives them. */
export const OPERATORS: Readonly<Record<string, Operation>> = {
  add: binary("+"),
  subtract: binary("-"),
  multiply: binary("*"),
  divide: binary("/"),
  pow: named(2, "Math.pow", "power"),
  unaryMinus: { arity: 1, js: (a) => `(-${a})`, wgsl: (a) => `(-${a})` },
  unaryPlus: { arity: 1, js: (a) => a, wgsl: (a) => a },
};

/** The functions that formulas may call. `arc` is the arc length of the clamped cubic: chord, tangent at the start, tangent at the end, x and y each. */
export const FUNCTIONS: Readonly<Record<string, Operation>> = {
  abs: named(1, "Math.abs", "abs"),
  sqrt: named(1, "Math.sqrt", "sqrt"),
  square: { arity: 1, js: (a) => `square(${a})`, wgsl: (a) => `square(${a})` },
  exp: named(1, "Math.exp", "exp"),
  log: named(1, "Math.log", "log"),
  sin: named(1, "Math.sin", "sin"),
  cos: named(1, "Math.cos", "cos"),
  atan2: named(2, "Math.atan2", "atan2"),
  hypot: named(2, "length", "hypot"),
  min: named(2, "Math.min", "min"),
  max: named(2, "Math.max", "max"),
  arc: named(6, "arc", "arc"),
};

export const operation = (name: string): Operation => OPERATORS[name] ?? FUNCTIONS[name];

/** The formula in JavaScript (f64); `nameText` translates a name. */
export function toJs(formula: Expression, nameText: (name: string) => string): string {
  if (formula.kind === "number") return formula.value < 0 ? `(${formula.value})` : String(formula.value);
  if (formula.kind === "name") return nameText(formula.name);
  return operation(formula.name).js(...formula.of.map((one) => toJs(one, nameText)));
}

/** The formula in WGSL (f32). `x_j - x_i` becomes dx, and y likewise: the device holds displacements to more digits than positions. */
export function toWgsl(formula: Expression, nameText: (name: string) => string): string {
  if (formula.kind === "number") return f32(formula.value);
  if (formula.kind === "name") return nameText(formula.name);
  const { name, of } = formula;
  if (name === "pow" && of[1].kind === "number" && of[1].value === 2) return `square(${toWgsl(of[0], nameText)})`;
  if (name === "subtract" && of[0].kind === "name" && of[1].kind === "name") {
    const [a, b] = [of[0].name, of[1].name];
    if (a === "x_j" && b === "x_i") return nameText("dx");
    if (a === "y_j" && b === "y_i") return nameText("dy");
  }
  return operation(name).wgsl(...of.map((one) => toWgsl(one, nameText)));
}

/** A number in WGSL; a number that f32 cannot hold becomes the nearest one that it can. */
export function f32(value: number): string {
  const most = 3.4028234663852886e38;
  const text = String(Math.fround(Math.min(most, Math.max(-most, value))));
  return `f32(${/[.e]/.test(text) ? text : `${text}.0`})`;
}

/** Every name in a formula, each once. */
export function namesIn(formula: Expression): ReadonlySet<string> {
  if (formula.kind === "number") return new Set();
  if (formula.kind === "name") return new Set([formula.name]);
  return new Set(formula.of.flatMap((one) => [...namesIn(one)]));
}
