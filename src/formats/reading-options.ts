import { z } from "zod";
import { type NamedColumns, ROLES } from "./column-names.js";
import type { DecimalMark } from "./decimal-mark.js";
import type { DateOrder } from "./time-cells.js";

/** What the user says about a file of detections. */
export interface ReadingOptions {
  readonly columns?: NamedColumns | undefined;
  /** Time between two frames. */
  readonly dt?: number | undefined;
  readonly decimal?: DecimalMark | undefined;
  readonly dates?: DateOrder | undefined;
  /** The proof or scenario that states these, where the command line does not. */
  readonly statedBy?: string | undefined;
}

/** ReadingOptions as files state them. */
export const readingOptions = z
  .strictObject({
    columns: z.partialRecord(z.enum(ROLES), z.string().min(1)),
    dt: z.number().positive(),
    decimal: z.enum(["point", "comma"]),
    dates: z.enum(["day-first", "month-first"]),
  })
  .partial();

/** The options that were given; absent where there are none. */
export function optionsKept({ columns, dt, decimal, dates }: ReadingOptions): {
  readonly options?: z.infer<typeof readingOptions>;
} {
  const given = {
    ...(columns && { columns: { ...columns } }),
    ...(dt !== undefined && { dt }),
    ...(decimal && { decimal }),
    ...(dates && { dates }),
  };
  return Object.keys(given).length === 0 ? {} : { options: given };
}
