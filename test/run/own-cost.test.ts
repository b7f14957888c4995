import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { priceDetections } from "../../src/costs/price-detections.js";
import { formatDetections, parseDetections } from "../../src/formats/detections.js";
import { parseScenario, readScenario } from "../../src/formats/scenario.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { linkBetween, tripletCost } from "../../src/map/instance/instance.js";
import type { ProblemOverrides } from "../../src/run/overrides.js";
import { makeProblem } from "../../src/run/problem.js";

const docs = readFileSync("docs/how-to/own-costs.md", "utf8");

/** The file that docs/how-to/own-costs.md shows: a parameter, and an attribute that it reads. */
const MINE = /```js\n(\/\*\*[\s\S]*?)```/.exec(docs)?.[1] ?? "";

const CSV = `# dt=1
frame,x,y,area,label,half
0,0,0,1,a,1
0,0,2,9,b,
1,1,0,2,c,1
1,1,2,8,d,1
2,2,0,4,e,1
2,2,2,7,f,1
`;

let folder: string;
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const options = { threads: 1, now: () => 0 };
const recording = (text = CSV) => parseDetections("d.csv", Buffer.from(text));
const make = (overrides: ProblemOverrides, text = CSV) =>
  makeProblem(
    { kind: "detections", recording: recording(text) },
    { gate: "none", births: "none", ...overrides },
    options,
  );

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rmap-cost-"));
});

describe("attributes", () => {
  test("columns of numbers in every row become attributes, others are carried as text, and they are written back", () => {
    const { detections, notes, carried } = recording();
    expect([...(detections.attributes ?? [])]).toEqual([["area", Float64Array.of(1, 9, 2, 8, 4, 7)]]);
    expect(notes.join()).not.toMatch(/not read/);
    expect(carried?.map(({ name }) => name)).toEqual(["area", "label", "half"]);
    const text = [...formatDetections(detections)].join("");
    expect(recording(text).detections).toEqual(detections);
  });
});

