/** Options about the file of detections: the same for every command that reads one. */
import { InvalidArgumentError } from "commander";
import { type NamedColumns, ROLES, ROW, type Role } from "../../formats/column-names.js";
import { choice, didYouMean, grouped, option } from "../declaration/declaration.js";
import { nonNegative, positive } from "./values.js";

export const readingOptions = () =>
  grouped("Reading the detections", {
    columns: columnsOption("--columns <name=column,…>", "of the detections"),
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

function columns(text: string, before: NamedColumns = {}): NamedColumns {
  const named: Partial<Record<Role, string>> = { ...before };
  // A comma belongs to a column's name unless a role follows it.
  for (const part of text.split(new RegExp(`,(?=\\s*(?:${ROLES.join("|")})\\s*=)`))) {
    const [, name, column] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    const role = ROLES.find((one) => one === name);
    if (role === undefined || column === "") {
      const meant = name === undefined ? "" : didYouMean(name, ROLES);
      throw new InvalidArgumentError(`Give NAME=COLUMN with one of ${ROLES.join(", ")}.${meant}`);
    }
    named[role] = column;
  }
  return named;
}
