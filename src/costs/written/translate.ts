import { ifInstalled, missing } from "../../core/optional-package.js";
import { tripletFunction, type WrittenRule } from "../../map/instance/triplet-rules.js";
import { f32 } from "../formula/expression.js";
import { messageOf } from "../message.js";
import type { ParameterValues } from "../parameters.js";
import { Functions } from "./functions.js";
import { ModuleText, NotTranslated } from "./module-text.js";

/** A user's `triplet` as texts that need nothing of the user's file: for V8 as it was written, and for a device as WGSL. */
export interface TripletTexts {
  /** The numbers of links that it reads, in the order in which they are kept. */
  readonly fields: readonly string[];
  /** Declares `triplet` and what it calls, by the names of the file. */
  readonly js: string;
  readonly name: string;
  /** Declares `fn tripletCost`; it reads timeStep and parameter0, parameter1, …. */
  readonly wgsl: string;
}

/**
 * Translates the function that a module exports as `triplet`.
 * @returns the reason where it cannot be translated
 */
export async function translateTriplet(text: string): Promise<TripletTexts | string> {
  const acorn = await ifInstalled(["acorn"], () => import("acorn"));
  if (acorn === null) return missing("computing them", ["acorn"]);
  try {
    return translated(new ModuleText(text, acorn.parse(text, { ecmaVersion: "latest", sourceType: "module" })));
  } catch (error) {
    if (error instanceof NotTranslated || error instanceof SyntaxError) return messageOf(error);
    throw error;
  }
}

function translated(module: ModuleText): TripletTexts {
  const found = module.exportedFunction("triplet");
  if (found === null) throw new NotTranslated("the file does not declare the function triplet itself");
  const parameters = module.has("parameters") ? module.constant("parameters") : {};
  const functions = new Functions(module, Object.keys(parameters ?? {}));
  const links = ["e", "f"].map((text) => ({ kind: "link", text }) as const);
  const { kind, text } = functions.call(found.name, found.node, [...links, { kind: "parameters" }]);
  if (kind !== "number") throw new NotTranslated("triplet returns true or false");
  const { fields, constants } = functions.expressions;
  if (fields.length === 0) throw new NotTranslated("triplet reads no number of a link");
  const constantTexts = Array.from(constants, ([name, value]) => `const ${name} = ${literal(name, value)};`);
  const functionTexts = Array.from(functions.called, ([name, node]) => module.declarationOf(name, node));
  return {
    fields,
    js: [...constantTexts, ...functionTexts].join("\n"),
    name: found.name,
    wgsl: [...functions.texts, tripletFunction(text)].join("\n"),
  };
}

/** A constant as V8 reads it: numbers, true and false, and lists and objects of these. */
function literal(name: string, value: unknown): string {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(name, item)).join(", ")}]`;
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${literal(name, item)}`);
    return `{ ${entries.join(", ")} }`;
  }
  throw new NotTranslated(`${name} is neither a number nor made of numbers`);
}

/** The rule of a translated triplet with its parameters. */
export function writtenRule(
  file: string,
  { fields, js, name, wgsl }: TripletTexts,
  parameters: ParameterValues,
  timeStep: number,
): WrittenRule {
  const link = (at: string) =>
    `{ ${[...fields.map((field, k) => `${field}: m[${at} + ${k}]`), `dt: ${timeStep}`].join(", ")} }`;
  return {
    name: `cost ${file}`,
    width: fields.length,
    numbers: fields,
    js: [
      `const price = (() => {\n${js}\nreturn ${name};\n})();`,
      `return (m, e, f) => price(${link("e")}, ${link("f")}, ${JSON.stringify(parameters)});`,
    ].join("\n"),
    wgsl: withConstants(wgsl, Object.values(parameters), timeStep),
  };
}

/**
 * A text with what it reads as timeStep and parameter0, parameter1, …. They are variables, since a compiler would refuse what a constant
 * makes infinite, even where that is not reached.
 */
export function withConstants(wgsl: string, parameters: readonly number[], timeStep: number): string {
  const all = [["timeStep", timeStep] as const, ...parameters.map((value, k) => [`parameter${k}`, value] as const)];
  const declared = all.map(([name, value]) => `var<private> ${name}: f32 = ${f32(value)};`);
  return ["#import ../../gpu/wgsl/arithmetic", ...declared, wgsl].join("\n");
}
