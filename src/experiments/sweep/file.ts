import { dirname, resolve } from "node:path";
import { z } from "zod";
import { checkJson, keyRemedy, type PlacedJson, parsePlaced } from "../../files/json-file.js";
import { refuse } from "../../files/refusal.js";
import { jsonLimit, readBytes } from "../../files/text-file.js";
import { scenarioFields } from "../../formats/scenario.js";
import { SETTINGS, schemaOf } from "../../formats/settings.js";

/** Most runs of one sweep. */
export const mostRuns = 100_000;

const seed = schemaOf(SETTINGS.seed);
const bounds = z.tuple([z.number(), z.number()]).refine(([low, high]) => low < high, "give [least, greatest]");

const distribution = z.union(
  [
    z.strictObject({ uniform: bounds }),
    z.strictObject({ logUniform: bounds.refine(([low]) => low > 0, "give [least, greatest], both above 0") }),
    z.strictObject({ integer: bounds.refine((ends) => ends.every(Number.isSafeInteger), "give two integers") }),
    z.strictObject({ choice: z.array(z.json()).min(1) }),
  ],
  {
    error:
      'give {"uniform": [a, b]}, {"logUniform": [a, b]} above 0, {"integer": [a, b]} with a < b, or {"choice": [ … ]}',
  },
);

/** How a field of a random design is drawn. */
export type Distribution = z.output<typeof distribution>;

const schema = z
  .strictObject({
    name: z.string().min(1).max(200),
    description: z.string().optional(),
    base: z.union([z.string().min(1), z.record(z.string(), z.json())], {
      error: "give the path of a scenario, or a scenario { … }",
    }),
    grid: z.record(z.string(), z.array(z.json()).min(1)).optional(),
    random: z
      .strictObject({
        samples: z.int().min(1).max(mostRuns),
        seed: seed.default(1),
        over: z.record(z.string(), distribution),
      })
      .optional(),
    seeds: z
      .union([z.strictObject({ from: seed, count: z.int().min(1).max(mostRuns) }), z.array(seed).min(1)], {
        error: 'give {"from": seed, "count": number} or a list of seeds, integers from 0 to 4294967295',
      })
      .optional(),
  })
  .check(({ value, issues }) => {
    const issue = (path: PropertyKey[], message: string) =>
      issues.push({ code: "custom", input: value, path, message });
    if (value.grid && value.random) issue(["random"], "keep one of grid and random");
    if (!value.grid && !value.random && !value.seeds) issue(["grid"], "give grid, random or seeds");
    if (value.seeds && !Array.isArray(value.seeds) && value.seeds.from + value.seeds.count > 2 ** 32) {
      issue(["seeds"], "keep the seeds at 4294967295 or less");
    }
  });

export type Json = z.core.util.JSONType;

/** A scenario that may still lack the fields that the design varies, with the places for messages and the folder of its paths. */
export interface BaseScenario {
  readonly value: Readonly<Record<string, Json>>;
  readonly place: PlacedJson["place"];
  readonly folder: string;
}

/** A sweep file, its fields known to be fields of a scenario. */
export interface SweepFile extends Omit<z.output<typeof schema>, "base" | "description"> {
  readonly file: string;
  readonly base: BaseScenario;
  readonly place: PlacedJson["place"];
}

/**
 * Reads a sweep file: JSON with a name, a base scenario (or its path, relative to the file) and grid, random or seeds. What
 * does not fit, an unknown field among it, is an InputError naming line, path, value and remedy.
 */
export function readSweep(file: string): SweepFile {
  const { value, place } = parsePlaced(file, readBytes(file, jsonLimit));
  const { base, description: _, ...given } = checkJson(value, schema, place);
  const [design, varied] = given.grid ? [["grid"], given.grid] : [["random", "over"], given.random?.over ?? {}];
  checkFields(Object.keys(varied), (field) => place([...design, field]));
  return {
    ...given,
    file,
    base: readBase(base, { folder: dirname(file), place: (path) => place(["base", ...path]) }),
    place,
  };
}

/** The base that a file states: the scenario itself, or its path relative to `folder`. */
export function readBase(
  given: string | Readonly<Record<string, Json>>,
  { folder, place }: Pick<BaseScenario, "folder" | "place">,
): BaseScenario {
  if (typeof given !== "string") return { value: given, place, folder };
  const file = resolve(folder, given);
  const { value, place: placeInBase } = parsePlaced(file, readBytes(file, jsonLimit));
  return {
    value: checkJson(value, z.record(z.string(), z.json()), placeInBase),
    place: placeInBase,
    folder: dirname(file),
  };
}

const settable = scenarioFields().filter((field) => !["name", "description", "seed"].includes(field));

/** Refuses names that are no field of a scenario, and fields one of which contains the other. */
export function checkFields(fields: readonly string[], place: (field: string) => string): void {
  for (const field of fields) {
    if (field === "seed") refuse(place(field), "is not varied here", 'give the seeds as "seeds" beside it');
    if (!settable.includes(field)) refuse(place(field), "is no field of a scenario", keyRemedy(field, settable));
    const outer = fields.find((other) => field.startsWith(`${other}.`));
    if (outer !== undefined) refuse(place(field), `lies within ${outer}, which is varied too`, "keep one of them");
  }
}
