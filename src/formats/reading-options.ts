import { z } from "zod";
import { refuse } from "../files/refusal.js";
import { ROLES } from "./column-names.js";
import { PROPERTIES } from "./geff-properties.js";

/** The option by which the length of a unit of z is stated. */
export const Z_SCALE = "--z-scale";

/** What files state of how detections are read: their columns, the time between two frames, the length of a unit of z, the decimal mark and the order of dates. */
export const readingOptions = z
  .strictObject({
    properties: z.partialRecord(z.enum(PROPERTIES), z.string().min(1)),
    columns: z.partialRecord(z.enum(ROLES), z.string().min(1)),
    dt: z.number().positive(),
    zScale: z.number().min(0),
    decimal: z.enum(["point", "comma"]),
    dates: z.enum(["day-first", "month-first"]),
  })
  .partial();

/** What the user says about a file of detections. */
export interface ReadingOptions extends Readonly<z.infer<typeof readingOptions>> {
  /** The proof or scenario that states these, where the command line does not. */
  readonly statedBy?: string | undefined;
}

/** The names of the options that were given. */
export const namesGiven = (asked: ReadingOptions) =>
  readingOptions.keyof().options.filter((name) => asked[name] !== undefined);

/** Refuses what is said of a graph, for any other file. */
export function refuseProperties(file: string, { properties }: ReadingOptions): void {
  if (properties !== undefined) refuse("--properties", `is about a GEFF graph, and ${file} is none`, "leave it out");
}

/** The options that were given; absent where there are none. */
export function optionsKept(asked: ReadingOptions): { readonly options?: z.infer<typeof readingOptions> } {
  const given = namesGiven(asked).map((name) => [name, asked[name]]);
  return given.length === 0 ? {} : { options: Object.fromEntries(given) };
}
