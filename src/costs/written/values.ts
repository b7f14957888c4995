import { f32 } from "../formula/expression.js";
import { type FunctionNode, NotTranslated } from "./module-text.js";

/** What an expression of JavaScript is while it is translated. */
export type Value =
  /** Computed by WGSL. */
  | { readonly kind: "number" | "boolean"; readonly text: string }
  /** The numbers of a link. */
  | { readonly kind: "link"; readonly text: string }
  | { readonly kind: "parameters" }
  /** Known while it is translated. */
  | { readonly kind: "constant"; readonly value: unknown }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "function"; readonly name: string; readonly node: FunctionNode };

export type Computed = Value & { kind: "number" | "boolean" };

export const numberOf = (text: string): Computed => ({ kind: "number", text });
export const booleanOf = (text: string): Computed => ({ kind: "boolean", text });

/** A number or a boolean as WGSL. */
export function computed(value: Value): Computed {
  if (value.kind === "number" || value.kind === "boolean") return value;
  if (value.kind === "constant" && typeof value.value === "boolean") return booleanOf(String(value.value));
  if (value.kind === "constant" && typeof value.value === "number") {
    if (Number.isNaN(value.value)) throw new NotTranslated("NaN is no number");
    return numberOf(f32(value.value));
  }
  throw new NotTranslated("it is neither a number nor true or false");
}

/** JavaScript takes true for 1 and false for 0. */
export function toNumber(value: Value): string {
  const { kind, text } = computed(value);
  return kind === "number" ? text : `select(0.0, 1.0, ${text})`;
}

/** JavaScript takes every number but 0 for true. */
export function toBoolean(value: Value): string {
  const { kind, text } = computed(value);
  return kind === "boolean" ? text : `(${text} != 0.0)`;
}

/** The items of a list, known or computed. */
export function itemsOf(value: Value): readonly Value[] | null {
  if (value.kind === "list") return value.items;
  return value.kind === "constant" && Array.isArray(value.value)
    ? value.value.map((item) => ({ kind: "constant", value: item }) as const)
    : null;
}
