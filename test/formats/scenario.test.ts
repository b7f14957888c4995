import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readInput } from "../../src/formats/input.js";
import { parseScenario } from "../../src/formats/scenario.js";
import { byteSoup, folderWith, mutated, parsesOrRefuses, refusal, temporaryFolder } from "./support.js";

const parse = (text: string) => parseScenario("dir/s.json", Buffer.from(text));
const refused = (value: unknown) => refusal(() => parse(typeof value === "string" ? value : JSON.stringify(value)));
const simulation = { targets: 3, frames: 4 };

describe("readScenario", () => {
  it("applies the defaults", () => {
    expect(parse(JSON.stringify({ name: "a", simulation }))).toEqual({
      name: "a",
      description: null,
      source: {
        kind: "simulation",
        targets: 3,
        frames: 4,
        path: "polynomial",
        degree: 3,
        amplitude: 4,
        speed: [1, 2],
        timeStep: 1,
        spread: 2.5,
        noise: { position: 0.1, velocity: 0 },
      },
      pricing: { cost: "spline", gate: { epsilon: 5 }, births: "none" },
      solve: {},
      seed: 1,
    });
  });

  it("keeps what is given", () => {
    const given = {
      name: "b",
      description: "why",
      simulation: { ...simulation, path: "spline", noise: { velocity: 0.2 } },
      cost: "likelihood",
      gate: { radius: 7 },
      births: { birth: 3, death: -4 },
      solve: { ascent: "rmap", iterations: 9, gap: 0.01, time: 2.5 },
      seed: 4294967295,
    };
    const scenario = parse(JSON.stringify(given));
    expect(scenario.source).toMatchObject({ path: "spline", noise: { position: 0.1, velocity: 0.2 } });
    expect(scenario).toMatchObject({ description: "why", solve: given.solve, seed: given.seed });
    expect(scenario.pricing).toEqual({ cost: "likelihood", gate: { radius: 7 }, births: { birth: 3, death: -4 } });
    expect(parse(JSON.stringify({ name: "c", simulation, gate: "none" })).pricing?.gate).toBe("none");
  });

  it("takes a cost by its name alone, so that a sweep may vary cost.name", () => {
    const { pricing } = parse(JSON.stringify({ name: "a", simulation, cost: { name: "euclidean" } }));
    expect(pricing?.cost).toEqual({ name: "euclidean", parameters: {} });
  });

  it("takes paths from its own folder, births from the data, and no pricing where costs are given", () => {
    const recording = parse('{"name":"r","detections":{"file":"data/d.csv"}}');
    expect(recording.source).toEqual({
      kind: "detections",
      file: resolve("dir/data/d.csv"),
      velocities: null,
      reading: {},
    });
    const reading = { columns: { x: "POSITION_X", frame: "3" }, dt: 0.5, decimal: "comma" };
    const messy = parse(JSON.stringify({ name: "m", detections: { file: "d.npy", ...reading } }));
    expect(messy.source).toMatchObject({ file: resolve("dir/d.npy"), reading });
    expect(recording.pricing?.births).toBe("auto");
    const instance = parse('{"name":"i","instance":{"folder":"../x"}}');
    expect(instance).toMatchObject({ source: { kind: "instance", folder: resolve("x") }, pricing: null });
    const generator = { kind: "authors", targets: 5, frames: 6 };
    expect(parse(JSON.stringify({ name: "g", generator })).source).toEqual({
      ...generator,
      kind: "generator",
      generator: "authors",
    });
  });

  it("names the line", () => {
    const text = '{\n  "name": "a",\n  "simulation": {\n    "targets": 3,\n    "frames": 1\n  }\n}';
    expect(refused(text)).toBe("dir/s.json:5, simulation.frames: is 1; give a number of at least 2");
    expect(refused(text.replace("3,", "3"))).toMatch(/^dir\/s\.json:5: is not JSON/);
    expect(refused(text.replace('"frames": 1', '"frames": 2, "targets": 4'))).toMatch(
      /^dir\/s\.json:5, simulation\.targets: is given twice; keep one/,
    );
  });

  it.each([
    ["an empty file", " \n", /^dir\/s\.json: is empty; give a JSON object/],
    ["no JSON", "{name: 1}", /^dir\/s\.json:1: is not JSON \(unexpected identifier 'name' at character 2/],
    ["NaN", '{"name":"a","simulation":{"targets":NaN}}', /not JSON \(unexpected character 'N' at .* line\); .*no NaN/],
    ["a bracket", '{"name":\n {"a", 1}}', /^dir\/s\.json:2: is not JSON \(unexpected "," at character 6 of the line\)/],
    ["two texts", '{"name" "a"}', /^dir\/s\.json:1: is not JSON \(unexpected "\\"a\\"" at character 9 of the line\)/],
    ["half of it", '{"name": ', /^dir\/s\.json:1: is not JSON \(a bracket is not closed\)/],
    [
      "infinity",
      '{"name":"a","simulation":{"targets":3,"frames":2,"spread":1e999}}',
      /simulation\.spread: is Infinity; give a number/,
    ],
    ["deep nesting", "[".repeat(100_000), /nested more than 64 deep; check its brackets/],
    ["a list", [], /^dir\/s\.json:1: is \[\]; give an object/],
    ["no source", { name: "a" }, /give one of simulation, belt, detections, instance, generator/],
    [
      "two sources",
      { name: "a", simulation, instance: { folder: "x" } },
      /instance: is .*; keep one of simulation and instance/,
    ],
    ["no name", { simulation }, /name: is missing; give a text in quotes/],
    [
      "zero targets",
      { name: "a", simulation: { targets: 0, frames: 4 } },
      /simulation\.targets: is 0; give a number of at least 1/,
    ],
    [
      "a negative size",
      { name: "a", simulation: { targets: -3, frames: 4 } },
      /simulation\.targets: is -3; give a number of at least 1/,
    ],
    [
      "a fraction",
      { name: "a", simulation: { targets: 2.5, frames: 4 } },
      /simulation\.targets: is 2\.5; give an integer/,
    ],
    [
      "text for a number",
      { name: "a", simulation: { targets: "3", frames: 4 } },
      /simulation\.targets: is "3"; give a number/,
    ],
    ["null", { name: "a", simulation: { targets: null, frames: 4 } }, /simulation\.targets: is null; give a number/],
    [
      "too much",
      { name: "a", simulation: { targets: 1e5, frames: 1e6 } },
      /simulation\.targets: is 100000; keep targets · frames at/,
    ],
    [
      "negative noise",
      { name: "a", simulation: { ...simulation, noise: { position: -1 } } },
      /simulation\.noise\.position: is -1; give a number of at least 0/,
    ],
    [
      "speeds reversed",
      { name: "a", simulation: { ...simulation, speed: [2, 1] } },
      /simulation\.speed: is \[2,1\]; give the least speed first/,
    ],
    [
      "one speed",
      { name: "a", simulation: { ...simulation, speed: [2] } },
      /simulation\.speed: is \[2\]; give at least 2 entries/,
    ],
    [
      "zero speed",
      { name: "a", simulation: { ...simulation, speed: [0, 1] } },
      /simulation\.speed\[0\]: is 0; give a number above 0/,
    ],
    ["degree 5", { name: "a", simulation: { ...simulation, degree: 5 } }, /simulation\.degree: is 5; give 3 or 4/],
    [
      "a spline's degree",
      { name: "a", simulation: { ...simulation, path: "spline", degree: 3 } },
      /simulation\.degree: is 3; leave it out/,
    ],
    [
      "a slip in a key",
      { name: "a", simulations: simulation },
      /simulations: is not a known key; perhaps simulation is meant; known are name, /,
    ],
    [
      "a slip inside",
      { name: "a", simulation: { target: 3, frames: 4 } },
      /simulation\.target: is not a known key; perhaps targets is meant/,
    ],
    [
      "JSON of another program",
      { meta: {}, results: {} },
      /s\.json: is JSON, but no scenario; name a scenario, or make a table of detections: frame,x,y$/,
    ],
    ["a key far off", { name: "a", simulation, zzzzzzzzz: 1 }, /zzzzzzzzz: is not a known key; known are name/],
    [
      "a slip in a name",
      { name: "a", simulation, solve: { ascent: "poliak" } },
      /solve\.ascent: is "poliak"; give one of "bundle", .*\(perhaps "polyak"\)/,
    ],
    ["a bad gate", { name: "a", simulation, gate: { epsilon: -1 } }, /, gate\.epsilon: is -1; give a number above 0$/],
    [
      "no gate",
      { name: "a", simulation, gate: { eps: 1 } },
      /, gate: is \{"eps":1\}; give \{"epsilon": number above 0\}, /,
    ],
    [
      "a slip in a cost's name",
      { name: "a", simulation, cost: { name: "splin" } },
      /, cost\.name: is "splin"; give one of "spline", "euclidean", .*\(perhaps "spline"\)$/,
    ],
    [
      "a slip in a cost's key",
      { name: "a", simulation, cost: { name: "spline", parameter: {} } },
      /, cost\.parameter: is not a known key; perhaps parameters is meant; /,
    ],
    [
      "half a formula",
      { name: "a", simulation, cost: { pair: "1" } },
      /, cost\.triplet: is missing; give a text in quotes$/,
    ],
    ["half the births", { name: "a", simulation, births: { birth: 1 } }, /, births\.death: is missing; give a number$/],
    [
      "a forbidden birth",
      { name: "a", simulation, births: { birth: 1e30, death: 1 } },
      /, births\.birth: is 1e\+30; give a number below 1e\+30$/,
    ],
    [
      "a cost for given costs",
      { name: "a", instance: { folder: "x" }, cost: "spline" },
      /cost: is "spline"; leave it out: instance carries/,
    ],
    ["a negative seed", { name: "a", simulation, seed: -1 }, /seed: is -1; give a number of at least 0/],
    ["a prototype", '{"name":"a","__proto__":{}}', /__proto__: is not a known key/],
  ])("refuses %s", (_, value, message) => {
    expect(refused(value)).toMatch(message);
  });

  it("parses or refuses any bytes", () => {
    const valid = {
      name: "a",
      simulation: { ...simulation, noise: { position: 1 }, speed: [1, 2] },
      gate: { epsilon: 5 },
      births: "none",
      solve: { gap: 1 },
      seed: 3,
    };
    const bytes = fc.oneof(
      byteSoup,
      fc.json().map((text) => Buffer.from(text)),
      mutated(Buffer.from(JSON.stringify(valid, null, 1))),
    );
    fc.assert(
      fc.property(bytes, (input) => parsesOrRefuses(() => parseScenario("s.json", input))),
      { numRuns: 1000 },
    );
  });
});

describe("readInput", () => {
  const folder = temporaryFolder();

  it("tells scenarios, detections and instance folders apart", async () => {
    const inside = folderWith(folder, {
      "s.JSON": JSON.stringify({ name: "s", simulation }),
      "pairs.csv": "frame,i,j,cost\n0,0,0,1\n",
    });
    writeFileSync(join(inside, "d.txt"), "frame,x,y\n0,1,2\n1,1,2\n");
    expect(await readInput(join(inside, "s.JSON"))).toMatchObject({ kind: "scenario", scenario: { name: "s" } });
    expect(await readInput(join(inside, "d.txt"))).toMatchObject({
      kind: "detections",
      recording: { numbers: { first: 0, step: 1 } },
    });
    expect(await readInput(inside)).toMatchObject({ kind: "instance", instance: { folder: inside } });
  });

  it("refuses what is none of them", async () => {
    const inside = folderWith(folder, { "a.npy": "", "r.jsonl": "{}" });
    await expect(readInput(join(inside, "nothing.json"))).rejects.toThrow(
      /nothing\.json: there is no such file or folder; check/,
    );
    await expect(readInput(join(inside, "a.npy"))).rejects.toThrow(
      /a\.npy: is not a \.npy file; save it with numpy\.save/,
    );
    await expect(readInput(join(inside, "r.jsonl"))).rejects.toThrow(/holds result rows; name a scenario/);
    await expect(readInput(inside)).rejects.toThrow(/holds neither pairs\.csv nor pairs\.npy; add one/);
  });
});
