import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import type { FileSource } from "../../src/costs/model-source.js";
import { type PricedDetections, type PricingParameters, priceDetections } from "../../src/costs/price-detections.js";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { disagreementOnDevice } from "../../src/map/gpu/gpu-samples.js";
import { createGpuSteps } from "../../src/map/gpu/gpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { storedInstead } from "../../src/map/instance/implicit-triplets.js";
import { type Graph, tripletCost } from "../../src/map/instance/instance.js";
import type { WrittenRule } from "../../src/map/instance/triplet-rules.js";
import { solve } from "../../src/map/solve.js";
import { chooseCostFile, modelSource } from "../../src/run/cost-source.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { useSoftwareSession } from "../gpu/software-session.js";

const session = useSoftwareSession();
const parent = temporaryFolder();
const detections = simulate({ targets: 8, frames: 7, noise: { position: 0.1, velocity: 0.2 } }, 3);
/** Twenty costs as users write them. */
const WRITTEN = "lab/costs/written";

const sourceOf = async (text: string) =>
  (await modelSource(
    chooseCostFile(
      `${folderWith(parent, { "mine.mjs": text, "other.mjs": "export const size = Math.abs;" })}/mine.mjs`,
    ),
  )) as FileSource;
const price = async (text: string, parameters: Partial<PricingParameters> = {}, from = detections) =>
  priceDetections(
    from,
    {
      cost: await sourceOf(text),
      gate: "none",
      birthDeath: { birth: 20, death: 20 },
      triplets: "implicit",
      ...parameters,
    },
    { threads: 1 },
  );
const graphOf = (priced: PricedDetections): Graph => buildGraph(priced).graph;
const now = () => performance.now() / 1000;

/** What the file's own function says of three detections. */
type Link = Record<string, number>;
const linkOf = (i: number, j: number): Link => {
  const { x, y } = detections;
  return { dx: x[j] - x[i], dy: y[j] - y[i] };
};

describe.each(readdirSync(WRITTEN))("the cost %s", (file) => {
  const text = readFileSync(join(WRITTEN, file), "utf8");
  test("is computed, to the bit as its function says, and on a device to the digits of f32", async () => {
    const priced = await price(text);
    expect(priced.notes.join()).not.toMatch(/stored/);
    const graph = graphOf(priced);
    if (graph.triplets.kind !== "implicit") throw new Error("it is not computed");
    const { triplet, parameters } = await import((await sourceOf(text)).url);
    for (let e = 0; e < graph.edges; e += 5) {
      const [i, j] = [graph.tail[e], graph.head[e]];
      if (i < 0 || j < 0) continue;
      for (let f = graph.linkStart[j]; f < graph.linkEnd[j]; f++) {
        const wanted = triplet(linkOf(i, j), linkOf(j, graph.head[f]), parameters);
        expect(tripletCost(graph, e, f)).toBe(wanted);
      }
    }
    expect(await disagreementOnDevice(session(), graph, graph.triplets)).toBeNull();
  });
});

const student = readFileSync(join(WRITTEN, "student-t-of-a-second-difference.mjs"), "utf8");

/** Of which the order of the two links matters. */
const slowing =
  "export const triplet = (ij, jk) => Math.abs(jk.dx - 0.7 * ij.dx) + Math.abs(jk.dy - 0.7 * ij.dy) - 0.1 * jk.dx;";

