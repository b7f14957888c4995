import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { readScenario } from "../../src/formats/scenario.js";
import type { GpuSession } from "../../src/gpu/session.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { gpuBackend } from "../../src/run/device.js";
import { requireMemory, requireMemoryToDraw, sizesOf } from "../../src/run/memory.js";
import { makeProblem } from "../../src/run/problem.js";
import type { Run } from "../../src/run/run.js";
import { notWritten } from "../../src/run/write.js";
import { onlyObject, refuses, rmap, scenarios, succeeds } from "../cli/rmap.js";
import { folderWith, refusal, temporaryFolder } from "../formats/support.js";
import { useSoftwareSession } from "../gpu/software-session.js";
import { randomProblem } from "../map/problems.js";
import { now } from "./support.js";

const parent = temporaryFolder();

describe("memory is estimated before it is taken", () => {
  test("a count that does not fit is refused with what would", () => {
    expect(() => requireMemory({ detections: 1e4, links: 1e6, triplets: 1e7 }, 2 ** 30)).not.toThrow();
    const links = refusal(() => requireMemory({ detections: 1e6, links: 1e9, triplets: null }, 2 ** 34));
    expect(links).toMatch(
      /^1000000000 links need about \d+\.\d GiB, but there are 16\.0 GiB: (\d+) would fit; use a narrower/,
    );
    const room = Number(/: (\d+) would fit/.exec(links)?.[1]);
    expect(() => requireMemory({ detections: 1e6, links: room, triplets: null }, 2 ** 34)).not.toThrow();
    expect(() => requireMemory({ detections: 1e6, links: room + 1, triplets: null }, 2 ** 34)).toThrow();
    const stored = refusal(() => requireMemory({ detections: 1e4, links: 1e6, triplets: 1e10 }, 2 ** 34));
    expect(stored).toMatch(/^10000000000 stored triplets need .*: \d+ would fit; use --triplets implicit/);
    expect(refusal(() => requireMemoryToDraw(1e5, 1e3, 2 ** 30))).toMatch(/^100000000 detections need .* would fit/);
  });

  test.each(["implicit", "csr"] as const)("on the way to a priced problem, %s", async (triplets) => {
    const scenario = readScenario(join(scenarios, "demo.json"));
    const options = { threads: 1, now };
    const priced = await makeProblem({ kind: "scenario", scenario }, { triplets }, options);
    const { links, triplets: stored } = sizesOf(priced.priced);
    expect(stored === null).toBe(triplets === "implicit");
    const tooMany = makeProblem({ kind: "scenario", scenario }, { triplets }, { ...options, memory: 1e6 });
    await expect(tooMany).rejects.toThrow(new RegExp(`^${links} links need about .* would fit`));
  });

  test.each([
    ["links, before there are as many", 3e5, /^\d+ links need about .* would fit/],
    ["triplets, once they are counted", 1.2e7, /^\d+ stored triplets need about .* would fit/],
  ])("of cost motion: %s", async (_, memory, expected) => {
    const scenario = readScenario(join(scenarios, "demo.json"));
    const problem = (limit?: number) =>
      makeProblem(
        { kind: "scenario", scenario },
        { cost: "motion", gate: "none", births: "none" },
        { threads: 1, now, ...(limit !== undefined && { memory: limit }) },
      );
    await expect(problem(memory)).rejects.toThrow(expected);
    await expect(problem()).resolves.toBeDefined();
  });

  test.each(["authors", "uniform"])("of the %s generator, which stores every triplet", async (kind) => {
    const cwd = folderWith(parent, {
      "g.json": JSON.stringify({ name: "g", generator: { kind, targets: 3000, frames: 100 } }),
    });
    expect(await refuses(["solve", "g.json"], { cwd })).toMatch(
      /stored triplets need .* would fit|links need .* would fit/,
    );
  });
});

const dist = (file: string): string => JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href);

/** Runs a function body in a thread with so many megabytes of heap for what lives longer than a moment; what it printed. */
async function inHeap(megabytes: number, body: string, workerData: unknown): Promise<string> {
  const code = `const { workerData } = require("node:worker_threads"); (async () => { ${body} })();`;
  const resourceLimits = { maxOldGenerationSizeMb: megabytes };
  const thread = new Worker(code, { eval: true, workerData, stdout: true, stderr: true, resourceLimits });
  const [printed, said, [end]] = await Promise.all([text(thread.stdout), text(thread.stderr), once(thread, "exit")]);
  expect({ code: end, stderr: said }).toEqual({ code: 0, stderr: "" });
  return printed;
}

const rmapInHeap = (megabytes: number, args: readonly string[]) =>
  inHeap(megabytes, `await (await import(${dist("cli/program.js")})).runProgram(workerData)`, args);

test("large output is written in pieces, in a heap that could not hold it", async () => {
  const file = join(folderWith(parent, {}), "d.csv");
  const simulate = ["simulate", "--targets", "1000", "--frames", "380"];
  await rmapInHeap(30, [...simulate, "-o", file]);
  expect(statSync(file).size).toBeGreaterThan(30 * 2 ** 20);
  expect(await rmapInHeap(30, simulate)).toBe(readFileSync(file, "utf8"));
});

