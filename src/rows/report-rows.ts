import { extname } from "node:path";
import { z } from "zod";
import { jsonLimit, parseJson } from "../files/json-file.js";
import { refuse } from "../files/refusal.js";
import { plainText, readBytes } from "../files/text-file.js";
import { type BenchRow, benchRow, type LapCpuRow, lapCpuRow } from "./bench-rows.js";
import { type AnyKind, kindOf, ROW_KINDS } from "./kinds.js";
import { resultRow } from "./results.js";

/** A run's row with any further fields that its writer added. */
export const runRow = z.looseObject(resultRow.shape);

export type RunRow = z.infer<typeof runRow>;

/** A row and its place in the files. */
export interface Placed<T> {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly row: T;
}

export interface PlacedOther extends Placed<Readonly<Record<string, unknown>>> {
  readonly kind: AnyKind;
}

/** Rows of any kinds that rmap and its bench scripts write. */
export interface MixedRows {
  readonly runs: readonly Placed<RunRow>[];
  readonly bench: readonly Placed<BenchRow>[];
  readonly lapCpu: readonly Placed<LapCpuRow>[];
  /** Rows of the kinds in kinds.ts, which become tables. */
  readonly others: readonly PlacedOther[];
}

const drawn = ["lap", "distribution", "solve", "lap-cpu"] as const;
const benchmarks = z.looseObject({ benchmark: z.enum([...drawn, ...ROW_KINDS.map(({ name }) => name)]) });

/**
 * Reads the rows of a JSON Lines file, or the one of a result.json, each by the schema of its kind: `benchmark`
 * names it, and a row of no other kind is a run.
 * @throws InputError naming file, line, key and value, for an unknown kind too
 */
export function readMixedRows(file: string): MixedRows {
  const rows = { runs: [], bench: [], lapCpu: [], others: [] } satisfies MixedRows;
  if (extname(file).toLowerCase() === ".json") {
    take(rows, file, 1, plainText(file, readBytes(file, jsonLimit)).toString("utf8"));
    return rows;
  }
  const lines = plainText(file, readBytes(file)).toString("utf8").split(/\r?\n/);
  lines.forEach((line, n) => {
    if (line.trim() !== "") take(rows, file, n + 1, line);
  });
  if (Object.values(rows).every(({ length }) => length === 0)) {
    refuse(file, "holds no rows", "name a file that rmap wrote with --append, sweep or bench");
  }
  return rows;
}

interface Gathered {
  runs: Placed<RunRow>[];
  bench: Placed<BenchRow>[];
  lapCpu: Placed<LapCpuRow>[];
  others: PlacedOther[];
}

function take(rows: Gathered, file: string, line: number, text: string): void {
  const value = parsed(text);
  const has = (key: string) => typeof value === "object" && value !== null && key in value;
  const read = <T extends z.ZodType>(schema: T): z.output<T> => {
    const result = schema.safeParse(value);
    // Blank lines are put before it so that messages name the right line.
    return result.success ? result.data : parseJson(file, Buffer.from("\n".repeat(line - 1) + text), schema);
  };
  const kind = typeof value === "object" && value !== null ? kindOf(value) : null;
  if (kind !== null) {
    rows.others.push({ file, line, kind, row: read(kind.schema) as Record<string, unknown> });
  } else if (has("bench")) {
    read(z.looseObject({ bench: z.enum(["truth", "pricing"]) }));
  } else if (has("benchmark")) {
    if (read(benchmarks).benchmark === "lap-cpu") rows.lapCpu.push({ file, line, row: read(lapCpuRow) });
    else rows.bench.push({ file, line, row: read(benchRow) });
  } else {
    rows.runs.push({ file, line, row: read(runRow) });
  }
}

/** undefined where it is no JSON; reading it by the schema then gives the reason. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