describe("a user's file", () => {
  test("prices with its parameter and an attribute; the problem says which file and its digest", async () => {
    const mine = file("mine.mjs", MINE);
    const { priced, pricing } = await make({ cost: { file: mine }, costParameter: { areaWeight: 3 } });
    // Links in order: 0→2, 0→3, 1→2, 1→3, then those of the next frame pair.
    const far = Math.hypot(1, 2);
    expect([...priced.links.cost]).toEqual([1 + 3, far + 21, far + 21, 1 + 3, 1 + 6, far + 15, far + 12, 1 + 3]);
    expect(priced.triplets).toMatchObject({ kind: "implicit", rule: "absolute" });
    const sha256 = createHash("sha256").update(MINE).digest("hex");
    expect(pricing?.cost).toEqual({ file: mine, sha256, parameters: { areaWeight: 3 } });
  });

  test("prices the same on worker threads, which import it themselves", async () => {
    const url = pathToFileURL(file("threads.mjs", MINE)).href;
    const parameters = { cost: { file: "threads.mjs", url }, gate: "none", birthDeath: "none" } as const;
    const { detections } = recording();
    const [one, two] = [
      await priceDetections(detections, parameters, { threads: 1 }),
      await priceDetections(detections, parameters, { threads: 2, poolFrom: 0 }),
    ];
    expect(two.links).toEqual(one.links);
    expect(two.triplets).toEqual(one.triplets);
  });

  test("of functions, the one that the page shows, solves and is checked, with triplets stored or computed", async () => {
    const turns = file("turns.mjs", /```js\n(export const parameters[\s\S]*?)```/.exec(docs)?.[1] ?? "");
    const link = (i: number, j: number) => [Math.hypot(1, 2 * Math.abs((i % 2) - (j % 2))), 2 * ((j % 2) - (i % 2))];
    for (const triplets of ["implicit", "csr"] as const) {
      const { priced } = await make({ cost: { file: turns }, costParameter: { nu: 3 }, triplets });
      expect(priced.links.cost[1]).toBeCloseTo(0.1 * link(0, 3)[0], 12);
      const { graph } = buildGraph(priced);
      expect(graph.triplets.kind).toBe(triplets);
      const [e, f] = [linkBetween(graph, 0, 3), linkBetween(graph, 3, 4)];
      expect(tripletCost(graph, e, f)).toBeCloseTo(2.5 * Math.log(1 + (link(3, 4)[1] - link(0, 3)[1]) ** 2 / 3), 12);
    }
  });

  test("what is wrong with it is said in a line", async () => {
    const refused = async (overrides: ProblemOverrides, text?: string) => {
      const error = await make(overrides, text).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(InputError);
      return (error as InputError).message;
    };
    const cost = (name: string, text: string) => ({ cost: { file: file(name, text) } });
    expect(await refused({ cost: { file: join(folder, "none.mjs") } })).toMatch(/none\.mjs: there is no such file/);
    expect(await refused(cost("a.mjs", "export const x = 1;"))).toMatch(/a\.mjs: has no default export/);
    expect(await refused(cost("b.mjs", "export default {"))).toMatch(/b\.mjs: cannot be imported: /);
    expect(await refused(cost("c.mjs", MINE.replace('"absolute"', '"square"')))).toMatch(/width is 1, .* takes 2/);
    expect(await refused(cost("d.mjs", MINE.replace("default: 2, ", "")))).toMatch(/areaWeight lacks a finite default/);
    expect(await refused(cost("e.mjs", MINE.replace("Math.hypot", "Math.hypo")))).toMatch(/failed while it priced: /);
    expect(await refused(cost("f.mjs", MINE.replace("area[j] - area[i];", "area[j] / 0;")))).toMatch(
      /number per link 0 is Infinity/,
    );
    const mine = cost("mine2.mjs", MINE);
    expect(await refused(mine, CSV.replace("area", "size"))).toMatch(/reads the attribute area, .* have size/);
    expect(await refused({ ...mine, costParameter: { weight: 1 } })).toMatch(
      /"weight" is no parameter .* areaWeight \(/,
    );
    expect(await refused({ ...mine, costParameter: { areaWeight: -1 } })).toMatch(
      /areaWeight is -1; give .* 0 or more/,
    );
    expect(await refused({ cost: "motion", costParameter: { s: 1 } })).toMatch(
      /cost motion: "s" is no parameter; its parameters are the priors noise \(.*births \(.*speed \(/,
    );
  });
});

test("the formulas that docs/how-to/own-costs.md shows price as they read", async () => {
  const shown = /```json\n(\{[^`]*?"numbers"[\s\S]*?)```/.exec(docs)?.[1] ?? "";
  file("cells.csv", CSV);
  const scenario = readScenario(file("cells.json", shown));
  const { priced } = await makeProblem({ kind: "scenario", scenario }, {}, options);
  expect(priced.links.cost[0]).toBeCloseTo(1 + 2 * Math.log(2), 12);
  expect(priced.links.cost[1]).toBeCloseTo(Math.hypot(1, 2) + 2 * Math.log(8), 12);
});

describe("a parameter of a built-in cost", () => {
  const scenario = (cost: unknown) =>
    parseScenario(
      "s.json",
      Buffer.from(JSON.stringify({ name: "s", simulation: { targets: 4, frames: 4 }, cost, gate: "none" })),
    );
  const costsOf = async (cost: unknown, overrides: ProblemOverrides = {}) => {
    const { priced } = await makeProblem({ kind: "scenario", scenario: scenario(cost) }, overrides, options);
    if (priced.triplets?.kind !== "implicit") throw new Error("implicit triplets are the default");
    const { perLink: m } = priced.triplets;
    return { links: priced.links.cost, d: (m[2 * 16] - m[0]) ** 2 + (m[2 * 16 + 1] - m[1]) ** 2 };
  };

  test("scales what it says, in a scenario and on the command line, and its default changes nothing", async () => {
    const usual = await costsOf("likelihood");
    expect(await costsOf({ name: "likelihood", parameters: { tripletWeight: 0.5 } })).toEqual(usual);
    const doubled = await costsOf({ name: "likelihood", parameters: { tripletWeight: 1 } });
    expect(doubled.links).toEqual(usual.links);
    expect(doubled.d).toBeCloseTo(2 * usual.d, 10);
    expect(await costsOf("likelihood", { costParameter: { tripletWeight: 1 } })).toEqual(doubled);
    await expect(costsOf({ name: "spline", parameters: { speed: 1 } })).rejects.toThrow(/spline: "speed" is no param/);
  });
});
