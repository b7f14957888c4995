import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { randomStreams } from "../../src/core/random.js";
import { readGeff } from "../../src/formats/geff-reader.js";
import { cliquesOf } from "../../src/formats/geff-sets.js";
import { openGeff } from "../../src/formats/geff-store.js";
import { readInput } from "../../src/formats/input.js";
import type { ReadingOptions } from "../../src/formats/reading-options.js";
import { solve } from "../../src/index.js";
import type { ProblemOverrides } from "../../src/run/overrides.js";
import { makeProblem } from "../../src/run/problem.js";
import { solutionGraph } from "../../src/run/solution-graph.js";
import { rmap } from "../cli/rmap.js";
import { now, run } from "../run/support.js";
import { tries } from "../tries.js";
import { writeGraph } from "./geff-folders.js";
import { folderWith, temporaryFolder } from "./support.js";

const parent = temporaryFolder();
const plain = { zarr: 3, codec: "gzip", rows: 3 } as const;

/** A graph as its folder says it, ids being 10 more than the places of the nodes. */
interface Drawn {
  readonly t: number[];
  readonly edges: (readonly [from: number, to: number])[];
  readonly cost: number[];
  readonly node: Readonly<Record<"cost" | "birth" | "death" | "unused" | "division", number[]>>;
  /** Sets by node, −1 for none. */
  readonly exclusion: (readonly [number, number])[];
  readonly pinned: { readonly node: number[]; readonly edge: number[] };
}

function drawn(seed: number): Drawn {
  const [random] = randomStreams(seed);
  const whole = (least: number, most: number) => Math.floor(random.uniform(least, most + 1));
  const sizes = Array.from({ length: whole(2, 4) }, () => whole(1, 3));
  const t = sizes.flatMap((size, frame) => new Array<number>(size).fill(frame + 4));
  const all = t.flatMap((p, i) =>
    t.flatMap((q, j) => (q === p + 1 && random.uniform(0, 1) < 0.8 ? [[i, j] as const] : [])),
  );
  const edges = all.slice(0, 11);
  const costs = (least: number, most: number) => t.map(() => whole(least, most));
  const mayDivide = (i: number) => t[i] < 3 + sizes.length;
  const pins = (count: number, share: number) =>
    Array.from({ length: count }, () => (random.uniform(0, 1) < share ? whole(0, 1) : -1));
  return {
    t,
    edges,
    cost: edges.map(() => whole(-9, 3)),
    node: {
      ...{ cost: costs(-4, 4), birth: costs(-1, 4), death: costs(-1, 4), unused: costs(-2, 2) },
      division: t.map((_, i) => (mayDivide(i) && random.uniform(0, 1) < 0.8 ? whole(-4, 2) : Number.NaN)),
    },
    exclusion: t.map((p) => [random.uniform(0, 1) < 0.5 ? p : -1, random.uniform(0, 1) < 0.3 ? p + 100 : -1]),
    pinned: { node: pins(t.length, 0.1), edge: pins(edges.length, 0.15) },
  };
}

/** The least cost of a choice of edges by what the documentation says of the properties; null where none is allowed. */
function cheapest({ t, edges, cost, node, exclusion, pinned }: Drawn): number | null {
  let best: number | null = null;
  for (let choice = 0; choice < 2 ** edges.length; choice++) {
    const chosen = edges.flatMap((_, e) => ((choice >> e) % 2 === 1 ? [e] : []));
    const [into, out] = [t.map(() => 0), t.map(() => 0)];
    for (const e of chosen) {
      out[edges[e][0]]++;
      into[edges[e][1]]++;
    }
    const isUsed = t.map((_, i) => into[i] + out[i] > 0);
    const sets = exclusion.flatMap((of, i) => (isUsed[i] ? of.filter((set) => set >= 0) : []));
    const isAllowed =
      into.every((n) => n < 2) &&
      out.every((n, i) => n < (Number.isNaN(node.division[i]) ? 2 : 3)) &&
      new Set(sets).size === sets.length &&
      pinned.node.every((pin, i) => pin < 0 || (pin === 1) === isUsed[i]) &&
      pinned.edge.every((pin, e) => pin < 0 || (pin === 1) === chosen.includes(e));
    if (!isAllowed) continue;
    const ofNodes = t.map((_, i) => {
      if (!isUsed[i]) return node.unused[i];
      const ends = (into[i] === 0 ? node.birth[i] : 0) + (out[i] === 0 ? node.death[i] : 0);
      return node.cost[i] + ends + (out[i] === 2 ? node.division[i] : 0);
    });
    const total = [...ofNodes, ...chosen.map((e) => cost[e])].reduce((sum, one) => sum + one, 0);
    best = Math.min(best ?? Number.POSITIVE_INFINITY, total);
  }
  return best;
}

