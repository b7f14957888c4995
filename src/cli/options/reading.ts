/** Options about the file of detections: the same for every command that reads one. */
import { InvalidArgumentError } from "commander";
import { type NamedColumns, ROLES, ROW } from "../../formats/column-names.js";
import { PROPERTIES, type PropertyNames } from "../../formats/geff-properties.js";
import { choice, didYouMean, grouped, option } from "../declaration/declaration.js";
import { nonNegative, positive } from "./values.js";

export const readingOptions = () =>
  grouped("Reading the detections", {
    columns: columnsOption("--columns <name=column,…>", "of the detections"),
    properties: option(
      "--properties <name=property,…>",
      `which properties of a GEFF graph are ${PROPERTIES.join(", ")}`,
      properties,
    ),
    dt: option("--dt <time>", "time between two frames, where the file does not state it", positive),
    zScale: option("--z-scale <length>", "length of a unit of z in units of x and y; 0 leaves z out", nonNegative),
    decimal: choice("--decimal <mark>", "the decimal mark, where 1,234 may mean either", ["point", "comma"]),
    dates: choice("--dates <order>", "what comes first, where 01/02/2024 may be either", ["day-first", "month-first"]),
  });

export const columnsOption = (flags: string, of: string) =>
  option(
    flags,
    `which columns ${of} are ${ROLES.join(", ")}, by their names in the file or their numbers from 1: x=POSITION_X,time=3; frame=${ROW} where each row is a frame`,
    columns,
  );

export const trackColumns = () =>
  columnsOption("--track-columns <name=column,…>", "of the tracks, target being the track,");

/** A parser of ROLE=NAME,… with these roles, which adds to what was given before. */
const namesOf =
  <One extends string>(roles: readonly One[], what: string) =>
  (text: string, before: Partial<Readonly<Record<One, string>>> = {}): Partial<Record<One, string>> => {
    const named: Partial<Record<One, string>> = { ...before };
    // A comma belongs to a name unless a role follows it.
    for (const part of text.split(new RegExp(`,(?=\\s*(?:${roles.join("|")})\\s*=)`))) {
      const [, name, given] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
      const role = roles.find((one) => one === name);
      if (role === undefined || given === "") {
        const meant = name === undefined ? "" : didYouMean(name, roles);
        throw new InvalidArgumentError(`Give NAME=${what} with one of ${roles.join(", ")}.${meant}`);
      }
      named[role] = given;
    }
    return named;
  };

const columns: (text: string, before?: NamedColumns) => NamedColumns = namesOf(ROLES, "COLUMN");
const properties: (text: string, before?: PropertyNames) => PropertyNames = namesOf(PROPERTIES, "PROPERTY");
