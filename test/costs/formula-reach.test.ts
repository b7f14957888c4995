import { expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { compileFormulas, type FormulaCost } from "../../src/costs/formula/compile.js";

/**
 * Formulas come with scenarios, also from a queue, and end as JavaScript. mathjs only parses them, nothing of it evaluates, and what is written out holds
 * numbers, names of rmap's own and arithmetic.
 */
const HOSTILE = [
  'import("node:fs")',
  'require("fs")',
  'eval("1")',
  'parse("1")',
  'evaluate("1")',
  'createUnit("a")',
  "process",
  "globalThis",
  "this",
  "constructor",
  "constructor(1)",
  "__proto__",
  "__proto__(1)",
  "toString(1)",
  "hasOwnProperty(1)",
  "valueOf(1)",
  "abs.constructor(1)",
  "x_i.constructor",
  "x_i.constructor.constructor(1)",
  'x_i["constructor"]',
  "x_i[1]",
  "[1, 2][1]",
  '{"a": 1}.a',
  '"text"',
  "'text'",
  "`text`",
  "x_i = 1",
  "f(a) = a",
  "f(a) = f(a)",
  "1; 2",
  "1\n2",
  "x_i ? 1 : 2",
  "x_i == 1",
  "x_i!",
  "x_i'",
  "1:2",
  "2 cm",
  "1 // comment",
  "*/ 1 /*",
  "$1",
  "\\u0078_i",
  "ｘ_i",
  "x_i\u2028process",
  "random()",
  "true",
  "null",
  "undefined",
  "i",
  "p",
  "m",
  "detections",
  "abs",
  "Math.abs(1)",
  "process.abs(1)",
  "abs.min(1, 2)",
  "arguments",
];

const asPair = (text: string): FormulaCost => ({ pair: text, triplet: "0" });
const asTriplet = (text: string): FormulaCost => ({ pair: "0", triplet: text });
const asNumber = (text: string): FormulaCost => ({ numbers: { a: text }, pair: "0", triplet: "a_ij - a_jk" });

test.each(HOSTILE)("%s is refused as a formula", async (text) => {
  for (const cost of [asPair(text), asTriplet(text), asNumber(text)]) {
    await expect(compileFormulas(cost, "cost")).rejects.toThrow(InputError);
  }
});

test("names of numbers and parameters are letters and digits", async () => {
  for (const name of ["", "a b", "a;b", "a]", "1a", "__proto__", "a.b", "a'", "ä", "a\n", "dt", "x_i"]) {
    const record = Object.fromEntries([[name, "1"]]);
    await expect(compileFormulas({ numbers: record, pair: "0", triplet: "0" }, "cost")).rejects.toThrow(InputError);
    const parameters = Object.fromEntries([[name, 1]]);
    await expect(compileFormulas({ parameters, pair: "0", triplet: "0" }, "cost")).rejects.toThrow(InputError);
  }
});

test("what is written out has no name but rmap's own, whatever names the formulas take from Object", async () => {
  const names = ["constructor", "toString", "valueOf", "hasOwnProperty", "prototype"];
  const { js, attributes } = await compileFormulas(
    {
      numbers: Object.fromEntries(names.map((name) => [name, "constructor_i + NaN + Infinity + 1e400 - 2 ^ dx"])),
      parameters: { process: 1, eval: 2, Function: 3 },
      pair: `process * eval ^ Function + ${names.join(" + ")}`,
      triplet: names.map((name) => `abs(${name}_ij - ${name}_jk)`).join(" + "),
    },
    "cost",
  );
  expect(attributes).toEqual(["constructor"]);
  const bare = js.replace('get("constructor")', "get(0)");
  const own =
    /^([efijmpxy]|const|return|detections|attributes|get|link|triplet|perLink|at|v[xy]|d[xyt]|timeStep|a\d|Math|abs|pow|NaN|Infinity)$/;
  for (const [name] of bare.matchAll(/[\p{ID_Start}_$][\p{ID_Continue}$]*/gu)) expect(name).toMatch(own);
  expect(bare).toMatch(/^[\w\s{}()[\],:;=.+*-]*$/);
});
