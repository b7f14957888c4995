/** Options that say where results go. */

import { SETTINGS } from "../../formats/settings.js";
import { option, toggle } from "../declaration/declaration.js";
import { outputFile } from "./files.js";
import { setting } from "./values.js";

export const open = (what: string) => toggle("--open", `show ${what} in the program that the system has for it`);

export const appendRows = (what: string) =>
  option("--append <file>", `append ${what} to a file of JSON Lines`, outputFile);

export const verbose = (what: string) => toggle("-v, --verbose", `tell ${what} too`);

export const picture = (says: string) => option("--picture <file>", says, outputFile);

/** Of scores. */
export const reach = (unit: "length" | "pixels", says: string) =>
  option(`--reach <${unit}>`, says, setting(SETTINGS.noise));
