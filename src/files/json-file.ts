import {
  type AnyNode,
  type DocumentNode,
  evaluate,
  type MemberNode,
  parse,
  type ValueNode,
} from "@humanwhocodes/momoa";
import { z } from "zod";
import { nearest } from "./nearest.js";
import { refuse, shown } from "./refusal.js";
import { jsonLimit, plainText, readBytes } from "./text-file.js";

type Issue = z.core.$ZodIssue;
export type JsonPath = readonly PropertyKey[];

/** Deepest nesting of a JSON file; more is a mistake, and the parser is recursive. */
const maxDepth = 64;

/**
 * Reads a JSON file by `schema`. Text that is not JSON, a key given twice and whatever the schema refuses become an InputError
 * naming file, line, JSON path, value and remedy; an unknown key comes with the nearest valid one.
 */
export function readJson<T extends z.ZodType>(file: string, schema: T): z.output<T> {
  return parseJson(file, readBytes(file, jsonLimit), schema);
}

/** readJson on the bytes of a file. */
export function parseJson<T extends z.ZodType>(file: string, bytes: Uint8Array, schema: T): z.output<T> {
  const { value, place } = parsePlaced(file, bytes);
  return checkJson(value, schema, place);
}

/** A JSON file's value, and the place of a path in the file: file, line and path as messages name them. */
export interface PlacedJson {
  readonly value: unknown;
  readonly place: (path: JsonPath) => string;
}

/** Parses JSON without checking it against a schema. */
export function parsePlaced(file: string, bytes: Uint8Array): PlacedJson {
  const tree = parseTree(file, plainText(file, bytes).toString("utf8"));
  refuseUnusableKeys(file, tree.body, []);
  return { value: evaluate(tree), place: (path) => place(file, tree, path) };
}

/** `value` by `schema`; a value that it refuses becomes an InputError at the place of the path, with value and remedy. */
export function checkJson<T extends z.ZodType>(value: unknown, schema: T, place: PlacedJson["place"]): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  refuseIssue(place, value, schema, foremost(result.error.issues, value));
}

/** The issue to tell of: an unknown key before a missing one, which it may be a misspelling of. */
function foremost(issues: readonly Issue[], root: unknown): Issue {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue.code !== "invalid_union") return issue;
  const inner = meantAlternative(issue.errors, valueAt(root, issue.path));
  return inner === null
    ? issue
    : foremost(
        inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] })),
        root,
      );
}

/** The complaints of the one kind of object that knows most of the value's keys; null where none knows one, or two know as many. */
function meantAlternative(alternatives: readonly (readonly Issue[])[], value: unknown): readonly Issue[] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const ofObjects = alternatives.filter((issues) => !issues.some(({ code, path }) => isOtherKind(code, path)));
  const known = ofObjects.map((issues) => {
    const others = issues.flatMap((one) => (one.code === "unrecognized_keys" && one.path.length === 0 ? one.keys : []));
    return Object.keys(value).length - others.length;
  });
  const most = Math.max(0, ...known);
  const best = ofObjects.filter((_, n) => known[n] === most);
  return most > 0 && best.length === 1 ? best[0] : null;
}

/** Whether an alternative wants no object at all. */
const isOtherKind = (code: Issue["code"], path: readonly PropertyKey[]) =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value");

function parseTree(file: string, text: string): DocumentNode {
  if (text.trim() === "") refuse(file, "is empty", "give a JSON object");
  let depth = 0;
  for (const bracket of text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/[[\]{}]/g) ?? []) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > maxDepth) refuse(file, `is nested more than ${maxDepth} deep`, "check its brackets");
  }
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { line, column, offset } = error as Error & Partial<Record<"line" | "column" | "offset", number>>;
    const [token] = /^("[^"]*"|[\w.+-]+|.)?/s.exec(text.slice(offset)) ?? [""];
    const isOpen = depth > 0 && (text.slice(offset).trim() === token || /end of input/.test(error.message));
    const unexpected = error.message.replace(/ found\..*$/s, "").replace(/token .*/, () => shown(token));
    const place = `${unexpected.replace("Unexpected", "unexpected")} at character ${column} of the line`;
    const problem = isOpen ? "a bracket is not closed" : place;
    const remedy = "check quotes, commas and brackets; JSON has no comments, no NaN and no Infinity";
    refuse(line === undefined ? file : `${file}:${line}`, `is not JSON (${problem})`, remedy);
  }
}

function refuseUnusableKeys(file: string, node: ValueNode, path: JsonPath): void {
  if (node.type === "Array") {
    node.elements.forEach(({ value }, n) => {
      refuseUnusableKeys(file, value, [...path, n]);
    });
  } else if (node.type === "Object") {
    const seen = new Set<string>();
    for (const { name, value, loc } of node.members) {
      const key = name.type === "String" ? name.value : name.name;
      const here = [...path, key];
      // As a key of an object it would set the prototype and be lost.
      if (key === "__proto__") refuse(`${file}:${loc.start.line}, ${dotted(here)}`, "is not a known key", "remove it");
      if (seen.has(key)) refuse(`${file}:${loc.start.line}, ${dotted(here)}`, "is given twice", "keep one of them");
      seen.add(key);
      refuseUnusableKeys(file, value, here);
    }
  }
}

