import { InputError } from "../../core/errors.js";
import { type TripletRuleName, tripletFunction } from "../../map/instance/triplet-rules.js";
import type { LinkFormulas } from "../cost.js";
import type { CostParameters } from "../parameters.js";
import { type Expression, namesIn, toJs, toWgsl } from "./expression.js";
import { type FormulaText, loadParser, positionOf, refuseAt, refuseLarge } from "./parse-formula.js";

/** A cost as formulas, as a scenario states it. */
export interface FormulaCost {
  /** C of a link from i to j. */
  readonly pair: string;
  /** D of two links, ij and jk, of numbers that are kept per link. */
  readonly triplet: string;
  /** Numbers kept per link, by name; dx and dy need not be stated. */
  readonly numbers?: Readonly<Record<string, string>> | undefined;
  readonly parameters?: Readonly<Record<string, number>> | undefined;
}

/** Formulas as texts that either device computes; plain data, so that worker threads need no parser. */
export interface FormulaSource {
  readonly width: number;
  readonly rule: TripletRuleName | null;
  /** Another triplet formula as a function of the numbers of two links; null where it names `arc`. */
  readonly triplet: { readonly numbers: readonly string[]; readonly js: string; readonly wgsl: string } | null;
  readonly attributes: readonly string[];
  readonly parameters: CostParameters;
  /** Body of a function of (detections, p, square, length, arc) that returns a BoundCost. */
  readonly js: string;
  readonly wgsl: LinkFormulas;
}

/** Numbers of a detection that formulas name with _i and _j. */
const MEASURED = ["x", "y", "vx", "vy"];
const NAME = /^[a-z][a-z0-9_]*$/i;
const RESERVED = new Set(["dx", "dy", "dt"]);

/** The formulas of a cost, parsed, with the names in them. */
interface Parsed {
  readonly parameters: readonly string[];
  /** Further numbers of detections that the formulas name. */
  readonly attributes: readonly string[];
  readonly pair: Expression;
  readonly triplet: Expression;
  /** The numbers that the triplet formula names, by which they are kept per link. */
  readonly kept: readonly string[];
  readonly numbers: readonly Expression[];
}

/**
 * Parses a cost's formulas and writes them out in JavaScript and in WGSL.
 * @param place where they are stated, for messages
 * @throws InputError that names the formula, the column and the fault
 */
export async function compileFormulas(cost: FormulaCost, place: string): Promise<FormulaSource> {
  const parsed = parseCost(cost, place, await loadParser());
  const { parameters, attributes, pair, triplet, kept, numbers } = parsed;
  const [js, wgsl] = [jsNames(parsed), wgslNames(parsed)];
  const rule = ruleOf(triplet);
  const parameter = (name: string) => ({
    default: cost.parameters?.[name] ?? 0,
    unit: "1",
    meaning: "of the formulas",
  });
  return {
    width: numbers.length,
    rule,
    triplet:
      rule !== null || namesArc(triplet)
        ? null
        : {
            numbers: kept,
            js: toJs(triplet, js),
            wgsl: tripletFunction(toWgsl(triplet, wgslOfTriplet(parsed))),
          },
    attributes,
    parameters: Object.fromEntries(parameters.map((name) => [name, parameter(name)])),
    js: [
      "const { x, y, vx, vy, timeStep: dt } = detections;",
      ...attributes.map((name, k) => `const a${k} = detections.attributes.get(${JSON.stringify(name)});`),
      "return { link(i, j, perLink, at) { const dx = x[j] - x[i]; const dy = y[j] - y[i];",
      ...numbers.map((number, k) => `perLink[at + ${k}] = ${toJs(number, js)};`),
      `return ${toJs(pair, js)}; }, triplet(m, e, f) { return ${toJs(triplet, js)}; } };`,
    ].join("\n"),
    wgsl: { pair: toWgsl(pair, wgsl), numbers: numbers.map((number) => toWgsl(number, wgsl)) },
  };
}