test("an ascent computes such triplets on either device, and comes to the bounds of stored ones", async () => {
  const priced = await price(slowing);
  const graph = graphOf(priced);
  const stored = graphOf(await price(slowing, { triplets: "csr" }));
  expect(stored.triplets.kind).toBe("csr");
  const solved = async (of: Graph) => {
    const steps = await createCpuSteps(of, { threads: 1, now });
    return solve(of, steps, { ascent: "bundle", iterations: 30, gap: 0, time: 60, now });
  };
  const [one, other] = [await solved(graph), await solved(stored)];
  expect(one.upperBound).toBe(other.upperBound);
  expect(one.lowerBound).toBeCloseTo(other.lowerBound, 9);

  const gpu = await createGpuSteps(session(), graph, { now });
  const found = await solve(graph, gpu, { ascent: "bundle", iterations: 30, gap: 0, time: 60, now });
  expect(gpu.notes).toBeUndefined();
  await gpu.close();
  expect(Math.abs(found.lowerBound - one.lowerBound)).toBeLessThanOrEqual(1e-4 * one.upperBound);
  expect(found.upperBound).toBeGreaterThanOrEqual(one.lowerBound);
});

test("three and more numbers a link, of attributes too, are read on either device", async () => {
  const attributes = new Map([["area", Float64Array.from(detections.x, (_, d) => 1 + (d % 7))]]);
  const text =
    "export const triplet = (ij, jk) => Math.hypot(jk.dx - ij.dx, jk.dy - ij.dy) / ij.dt + Math.abs(Math.log(jk.area_j / ij.area_i));";
  await expect(price(text)).rejects.toThrow(/reads the attribute area/);
  const graph = graphOf(await price(text, {}, { ...detections, attributes }));
  if (graph.triplets.kind !== "implicit") throw new Error("it is not computed");
  expect((graph.triplets.rule as WrittenRule).numbers).toEqual(["dx", "dy", "area_j", "area_i"]);
  expect(await disagreementOnDevice(session(), graph, graph.triplets)).toBeNull();
  const [cpu, gpu] = [
    await createCpuSteps(graph, { threads: 1, now }),
    await createGpuSteps(session(), graph, { now }),
  ];
  const [wanted, found] = [await cpu.evaluate(), await gpu.evaluate()];
  expect(Math.abs(found - wanted)).toBeLessThanOrEqual(2e-5 * Math.abs(wanted));
  await gpu.close();
});