test("large input is read, and large tracks are written, in a heap that could not hold them", async () => {
  // 300,000 rows: as lists of numbers they alone took 40 MB.
  const body = `
    const { parseDetections } = await import(${dist("formats/detections.js")});
    const { formatTracks } = await import(${dist("formats/tracks.js")});
    const { writeWhole } = await import(${dist("files/whole-file.js")});
    const [frames, each] = [300, 1000];
    const bytes = Buffer.alloc(40 * frames * each);
    let end = bytes.write("# dt=1\\nframe,x,y,vx,vy,target\\n");
    for (let d = 0; d < frames * each; d++) end += bytes.write(Math.floor(d / each) + "," + d + ".5,1,2,3," + (d % each) + "\\n", end);
    const { detections } = parseDetections("large.csv", bytes.subarray(0, end));
    const margins = { link: detections.x, birth: detections.x, death: detections.x };
    writeWhole(workerData, formatTracks(detections, detections.target, 0, margins));
    console.log(detections.x.length, detections.x.at(-1), detections.target.at(-1));
  `;
  const file = join(folderWith(parent, {}), "tracks.csv");
  expect(await inHeap(16, body, file)).toBe("300000 299999.5 999\n");
  expect(statSync(file).size).toBeGreaterThan(14e6);
});

test("tracks.svg is left out where there are too many detections to look at, and the notes say so", () => {
  const frameStart = Uint32Array.of(0, 1, 1_000_001);
  const run = { track: new Int32Array(1_000_001), frameStart, solution: { proof: null } } as unknown as Run;
  expect(notWritten(run)).toEqual([
    "tracks.svg is not drawn: 1000001 detections are more than the 1000000 that can be looked at.",
  ]);
  expect(notWritten({ ...run, frameStart: Uint32Array.of(0, 1, 1_000_000) })).toEqual([]);
});

test("empty frames cost little: a hundred thousand of them fit a heap in which their X-LAPs' views alone did not", async () => {
  const file = join(folderWith(parent, { "far.csv": "# dt=1\nframe,x,y\n0,1,2\n99999,1,2\n" }), "far.csv");
  const args = ["solve", file, "--device", "cpu", "--threads", "1", "--births", "5", "--json"];
  expect(onlyObject(await rmapInHeap(100, args)).upperBound).toBeCloseTo(10, 12);
});

describe("--time", () => {
  const scenario = {
    name: "long",
    simulation: { targets: 40, frames: 20, spread: 0, amplitude: 1, noise: { position: 0.4 } },
    gate: "none",
    solve: { gap: 0, iterations: 1e9 },
  };

  test("covers reading, pricing, search and certificate", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify(scenario) });
    const { times } = onlyObject(
      await succeeds(["solve", "s.json", "--device", "cpu", "--threads", "1", "--time", "2", "--json"], {
        cwd,
        alone: true,
      }),
    ) as {
      times: Record<string, number>;
    };
    // The ascent would go on for an hour; an iteration and a search of it are short here, on a machine that may be shared.
    expect(times.total).toBeLessThan(20);
    // From the start of the process.
    expect(times.wall).toBeGreaterThan(times.total);
  });

  test("that is over while the input is read is code 1, and ends the reading", async () => {
    const rows = Array.from({ length: 200_000 }, (_, d) => `${d % 500},${d},1`).join("\n");
    const cwd = folderWith(parent, { "large.csv": `frame,x,y\n${rows}\n` });
    const outcome = await rmap(["solve", "large.csv", "--device", "cpu", "--time", "0.02"], { cwd });
    expect(outcome).toEqual({
      code: 1,
      stdout: "",
      stderr: "rmap: --time 0.02: it was over while large.csv was read; give more\n",
    });
  });

  test("that is over while the links are priced is code 1, and leaves nothing", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify(scenario) });
    const outcome = await rmap(["solve", "s.json", "--device", "cpu", "--time", "0.001", "-o", "out"], { cwd });
    expect(outcome).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^rmap: --time 0\.001: it was over when/),
    });
    expect(existsSync(join(cwd, "out", "result.json"))).toBe(false);
  });
});

describe("a GPU", () => {
  const software = useSoftwareSession();

  /** A device that has so many bytes. */
  function deviceWith(memory: number) {
    software();
    let [held, made] = [0, 0];
    const refusals: boolean[] = [];
    const device = {
      limits: { maxBufferSize: 2 ** 32, maxStorageBufferBindingSize: 2 ** 31 },
      pushErrorScope() {},
      createBuffer({ size }: { size: number }) {
        const fits = held + size <= memory;
        refusals.push(!fits);
        if (fits) held += size;
        made++;
        return { destroy: () => (held -= fits ? size : 0) };
      },
      popErrorScope: async () => (refusals.at(-1) ? { message: "out of memory" } : null),
    };
    const session = { device, description: { name: "A small GPU" }, check() {} } as unknown as GpuSession;
    return { session, held: () => held, made: () => made };
  }

  test("is asked for the room of an instance before any of it is uploaded, and its refusal says what would fit", async () => {
    const { graph } = buildGraph(randomProblem({ seed: 1, counts: [4, 5, 4], births: true, storage: "absolute" }));
    // Of the counts of a graph of 20 million edges nothing else is read.
    const large = { ...graph, edges: 20_000_000 };
    const { session, held } = deviceWith(2 ** 29);
    await expect(gpuBackend("gpu", session, { now }).createSteps(large)).rejects.toThrow(
      /^20000000 edges need about 1\.2 GiB of A small GPU, which grants 0\.5 GiB: 83\d{5} edges would fit: use fewer frames/,
    );
    expect(held()).toBe(0);
  });

  test("is not asked for anything where one array is above its binding", async () => {
    const { graph } = buildGraph(randomProblem({ seed: 1, counts: [4, 5, 4], births: true, storage: "absolute" }));
    const { session, made } = deviceWith(2 ** 40);
    const tooMany = gpuBackend("gpu", session, { now }).createSteps({ ...graph, edges: 600_000_000 });
    await expect(tooMany).rejects.toThrow(
      /^600000000 edges of 13 detections need an array of 2\.2 GiB, of which A small GPU binds at most 2\.0 GiB: 53\d{7} edges would fit: use fewer frames/,
    );
    expect(made()).toBe(0);
  });
});
