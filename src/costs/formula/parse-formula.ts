import { InputError } from "../../core/errors.js";
import { needed } from "../../core/optional-package.js";
import { type Expression, FUNCTIONS, OPERATORS } from "./expression.js";

/** The fields of mathjs's nodes that are read here. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly op?: string;
  readonly fn?: string | { readonly type: string; readonly name?: string };
  readonly args?: readonly Node[];
  readonly content?: Node;
}

/** The text of a formula and its place, for messages. */
export interface FormulaText {
  readonly place: string;
  readonly text: string;
}

/** Longest formula, in characters. */
const LONGEST = 4000;
/** Deepest nesting of operations: functions that walk a formula call themselves as often. */
const DEEPEST = 200;
/** Most numbers, names and operations of a formula once the names of other formulas are replaced, which may double it each time. */
const MOST_PARTS = 10_000;

/** Loads mathjs, which takes a second or more, so it is called only where there is a formula. */
export async function loadParser(): Promise<(formula: FormulaText) => Expression> {
  const { parse } = await needed("a formula in a cost", ["mathjs"], () => import("mathjs/number"));
  return (formula) => {
    if (formula.text.length > LONGEST) refuseAt(formula, LONGEST, `is longer than ${LONGEST} characters`);
    let node: Node;
    try {
      node = parse(formula.text) as unknown as Node;
    } catch (error) {
      if (error instanceof RangeError) return refuseDeep(formula);
      const { message, char } = error as Error & { char?: number };
      return refuseAt(formula, (char ?? 1) - 1, lower(message.replace(/ \(char \d+\)$/, "")));
    }
    return expressionOf(node, formula);
  };
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Throws an InputError that shows the formula from a few characters before `at` (from 0) on and names the column. */
export function refuseAt({ place, text }: FormulaText, at: number, problem: string): never {
  const from = Math.max(0, at - 20);
  const shown = `${from > 0 ? "…" : ""}${text.slice(from, at)}⟨here⟩${text.slice(at, at + 20)}${at + 20 < text.length ? "…" : ""}`;
  throw new InputError(
    `${place}, column ${at + 1}: ${problem}: ${shown}; docs/how-to/own-costs.md says what formulas may hold`,
  );
}

/** The position at which a name or sign first occurs in a formula; only whole names are found. */
export function positionOf({ text }: FormulaText, what: string): number {
  const whole = /^\w+$/.test(what) ? new RegExp(`(?<!\\w)${what}(?!\\w)`) : null;
  return Math.max(0, whole === null ? text.indexOf(what) : text.search(whole));
}

function refuseDeep(formula: FormulaText): never {
  refuseAt(formula, 0, `is nested more than ${DEEPEST} deep`);
}

const sizes = new WeakMap<Expression, { readonly parts: number; readonly depth: number }>();

/** Refuses a formula that is too large or too deep once its names are replaced; parts that are the same object are looked at once. */
export function refuseLarge(expression: Expression, formula: FormulaText): void {
  const sizeOf = (one: Expression): { parts: number; depth: number } => {
    const known = sizes.get(one);
    if (known !== undefined) return known;
    const inner = one.kind === "call" ? one.of.map(sizeOf) : [];
    const size = {
      parts: inner.reduce((sum, { parts }) => sum + parts, 1),
      depth: inner.reduce((most, { depth }) => Math.max(most, depth), 0) + 1,
    };
    sizes.set(one, size);
    return size;
  };
  const { parts, depth } = sizeOf(expression);
  if (depth > DEEPEST) refuseDeep(formula);
  if (parts > MOST_PARTS) {
    refuseAt(
      formula,
      0,
      `has ${parts} parts once its names are replaced by what they stand for, more than ${MOST_PARTS}`,
    );
  }
}

function expressionOf(node: Node, formula: FormulaText, depth = 1): Expression {
  if (depth > DEEPEST) refuseDeep(formula);
  if (node.type === "ParenthesisNode" && node.content) return expressionOf(node.content, formula, depth + 1);
  if (node.type === "ConstantNode" && typeof node.value === "number") return { kind: "number", value: node.value };
  if (node.type === "SymbolNode" && node.name !== undefined) return { kind: "name", name: node.name };
  const args = node.args ?? [];
  if (node.type === "OperatorNode" && typeof node.fn === "string") {
    if (!Object.hasOwn(OPERATORS, node.fn)) {
      refuseAt(formula, positionOf(formula, node.op ?? ""), `${node.op} is not arithmetic`);
    }
    return { kind: "call", name: node.fn, of: args.map((one) => expressionOf(one, formula, depth + 1)) };
  }
  if (node.type === "FunctionNode") {
    // Of a.b(…), mathjs names b alone.
    const name = typeof node.fn === "object" && node.fn.type === "SymbolNode" ? (node.fn.name ?? "") : "of that name";
    if (!Object.hasOwn(FUNCTIONS, name)) {
      const known = Object.keys(FUNCTIONS).join(", ");
      refuseAt(formula, positionOf(formula, name), `there is no function ${name}, only ${known}`);
    }
    const { arity } = FUNCTIONS[name];
    if (args.length !== arity) {
      refuseAt(formula, positionOf(formula, name), `${name} takes ${arity} and is given ${args.length}`);
    }
    return { kind: "call", name, of: args.map((one) => expressionOf(one, formula, depth + 1)) };
  }
  return refuseAt(formula, 0, "is not made of numbers, names, + - * / ^, parentheses and functions");
}