test("a device that computes something else gets stored triplets, with a note, and so the same bounds", async () => {
  const graph = graphOf(await price(student));
  if (graph.triplets.kind !== "implicit") throw new Error("it is not computed");
  const rule = graph.triplets.rule as WrittenRule;
  const wrong = { ...rule, wgsl: rule.wgsl.replace(/log\(/g, "log2(") };
  const broken = { ...rule, wgsl: `${rule.wgsl}\nfn more() -> u32 { return 1.5; }` };
  const cpu = await createCpuSteps(graph, { threads: 1, now });
  const wanted = await cpu.evaluate();
  for (const [other, why] of [
    [wrong, /stored on .*: it computes .* where the function returns /],
    [broken, /stored on .*: its compiler says /],
  ] as const) {
    const gpu = await createGpuSteps(session(), { ...graph, triplets: { ...graph.triplets, rule: other } }, { now });
    expect(gpu.notes?.join()).toMatch(why);
    expect(gpu.memory.graph.triplets).toMatchObject({ kind: "csr", count: graph.triplets.count });
    const found = await gpu.evaluate();
    expect(Math.abs(found - wanted)).toBeLessThanOrEqual(2e-5 * Math.abs(wanted));
    await gpu.close();
  }
  const stored = storedInstead(graph, graph.triplets);
  expect(graphOf(await price(student, { triplets: "csr" })).triplets).toEqual(stored);
});

describe("triplets are stored, with the reason,", () => {
  const untranslated: Record<string, readonly [string, RegExp]> = {
    "where something is not translated": [
      "export const triplet = (ij, jk) => [jk.dx - ij.dx].map(Math.abs)[0];",
      /Triplets are stored: line 1, column 36: \[jk\.dx - ij\.dx\]\.map.*: it is no function of the file/,
    ],
    "where a variable of the file may change": [
      "let calls = 0;\nexport function triplet(ij, jk) {\n  calls = 1;\n  return Math.abs(jk.dx - ij.dx);\n}",
      /line 3, column 3: calls = 1;?: calls is no variable of this function/,
    ],
    "where it is made elsewhere": [
      'import { size } from "./other.mjs";\nexport const triplet = (ij, jk) => size(jk.dx - ij.dx);',
      /size is not declared in the file/,
    ],
    "where a constant is another each time": [
      "const noise = Math.random();\nexport const triplet = (ij, jk) => Math.abs(jk.dx - ij.dx) + noise;",
      /the function returns [\d.]+, and its text run alone [\d.]+/,
    ],
    "where it calls itself": [
      "export const triplet = (ij, jk) => (jk.dx > ij.dx ? triplet(jk, ij) : 1);",
      /triplet calls itself/,
    ],
  };
  test.each(Object.entries(untranslated))("%s", async (_, [text, why]) => {
    const { triplets, notes } = await price(text, { triplets: undefined });
    expect(triplets.kind).toBe("csr");
    expect(notes.join()).toMatch(why);
  });

  test("unless it is asked not to, or they do not fit", async () => {
    const cost = await sourceOf(student);
    const kinds = async (triplets: "implicit" | undefined, stores: boolean) => {
      const parameters = { cost, gate: "none", birthDeath: "none", triplets } as const;
      const priced = await priceDetections(detections, parameters, { threads: 1, stores: () => stores });
      return priced.triplets.kind;
    };
    expect([await kinds(undefined, true), await kinds("implicit", true), await kinds(undefined, false)]).toEqual([
      "csr",
      "implicit",
      "implicit",
    ]);
  });
});

describe("what is no cost is refused in one line:", () => {
  const refused: Record<string, readonly [string, RegExp]> = {
    "not a function": ["export const triplet = 5;", /mine\.mjs: triplet is number, not a function; write export const/],
    "too many arguments": [
      "export const triplet = (a, b, c, d) => a;",
      /mine\.mjs: triplet takes 4 arguments, and is called with two links and the parameters/,
    ],
    "a number that links lack": ["export const triplet = (ij) => ij.speed;", /a link has no speed; it has dx, dy/],
    "a number that links lack, of pair": [
      "export const pair = (ij) => ij.area_i;\nexport const triplet = (ij, jk) => jk.dx;",
      /mine\.mjs: failed while it priced: a link has no area_i; it has dx, dy, dt, x_i/,
    ],
    "a parameter that is no number": [
      'export const parameters = { nu: "4" };\nexport const triplet = (ij, jk) => jk.dx;',
      /mine\.mjs: parameter nu is 4; let it be a number/,
    ],
    NaN: [
      "export const triplet = (ij, jk) => Math.sqrt(-1 - jk.dx ** 2);",
      /cost .*the cost of a triplet is NaN where ij has/,
    ],
    "a triplet that is drawn at random": [
      "export const triplet = (ij, jk) => Math.random();",
      /the triplet of detections \d+, \d+ and \d+ costs .* when asked again; let a cost depend on its arguments alone/,
    ],
    "a link that counts its calls": [
      "let n = 0;\nexport const pair = (ij) => n++;\nexport const triplet = (ij, jk) => Math.random() * 0;",
      /the link of detections \d+ and \d+ costs .* when asked again/,
    ],
    "an exception": [
      "export const triplet = (ij, jk) => { if (jk.dx < 1e9) throw new Error('no way'); return 1; };",
      /failed while it priced: no way; correct it/,
    ],
  };
  test.each(Object.entries(refused))("%s", async (_, [text, line]) => {
    const error = await price(text, { triplets: undefined }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).message).toMatch(line);
    expect((error as InputError).message).not.toContain("\n");
  });
});

test("a cost below 0 keeps births and deaths as they are stated, however dear", async () => {
  const text = "export const triplet = (ij, jk) => -1e6 - Math.abs(jk.dx - ij.dx);";
  const graph = graphOf(await price(text, { birthDeath: { birth: 1e9, death: 1e9 } }));
  expect(graph.surcharge).toBeNull();
});