const axes = [
  { name: "t", type: "time" },
  { name: "y", type: "space" },
  { name: "x", type: "space" },
];

/** Its folder; nodes are written in turned order. */
function written(graph: Drawn, changed: Readonly<Record<string, NodeJS.TypedArray>> = {}, geff: object = {}) {
  const { t, edges, cost, node, exclusion, pinned } = graph;
  const turned = Array.from(t.keys()).reverse();
  const holes = (values: readonly number[]) => Uint8Array.from(turned, (i) => Number(Number.isNaN(values[i])));
  const numbers = (values: readonly number[]) => Float64Array.from(turned, (i) => values[i]);
  const arrays = {
    "nodes/ids": BigUint64Array.from(turned, (i) => BigInt(i + 10)),
    "nodes/props/t/values": Uint16Array.from(turned, (i) => t[i]),
    "nodes/props/y/values": numbers(t.map((_, i) => i / 2)),
    "nodes/props/x/values": numbers(t.map((_, i) => i)),
    ...Object.fromEntries(
      Object.entries(node).map(([name, values]) => [`nodes/props/${name}/values`, numbers(values)]),
    ),
    "nodes/props/division/missing": holes(node.division),
    "nodes/props/exclusion/values": Int32Array.from(turned.flatMap((i) => exclusion[i])),
    "nodes/props/pinned/values": Int32Array.from(turned, (i) => pinned.node[i]),
    "edges/ids": BigUint64Array.from(edges.flat(), (i) => BigInt(i + 10)),
    "edges/props/cost/values": Float64Array.from(cost),
    "edges/props/pinned/values": Uint8Array.from(pinned.edge, (pin) => Number(pin === 1)),
    "edges/props/pinned/missing": Uint8Array.from(pinned.edge, (pin) => Number(pin < 0)),
    ...changed,
  };
  const wide = { "nodes/props/exclusion/values": 2 };
  return writeGraph(
    folderWith(parent, {}),
    { geff: { geff_version: "1.2", directed: true, axes, ...geff }, arrays, wide },
    plain,
  );
}

async function solved(folder: string, source: ReadingOptions = {}, overrides: ProblemOverrides = {}) {
  const problem = await makeProblem(await readInput(folder, source), overrides, { threads: 1, now });
  const answer = await run(problem, { exact: true });
  const files = solutionGraph(problem, answer);
  const solution = folderWith(parent, {});
  for (const [name, content] of files ?? []) {
    mkdirSync(dirname(join(solution, name)), { recursive: true });
    writeFileSync(join(solution, name), content);
  }
  return { ...answer, problem, folder: solution };
}

