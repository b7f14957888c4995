import { InputError } from "../../core/errors.js";
import type { BoundCost, CostModel, MovingDetections } from "../cost.js";
import { euclidean } from "../models/euclidean.js";
import type { ParameterValues } from "../parameters.js";
import { type TripletTexts, writtenRule } from "./translate.js";

/** A link as functions see it: dx, dy, dt, x_i, x_j and so on, and every attribute of either end. */
type Link = Readonly<Record<string, number>>;

/** What a file exports that states a cost as functions. */
export interface CostFunctions {
  /** D of two links that follow each other. */
  readonly triplet: (ij: Link, jk: Link, parameters: ParameterValues) => number;
  /** C of a link [that of cost euclidean]. */
  readonly pair?: (ij: Link, parameters: ParameterValues) => number;
  readonly parameters?: Readonly<Record<string, number>>;
}

const example = "export const triplet = (ij, jk, p) => Math.hypot(jk.dx - ij.dx, jk.dy - ij.dy)";

/** Whether a file states its cost as functions. */
export const hasFunctions = (exported: object): exported is CostFunctions => "triplet" in exported;

/**
 * The cost that a file's functions state. `texts` is the triplet's translation; null where it has none: then V8 prices every triplet, from
 * the detections, and they are stored.
 * @throws InputError for what is no such function
 */
export function modelOfFunctions(file: string, exported: CostFunctions, texts: TripletTexts | null): CostModel {
  const { triplet, pair, parameters = {} } = exported;
  requireFunction(file, "triplet", triplet, [2, 3], "two links and the parameters");
  if (pair !== undefined) requireFunction(file, "pair", pair, [1, 2], "a link and the parameters");
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== "number") throw new InputError(`${file}: parameter ${name} is ${value}; let it be a number`);
  }
  const isInSpace = /\b(dz|v?z_[ij])\b/.test([...(texts?.fields ?? []), triplet, pair].join(" "));
  return {
    width: texts?.fields.length ?? 2,
    rule: texts && ((values, timeStep) => writtenRule(file, texts, values, timeStep)),
    attributes: attributesIn(texts?.fields ?? []),
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, { default: value, unit: "1", meaning: `of ${file}` }]),
    ),
    ...(isInSpace && { inSpace: "same" as const }),
    bind: (detections, constants, values): BoundCost => {
      const linkOf = linksOf(detections);
      const c = euclidean.bind(detections, constants, values);
      const unkept = new Float64Array(1);
      const priceOf = (i: number, j: number) =>
        pair === undefined ? c.link(i, j, unkept, 0) : pair(linkOf(i, j), values);
      return {
        link(i, j, perLink, at) {
          if (texts === null) {
            perLink[at] = i;
            perLink[at + 1] = j;
          } else {
            const link = linkOf(i, j);
            texts.fields.forEach((name, k) => {
              perLink[at + k] = link[name];
            });
          }
          return priceOf(i, j);
        },
        triplet: (m, e, f) => triplet(linkOf(m[e], m[e + 1]), linkOf(m[f], m[f + 1]), values),
        ...(texts && { tripletOf: (i: number, j: number, k: number) => triplet(linkOf(i, j), linkOf(j, k), values) }),
      };
    },
  };
}

function requireFunction(file: string, name: string, value: unknown, counts: number[], what: string): void {
  if (typeof value !== "function") {
    throw new InputError(`${file}: ${name} is ${typeof value}, not a function; write ${example}`);
  }
  if (!counts.includes(value.length)) {
    throw new InputError(
      `${file}: ${name} takes ${value.length} arguments, and is called with ${what}; write ${example}`,
    );
  }
}

/** The columns of the detections that numbers of links are made of. */
function attributesIn(fields: readonly string[]): string[] {
  const columns = fields.map((field) => (field === "dz" ? "z" : field.replace(/_[ij]$/, "")));
  return [...new Set(columns)].filter((name) => !["dx", "dy", "x", "y", "vx", "vy"].includes(name));
}

/**
 * Links of two detections. A name that a link does not have is an error, and no undefined that makes every cost NaN. The literal is a text with the names of the attributes, since a property that is
 * added to an object asks the whole chain of prototypes, which takes twenty times as long.
 */
function linksOf({ x, y, vx, vy, z, timeStep, attributes }: MovingDetections): (i: number, j: number) => Link {
  const columns = [...Object.entries({ x, y, vx, vy }), ...(attributes ?? [])];
  const ends = columns.flatMap(([name], k) => ["i", "j"].map((end) => [`${name}_${end}`, `columns[${k}][${end}]`]));
  const between = { dx: "x[j] - x[i]", dy: "y[j] - y[i]", ...(z && { dz: "z[j] - z[i]" }), dt: "timeStep" };
  const parts = [...Object.entries(between), ...ends];
  const strict = new Proxy(
    {},
    {
      get(_, name) {
        throw new InputError(`a link has no ${String(name)}; it has ${parts.map(([has]) => has).join(", ")}`);
      },
    },
  );
  const literal = parts.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(", ");
  const link = new Function(
    ...["strict", "x", "y", "z", "timeStep", "columns"],
    `return (i, j) => ({ __proto__: strict, ${literal} });`,
  );
  return link(
    ...[strict, x, y, z, timeStep],
    columns.map(([, values]) => values),
  );
}