function refuseIssue(place: PlacedJson["place"], root: unknown, schema: z.ZodType, issue: Issue): never {
  if (issue.code === "unrecognized_keys") {
    const [key] = issue.keys;
    refuse(place([...issue.path, key]), "is not a known key", keyRemedy(key, keysAt(schema, issue.path)));
  }
  const value = valueAt(root, issue.path);
  const problem = value === undefined ? "is missing" : `is ${shown(value)}`;
  refuse(place(issue.path), problem, remedyOf(issue, value));
}

function remedyOf(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return `give ${nameOfType[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin in unitOf) return `give at least ${issue.minimum} ${unitOf[issue.origin]}`;
      return `give a number ${issue.inclusive ? "of at least" : "above"} ${issue.minimum}`;
    case "too_big":
      if (issue.origin in unitOf) return `give at most ${issue.maximum} ${unitOf[issue.origin]}`;
      return `give a number ${issue.inclusive ? "of at most" : "below"} ${issue.maximum}`;
    case "invalid_value": {
      const options = listed(issue.values.map((option) => JSON.stringify(option)));
      return `give ${issue.values.length > 1 ? "one of " : ""}${options}${hintOf(value, issue.values)}`;
    }
    case "invalid_union": {
      const names = issue.errors.flat().flatMap((one) => (one.code === "invalid_value" ? one.values : []));
      return `${issue.message}${hintOf(value, names)}`;
    }
    default:
      return issue.message;
  }
}

/** The text that was probably meant. */
function hintOf(value: unknown, names: readonly unknown[]): string {
  const hint = typeof value === "string" ? nearest(value, names.map(String)) : null;
  return hint === null ? "" : ` (perhaps ${JSON.stringify(hint)})`;
}

const unitOf: Record<string, string> = { array: "entries", string: "characters" };

const nameOfType: Record<string, string> = {
  number: "a number",
  int: "an integer",
  string: "a text in quotes",
  object: "an object { … }",
  array: "a list [ … ]",
  tuple: "a list [ … ]",
  boolean: "true or false",
  record: "an object { … }",
};

/** The message for a key that is none of the `valid` ones. */
export function keyRemedy(key: string, valid: readonly string[]): string {
  const hint = nearest(key, valid);
  if (valid.length === 0) return "leave it out";
  return `${hint ? `perhaps ${hint} is meant; ` : ""}known are ${listed(valid)}`;
}

/** Characters of a list in a message. */
const LONGEST_LIST = 200;

/** The names of a list, as many as a line can hold, and how many are left out. */
function listed(names: readonly string[]): string {
  let count = 0;
  for (let length = 0; count < names.length && length <= LONGEST_LIST; count++) length += names[count].length + 2;
  const left = names.length - count;
  return `${names.slice(0, count).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** Keys the schema knows in the object at `path`. */
function keysAt(schema: z.ZodType, path: JsonPath): string[] {
  let here: z.core.JSONSchema.BaseSchema | undefined = jsonSchema(schema);
  for (const key of path) here = propertiesOf(here)[String(key)];
  return Object.keys(propertiesOf(here));
}

/** Dotted paths of all the schema's fields, those that hold others included. */
export function fieldsOf(schema: z.ZodType): string[] {
  const below = (here: z.core.JSONSchema.BaseSchema, prefix: string): string[] =>
    Object.entries(propertiesOf(here)).flatMap(([key, inner]) => [
      `${prefix}${key}`,
      ...below(inner, `${prefix}${key}.`),
    ]);
  return below(jsonSchema(schema), "");
}

function jsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function propertiesOf(schema: z.core.JSONSchema.BaseSchema | undefined): Record<string, z.core.JSONSchema.BaseSchema> {
  const options = [schema, ...(schema?.anyOf ?? []), ...(schema?.allOf ?? [])];
  return Object.assign({}, ...options.map((option) => option?.properties ?? {}));
}

/** The value at `path`, undefined where there is none. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], root);
}

/** File, line and path of the deepest node of `path` that is there. */
function place(file: string, tree: DocumentNode, path: JsonPath): string {
  let node: AnyNode = tree.body;
  let line = node.loc.start.line;
  for (const key of path) {
    if (node.type === "Array") {
      node = node.elements[Number(key)]?.value;
    } else if (node.type === "Object") {
      const member: MemberNode | undefined = node.members.find(
        ({ name }) => (name.type === "String" ? name.value : name.name) === key,
      );
      if (member === undefined) break;
      line = member.loc.start.line;
      node = member.value;
    }
    if (node === undefined) break;
    line = Math.max(line, node.loc.start.line);
  }
  return path.length === 0 ? `${file}:${line}` : `${file}:${line}, ${dotted(path)}`;
}

/** Characters of a key in a message. */
const LONGEST_KEY = 60;

export function dotted(path: JsonPath): string {
  const name = (key: PropertyKey) =>
    String(key).length > LONGEST_KEY ? `${String(key).slice(0, LONGEST_KEY)}…` : String(key);
  return path.map((key, n) => (typeof key === "number" ? `[${key}]` : `${n > 0 ? "." : ""}${name(key)}`)).join("");
}