describe("a graph of GEFF", () => {
  test("costs what an enumeration of its edges says: births, deaths, nodes, divisions, sets and pins", async () => {
    let [optima, refused, divided] = [0, 0, 0];
    for (let seed = 0; seed < tries(40, 150); seed++) {
      const graph = drawn(seed);
      if (graph.edges.length === 0) continue;
      const best = cheapest(graph);
      const folder = await written(graph);
      if (best === null) {
        const found = await solved(folder).catch((error) => error);
        if (found instanceof InputError) expect(found.message).toMatch(/required|is one of more/);
        else expect(found.track, `seed ${seed}`).toBeNull();
        refused++;
        continue;
      }
      const { solution, parents } = await solved(folder);
      expect(solution.upperBound, `seed ${seed}`).toBeCloseTo(best, 9);
      expect(solution.lowerBound, `seed ${seed}`).toBeLessThanOrEqual(best + 1e-9);
      if (solution.status === "optimal") optima++;
      if (parents.size > 0) divided++;
    }
    expect(optima).toBeGreaterThan(tries(25, 90));
    expect(refused).toBeGreaterThan(3);
    expect(divided).toBeGreaterThan(3);
  }, 300_000);

  /** A mother in frames 4 and 5 whose daughters go on, beside another hypothesis of one of them. */
  const family: Drawn = {
    t: [4, 5, 6, 6, 6, 7, 7],
    edges: [
      [0, 1],
      [1, 2],
      [1, 3],
      [1, 4],
      [2, 5],
      [3, 6],
      [4, 6],
    ],
    cost: [-5, -5, -5, -3, -5, -5, -4],
    node: {
      ...{ cost: [0, 0, 0, 0, 0, 0, 0], birth: [1, 6, 6, 6, 6, 6, 6], death: [6, 6, 6, 6, 6, 2, 2] },
      ...{ unused: [0, 0, 0, 0, 0, 0, 0], division: [Number.NaN, 1, 1, Number.NaN, Number.NaN, 9, Number.NaN] },
    },
    exclusion: [0, 1, 2, 3, 3, 4, 5].map((set) => [set, -1] as const),
    pinned: { node: [-1, -1, -1, -1, -1, -1, -1], edge: [-1, -1, -1, -1, -1, -1, -1] },
  };

  test("gives the chosen nodes and edges with their ids and margins", async () => {
    const { solution, folder } = await solved(await written(family));
    expect(solution.status).toBe("optimal");
    expect(solution.upperBound).toBe(cheapest(family));
    const { track, parent, frame } = await readGeff(folder);
    expect([...frame]).toEqual([4, 5, 6, 6, 7, 7]);
    expect([...parent.values()]).toEqual([track[0], track[0]]);
    const store = await openGeff(folder);
    const valuesOf = async (path: string) => Array.from((await store.array(path))?.values ?? []);
    expect((await valuesOf("nodes/ids")).sort()).toEqual([10, 11, 12, 13, 15, 16]);
    const pairs = await valuesOf("edges/ids");
    const margin = await valuesOf("edges/props/margin/values");
    const without = { ...family, pinned: { ...family.pinned, edge: [...family.pinned.edge] } };
    const optimum = cheapest(family) as number;
    margin.forEach((value, n) => {
      const [from, to] = [Number(pairs[2 * n]) - 10, Number(pairs[2 * n + 1]) - 10];
      const edge = family.edges.findIndex(([a, b]) => a === from && b === to);
      const edges = without.pinned.edge.map((pin, e) => (e === edge ? 0 : pin));
      const least = cheapest({ ...without, pinned: { ...without.pinned, edge: edges } }) as number;
      expect(Number(value)).toBeLessThanOrEqual(least - optimum + 1e-9);
    });
    // As the costs are integers, the solve ends before its multipliers prove every edge.
    expect(margin.filter((value) => Number(value) > 0).length).toBeGreaterThan(margin.length / 2);
    const missing = await valuesOf("nodes/props/division_margin/missing");
    expect(missing.filter((one) => one === 0)).toHaveLength(1);
    expect(store.meta.display_hints).toMatchObject({ display_horizontal: "x" });
  });

  test("scores are costs with the other sign, and properties may have any names", async () => {
    const scores = Float64Array.from(family.cost, (cost) => -cost);
    const folder = await written(family, {
      "edges/props/weight/values": scores,
      "nodes/props/set/values": new Int32Array(7),
    });
    const { solution } = await solved(folder, { properties: { score: "weight" } });
    expect(solution.upperBound).toBe(cheapest(family));
    const other = await solved(folder, { properties: { cost: "weight" } });
    expect(other.solution.upperBound).toBe(0);
  });

  test("pairs of nodes that overlap exclude each other, as ultrack writes them; others' nodes say nothing", async () => {
    const alone = { ...family, exclusion: family.t.map(() => [-1, -1] as const) };
    const overlaps = BigUint64Array.of(12n, 13n, 14n, 99n);
    const { solution } = await solved(await written(alone, { "overlaps/ids": overlaps }));
    const excluded = { ...alone, exclusion: alone.t.map((_, i) => [i === 2 || i === 3 ? 1 : -1, -1] as const) };
    expect(solution.upperBound).toBe(cheapest(excluded));
  });

  test("pairs become the largest sets that say the same", () => {
    const [random] = randomStreams(7);
    for (let trial = 0; trial < 50; trial++) {
      const all = Array.from({ length: 7 }, (_, a) => Array.from({ length: a }, (_, b) => [a, b] as const)).flat();
      const pairs = all.filter(() => random.uniform(0, 1) < 0.6);
      const has = (a: number, b: number) => pairs.some(([c, d]) => (a === c && b === d) || (a === d && b === c));
      const sets = cliquesOf(pairs);
      const within = (set: readonly number[]) => set.flatMap((a, n) => set.slice(n + 1).map((b) => [a, b] as const));
      for (const [a, b] of sets.flatMap(within)) expect(has(a, b)).toBe(true);
      for (const [a, b] of pairs) expect(sets.some((set) => set.includes(a) && set.includes(b))).toBe(true);
      for (const set of sets)
        for (let d = 0; d < 7; d++) if (!set.includes(d)) expect(set.every((member) => has(member, d))).toBe(false);
    }
    // A root with two children, of which the first has two of its own.
    const tree = cliquesOf([
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 4],
      [1, 3],
      [1, 4],
    ]);
    expect(tree.map((path) => path.sort())).toEqual([
      [0, 1, 3],
      [0, 2],
      [0, 1, 4],
    ]);
  });

  test("links that a user fixes hold beside its own pins", async () => {
    const file = join(
      folderWith(parent, { "links.csv": "frame,i,j,link\n5,0,0,required\n6,2,1,forbidden\n" }),
      "links.csv",
    );
    // Nodes are written in turned order, so that detection 0 of frame 6 is node 4.
    const edge = family.edges.map(([a, b]) => (a === 1 && b === 4 ? 1 : a === 2 && b === 5 ? 0 : -1));
    const { solution, graph } = await solved(await written(family), {}, { links: file });
    expect(solution.upperBound).toBe(cheapest({ ...family, pinned: { ...family.pinned, edge } }));
    expect(graph.links).toBeGreaterThan(0);
    const wrong = join(
      folderWith(parent, { "links.csv": "frame,i,j,link\n4,0,0,required\n5,0,0,required\n6,0,1,required\n" }),
      "links.csv",
    );
    await expect(solved(await written(family), {}, { links: wrong })).rejects.toThrow(
      /--links: requires an edge from .*node 14 that the graph does not have; leave/,
    );
  });

  test("ids beyond 2^53 stay", async () => {
    const large = (n: number) => 2n ** 60n + BigInt(n);
    const folder = await written(family, {
      "nodes/ids": BigUint64Array.from([6, 5, 4, 3, 2, 1, 0], large),
      "edges/ids": BigUint64Array.from(family.edges.flat(), large),
    });
    const { folder: solution } = await solved(folder);
    const ids = (await (await openGeff(solution)).array("nodes/ids"))?.values as string[];
    expect(ids.length).toBeGreaterThan(3);
    expect(ids.every((id) => BigInt(id) - large(0) < 7n && BigInt(id) >= large(0))).toBe(true);
    const refused = await written(family, { "nodes/props/exclusion/values": new BigInt64Array(14).fill(large(1)) });
    await expect(solved(refused)).rejects.toThrow(/exclusion: 1152921504606846977 is too large to be held exactly/);
  });

  test("without edges, its nodes are detections, in the unit of its axes, and the ids stay", async () => {
    const t = Array.from({ length: 60 }, (_, n) => Math.floor(n / 3));
    const scaled = axes.map((axis) =>
      axis.type === "space" ? { ...axis, unit: "pixel", scale: 0.5, offset: 3, scaled_unit: "micrometer" } : axis,
    );
    const folder = await writeGraph(
      folderWith(parent, {}),
      {
        geff: { geff_version: "1.2", directed: true, axes: scaled },
        arrays: {
          "nodes/ids": BigInt64Array.from(t, (_, n) => BigInt(-n - 5)),
          "nodes/props/t/values": Uint16Array.from(t),
          "nodes/props/y/values": Float32Array.from(t, (p, n) => (n % 3) * 40 + p),
          "nodes/props/x/values": Float32Array.from(t, (p) => 2 * p),
          "edges/ids": new BigUint64Array(0),
        },
      },
      plain,
    );
    const { problem, folder: solution } = await solved(folder);
    expect(problem.unit).toBe("micrometer");
    expect([...(problem.detections?.x ?? [])].slice(0, 4)).toEqual([3, 3, 3, 4]);
    const store = await openGeff(solution);
    expect((await store.array("nodes/ids"))?.values).toEqual(Float64Array.from(t, (_, n) => -n - 5));
    expect((await store.array("edges/ids"))?.shape).toEqual([57, 2]);
    expect(store.meta.axes?.map(({ unit }) => unit)).toEqual([undefined, "micrometer", "micrometer"]);
  });

  test("the command writes the solution, and its proof, program and library say the same", async () => {
    const [folder, out] = [await written(family), folderWith(parent, {})];
    const told = await rmap(["solve", folder, "-o", out, "--json"]);
    expect(told.code).toBe(0);
    expect(JSON.parse(told.stdout)).toMatchObject({ status: "optimal", upperBound: cheapest(family), frames: 4 });
    expect(readFileSync(join(out, "tracks.csv"), "utf8").split("\n")[0]).toMatch(/,parent,node$/);
    expect((await readGeff(join(out, "solution.geff"))).track).toHaveLength(6);
    const checked = await rmap(["check", join(out, "proof.json"), folder]);
    expect(checked.stdout).toContain("the proof holds: the tracks are optimal");
    expect((await rmap(["model", folder, "-o", join(out, "m.lp")])).code).toBe(0);
    expect((await solve(folder)).upperBound).toBe(cheapest(family));
    for (const [args, says] of [
      [["--window", "4"], /: a graph is not read as a stream; leave --window out/],
      [["--shards", "2"], /shards know neither; leave --shards out/],
      [["--device", "software"], /a GPU's kernels know neither; use --device cpu/],
      [["--gate", "4"], /--gate: a graph carries its own costs; leave it out/],
      [["--properties", "birth=no"], /--properties birth=no: .* has no such property of nodes/],
    ] as const) {
      const refused = await rmap(["solve", folder, ...args, "-q"]);
      expect([refused.code, refused.stderr.trim().split("\n").length]).toEqual([2, 1]);
      expect(refused.stderr).toMatch(says);
    }
    const forecast = await rmap(["devices", "--for", folder]);
    expect(forecast.stdout).toMatch(
      /on a GPU +not at all: its kernels know neither unused detections nor exclusions\n--device auto takes: cpu\n$/,
    );
    // What is no graph is not removed for one.
    const other = folderWith(parent, {});
    mkdirSync(join(other, "solution.geff"));
    writeFileSync(join(other, "solution.geff/mine.txt"), "");
    expect((await rmap(["solve", folder, "-o", other, "-q"])).stderr).toMatch(
      /solution\.geff: is not a solution that rmap wrote; move it away/,
    );
    expect(readFileSync(join(other, "solution.geff/mine.txt"), "utf8")).toBe("");
  });

  const first = (values: NodeJS.TypedArray, value: number) => Object.assign(values, { 0: value });
  test.each<[string, Parameters<typeof written>, RegExp, ReadingOptions?]>([
    [
      "no cost",
      [{ ...family, cost: [] }, { "edges/props/cost/values": Float64Array.of() }],
      /edges\/props\/cost: has the shape 0, not one value for each of 7 edges/,
    ],
    [
      "no nodes",
      [{ ...family, t: [], edges: [], cost: [], exclusion: [], pinned: { node: [], edge: [] } }],
      /has no nodes; name a folder with nodes/,
    ],
    [
      "an id that is no integer",
      [family, { "nodes/ids": Float64Array.of(16, 15, 14, 13, 12, 11.5, 10) }],
      /nodes\/ids: "11.5" is no whole number; number the nodes/,
    ],
    [
      "a frame below 0",
      [{ ...family, t: [-1, 0, 1, 1, 1, 2, 2] }, { "nodes/props/t/values": Int32Array.of(2, 2, 1, 1, 1, 0, -1) }],
      /props\/t: -1 of node 10 is negative; number the frames/,
    ],
    [
      "a cost that is true or false",
      [family, { "edges/props/cost/values": Uint8Array.of(1, 0, 1, 1, 1, 1, 1) }],
      /props\/cost: is true or false, not a number; write the property as numbers/,
    ],
    [
      "a cost that is no number",
      [{ ...family, cost: [1, 1, Number.NaN, 1, 1, 1, 1] }],
      /edge 2 \(11 to 13\): has no number for its cost; give it a finite one, or leave/,
    ],
    [
      "an infinite cost",
      [{ ...family, cost: [Number.POSITIVE_INFINITY, 1, 1, 1, 1, 1, 1] }],
      /edge 0 \(10 to 11\): has Infinity for its cost/,
    ],
    [
      "an edge to nowhere",
      [family, { "edges/ids": BigUint64Array.of(10n, 11n, 11n, 77n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n) }],
      /edges\/ids: "77" is no node's id; add the node, or leave the edge out/,
    ],
    [
      "an edge back in time",
      [{ ...family, edges: [[1, 0], ...family.edges.slice(1)] }],
      /edge 0 \(11 to 10\): goes from frame 5 to 4; turn it round, or say directed: false/,
    ],
    [
      "an edge within a frame",
      [{ ...family, edges: [[2, 3], ...family.edges.slice(1)] }],
      /edge 0 \(12 to 13\): goes from frame 6 to 6; leave it out/,
    ],
    [
      "an edge over frames",
      [{ ...family, edges: [[0, 2], ...family.edges.slice(1)] }],
      /edge 0 \(10 to 12\): goes from frame 4 to 6, over others; leave it out: edges join a frame and the next/,
    ],
    [
      "an edge twice",
      [{ ...family, edges: [[1, 2], ...family.edges.slice(1)] }],
      /edge 1 \(11 to 12\): is edge 0 again; keep one/,
    ],
    ["half an edge", [family, { "edges/ids": BigUint64Array.of(10n, 11n, 11n) }], /edges\/ids/],
    [
      "a cost of a node that is no number",
      [family, { "nodes/props/birth/values": first(new Float64Array(7), 2e30) }],
      /node 16: 2e\+30 is no cost \(birth\); correct it/,
    ],
    [
      "a place that is no number",
      [family, { "nodes/props/x/values": first(new Float64Array(7), Number.NaN) }],
      /props\/x: NaN of node 16 is no position/,
    ],
    [
      "a set of two frames",
      [{ ...family, exclusion: family.t.map(() => [8, -1] as const) }],
      /has nodes "10" and "11" of different frames in one set; give each/,
    ],
    [
      "a pin of 2",
      [family, { "nodes/props/pinned/values": first(new Int32Array(7), 2) }],
      /node 16: pinned 2 says nothing; give true or 1/,
    ],
    [
      "two required edges into a node",
      [{ ...family, pinned: { ...family.pinned, edge: [-1, -1, -1, -1, -1, 1, 1] } }],
      /edge 6 \(14 to 16\): is not the only required edge into its node/,
    ],
    [
      "three required edges out of a node",
      [{ ...family, pinned: { ...family.pinned, edge: [-1, 1, 1, 1, -1, -1, -1] } }],
      /edge 3 \(11 to 14\): is one of more required edges out of its node/,
    ],
    [
      "a required edge of a forbidden node",
      [{ ...family, pinned: { edge: [1, -1, -1, -1, -1, -1, -1], node: [0, -1, -1, -1, -1, -1, -1] } }],
      /edge 0 \(10 to 11\): is required, and one of its nodes is forbidden/,
    ],
    [
      "nodes required of one set",
      [{ ...family, pinned: { ...family.pinned, node: [-1, -1, -1, 1, 1, -1, -1] } }],
      /node 1[34]: is required, and no tracks keep to all that is; require less/,
    ],
    [
      "a name that is not there",
      [family],
      /--properties birth=appear: .* has no such property of nodes; its properties of nodes are birth, cost, death, division/,
      { properties: { birth: "appear" } },
    ],
    [
      "a cost and a score",
      [family],
      /--properties: names a cost and a score of edges; name the one/,
      { properties: { cost: "cost", score: "cost" } },
    ],
    ["an affine map", [family, {}, { affine: { matrix: [] } }], /has an affine map of its axes; apply it/],
    [
      "axes in two units",
      [family, {}, { axes: axes.map((axis) => (axis.name === "x" ? { ...axis, unit: "meter" } : axis)) }],
      /props\/y: is in no unit, and x in meter; give the axes one unit/,
    ],
    [
      "columns",
      [family],
      /--columns: .* is GEFF, no table; leave it out, or give --properties/,
      { columns: { x: "a" } },
    ],
  ])("%s is refused", async (_, given, says, source = {}) => {
    await expect(written(...given).then((folder) => solved(folder, source))).rejects.toThrow(says);
  });

  test.each([
    ["edges/ids/zarr.json", "{", /edges\/ids\/zarr\.json:1: is not JSON \(a bracket is not closed\); check quotes/],
    ["zarr.json", '{"attributes": NaN}', /zarr\.json:1: is not JSON/],
    [
      "nodes/props/x/values/zarr.json",
      '{"zarr_format":3,"node_type":"array"}',
      /x\/values: cannot be read as Zarr; write the/,
    ],
    ["nodes/props/x/values/zarr.json", "{}", /x\/values: cannot be read as Zarr; write the folder again/],
  ])("damaged metadata: %s of %s", async (file, text, says) => {
    const folder = await written(family);
    writeFileSync(join(folder, file), text);
    await expect(solved(folder)).rejects.toThrow(says);
  });

  test("what is only there in part is refused, and not taken for absent", async () => {
    for (const [lost, says] of [
      [
        "edges/ids/zarr.json",
        /edges\/ids: has neither .zarray nor zarr.json, which say what it holds; write the folder/,
      ],
      ["nodes/props/birth/values", /nodes\/props\/birth: has no array values; write the folder/],
    ] as const) {
      const folder = await written(family);
      rmSync(join(folder, lost), { recursive: true });
      await expect(solved(folder)).rejects.toThrow(says);
    }
  });

  test("edges of no cost are refused with the names of their properties", async () => {
    const folder = await written(family);
    rmSync(join(folder, "edges/props/cost"), { recursive: true });
    await expect(solved(folder)).rejects.toThrow(
      /has edges without a property cost, but with pinned; say which is a cost, less being better, or a score/,
    );
  });
});