function parseCost(cost: FormulaCost, place: string, parse: (formula: FormulaText) => Expression): Parsed {
  const parameters = Object.keys(cost.parameters ?? {});
  const known = new Map<string, Expression>();
  const attributes: string[] = [];
  const requireName = (name: string, where: string) => {
    if (NAME.test(name) && !RESERVED.has(name) && !known.has(name) && !/_(i|j|k|ij|jk)$/.test(name)) return;
    throw new InputError(
      `${where}: ${JSON.stringify(name)} is taken or no name; use letters, digits and _ that do not end in _i or _j`,
    );
  };
  for (const name of parameters) requireName(name, `${place}.parameters`);

  /** A formula about one link, with the numbers that it names substituted. */
  const ofLink = (formula: FormulaText): Expression => {
    const put = (part: Expression): Expression => {
      if (part.kind === "number") return part;
      if (part.kind === "call") return { ...part, of: part.of.map(put) };
      const { name } = part;
      const number = known.get(name);
      if (number !== undefined) return number;
      if (RESERVED.has(name) || parameters.includes(name)) return part;
      const measured = /^([a-z][a-z0-9_]*)_[ij]$/.exec(name)?.[1];
      if (measured === undefined) {
        refuseAt(formula, positionOf(formula, name), `${name} is neither a parameter, a number nor of i or j`);
      }
      if (!MEASURED.includes(measured) && !attributes.includes(measured)) attributes.push(measured);
      return part;
    };
    const whole = put(parse(formula));
    refuseLarge(whole, formula);
    return whole;
  };
  for (const [name, text] of Object.entries(cost.numbers ?? {})) {
    requireName(name, `${place}.numbers`);
    if (parameters.includes(name)) throw new InputError(`${place}.numbers: ${name} is a parameter too; rename one`);
    known.set(name, ofLink({ place: `${place}.numbers.${name}`, text }));
  }
  const pair = ofLink({ place: `${place}.pair`, text: cost.pair });
  known.set("dx", { kind: "name", name: "dx" });
  known.set("dy", { kind: "name", name: "dy" });
  const tripletText = { place: `${place}.triplet`, text: cost.triplet };
  const triplet = parse(tripletText);
  const kept = keptNumbers(triplet, tripletText, parameters, known);
  const numbers = kept.map((name) => known.get(name) as Expression);
  if (numbers.length === 0) numbers.push({ kind: "number", value: 0 });
  return { parameters, attributes, pair, triplet, kept, numbers };
}

/** The numbers of links that a triplet formula names. */
function keptNumbers(
  triplet: Expression,
  text: FormulaText,
  parameters: readonly string[],
  known: ReadonlyMap<string, Expression>,
): string[] {
  const kept: string[] = [];
  for (const name of namesIn(triplet)) {
    if (name === "dt" || parameters.includes(name)) continue;
    const number = /^(.+)_(ij|jk)$/.exec(name)?.[1];
    if (number === undefined || !known.has(number)) {
      refuseAt(text, positionOf(text, name), `${name} is neither a parameter nor a number of ij or jk`);
    }
    if (!kept.includes(number)) kept.push(number);
  }
  return kept;
}

/** Names of a formula as JavaScript writes them. */
function jsNames({ parameters, kept, attributes }: Parsed): (name: string) => string {
  return (name) => {
    if (RESERVED.has(name)) return name;
    if (parameters.includes(name)) return `p[${parameters.indexOf(name)}]`;
    const [, of, end] = /^(.+)_(i|j|ij|jk)$/.exec(name) as RegExpExecArray;
    if (end === "ij") return `m[e + ${kept.indexOf(of)}]`;
    if (end === "jk") return `m[f + ${kept.indexOf(of)}]`;
    return MEASURED.includes(of) ? `${of}[${end}]` : `a${attributes.indexOf(of)}[${end}]`;
  };
}

/** Names of a formula about one link as WGSL writes them. */
function wgslNames({ parameters, attributes }: Parsed): (name: string) => string {
  return (name) => {
    if (RESERVED.has(name)) return `link.${name}`;
    if (parameters.includes(name)) return `parameters[${parameters.indexOf(name)}]`;
    const [, of, end] = /^(.+)_([ij])$/.exec(name) as RegExpExecArray;
    return MEASURED.includes(of) ? `link.${of}_${end}` : `attributeOf(${attributes.indexOf(of)}u, link.${end})`;
  };
}

/** Names of a triplet formula as WGSL writes them, of links e and f. */
function wgslOfTriplet({ parameters, kept }: Parsed): (name: string) => string {
  return (name) => {
    if (name === "dt") return "timeStep";
    if (parameters.includes(name)) return `parameter${parameters.indexOf(name)}`;
    const [, of, ends] = /^(.+)_(ij|jk)$/.exec(name) as RegExpExecArray;
    return `${ends === "ij" ? "e" : "f"}[${kept.indexOf(of)}]`;
  };
}

/** Whether a formula needs the nodes of the arc's rule, which kernels of triplets do not bind. */
function namesArc(formula: Expression): boolean {
  return formula.kind === "call" && (formula.name === "arc" || formula.of.some(namesArc));
}

/** The rule that a triplet formula equals, with its numbers in the order of the formula; null where it equals none. */
function ruleOf(triplet: Expression): TripletRuleName | null {
  if (triplet.kind !== "call") return null;
  if (triplet.name === "abs") return differenceOf(triplet.of[0]) === null ? null : "absolute";
  if (triplet.name !== "add") return null;
  const [a, b] = triplet.of.map((term) => {
    if (term.kind !== "call") return null;
    const squared = term.name === "pow" && term.of[1].kind === "number" && term.of[1].value === 2;
    return squared || term.name === "square" ? differenceOf(term.of[0]) : null;
  });
  return a !== null && b !== null && a !== b ? "square" : null;
}

/** The number whose values of ij and jk a formula takes the difference of, in either order. */
function differenceOf(formula: Expression): string | null {
  if (formula.kind !== "call" || formula.name !== "subtract") return null;
  const [a, b] = formula.of.map((one) => (one.kind === "name" ? /^(.+)_(ij|jk)$/.exec(one.name) : null));
  if (a === null || b === null) return null;
  return a[1] === b[1] && a[2] !== b[2] ? a[1] : null;
}
