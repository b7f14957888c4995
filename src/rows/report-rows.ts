import { extname } from "node:path";
import { z } from "zod";
import { InvariantError } from "../core/errors.js";
import { jsonLimit, parseJson } from "../files/json-file.js";
import { refuse } from "../files/refusal.js";
import { plainText, readBytes } from "../files/text-file.js";
import type { RowKind } from "./kind.js";
import { type AnyKind, kindOf, ROW_KINDS } from "./kinds.js";

/** A row and its place in the files. */
export interface Placed<T> {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly row: T;
}

/** A row that its kind's schema has read. */
export interface PlacedRow extends Placed<unknown> {
  readonly kind: AnyKind;
}

/** Those of the kinds, in the order of `rows`. */
export function rowsOf<Row>(rows: readonly PlacedRow[], ...kinds: readonly RowKind<Row>[]): Placed<Row>[] {
  const wanted: readonly unknown[] = kinds;
  return rows.filter(({ kind }) => wanted.includes(kind)) as Placed<Row>[];
}

const names = ROW_KINDS.flatMap(({ name }) => name ?? []);

/**
 * Reads the rows of a JSON Lines file, or the one of a result.json, each by the schema of its kind (kinds.ts): `benchmark`
 * names it, and a row of no other kind is a run.
 * @throws InputError naming file, line, key and value, for an unknown kind too
 */
export function readMixedRows(file: string): PlacedRow[] {
  if (extname(file).toLowerCase() === ".json") {
    return [readRow(file, 1, plainText(file, readBytes(file, jsonLimit)).toString("utf8"))];
  }
  const lines = plainText(file, readBytes(file)).toString("utf8").split(/\r?\n/);
  const rows = lines.flatMap((line, n) => (line.trim() === "" ? [] : [readRow(file, n + 1, line)]));
  if (rows.length === 0) refuse(file, "holds no rows", "name a file that rmap wrote with --append, sweep or bench");
  return rows;
}

function readRow(file: string, line: number, text: string): PlacedRow {
  const value = parsed(text);
  const read = (schema: z.ZodType): unknown => {
    const result = schema.safeParse(value);
    // Blank lines are put before it so that messages name the right line.
    return result.success ? result.data : parseJson(file, Buffer.from("\n".repeat(line - 1) + text), schema);
  };
  const object = typeof value === "object" && value !== null ? value : {};
  const kind = kindOf(object);
  if (kind !== null) return { file, line, kind, row: read(kind.schema) };
  // Both refuse, as they name all that there is.
  read(
    "bench" in object
      ? z.looseObject({ bench: z.enum(["truth", "pricing"]) })
      : z.looseObject({ benchmark: z.enum(names) }),
  );
  throw new InvariantError(`${file}:${line}: a row whose kind has a name and is not found`);
}

/** undefined where it is no JSON; reading it by the schema then gives the reason. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
