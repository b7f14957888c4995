import { z } from "zod";

/**
 * A kind of row of measurements. To add one: a file in src/rows/kinds that exports a RowKind, whose schema the writer checks its rows by, and a
 * line in src/rows/kinds.ts. The report reads it and shows it as a table; a figure of its own is optional.
 */
export interface RowKind<Row = never> {
  /** The value of `benchmark` in its rows; null for runs, which have none. */
  readonly name: string | null;
  /** In the plural, as a heading. */
  readonly title: string;
  readonly schema: z.ZodType<Row>;
  /** For runs, and rows written before each named its kind: whether an object without a known `benchmark` is one of this kind. */
  recognises?(row: object): boolean;
  /** The columns of its table. */
  readonly columns: readonly RowColumn<Row>[];
}

export interface RowColumn<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null;
}

/** Where a row was made, as in a result row; the oldest rows lack some of it. */
export const made = {
  version: z.string().optional(),
  revision: z.string().nullable().optional(),
  node: z.string().optional(),
  cpu: z.string().optional(),
  cores: z.int().min(0).optional(),
  platform: z.string().optional(),
  date: z.iso.datetime().optional(),
};

/** Seconds or milliseconds over repetitions. */
export const spread = z.looseObject({ median: z.number(), min: z.number(), max: z.number() });
