import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Outcome, runInside } from "../../lab/truth/inside.js";
import { consumerFolder, manifestOf, sizeOf } from "./consumer-folder.js";

let folder: string;
let rmap: (...args: string[]) => Promise<Outcome>;
beforeAll(async () => {
  folder = consumerFolder();
  const { runProgram } = await import(pathToFileURL(join(folder, "node_modules/rmap/dist/parts/program.js")).href);
  rmap = (...args) => runInside(runProgram, args, folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says of the folder. */
const tsc = () => execFileSync(process.execPath, [resolve("test/library/tsc.mjs")], { cwd: folder, encoding: "utf8" });

const tiny = "node_modules/rmap/scenarios/tiny.json";
const missing = (what: string, packages: string) => {
  const named = packages.split(" ").join(" and ");
  const which = named === packages ? `package ${named}, which is` : `packages ${named}, which are`;
  return `rmap: ${what} needs the ${which} not installed; run "npm install ${packages}"\n`;
};

test("npm install rmap brings no more than README says, and none of the optional packages", () => {
  const [, megabytes] = /brings the solver, less than (\d+) MB/.exec(readFileSync("README.md", "utf8")) ?? [];
  expect(1024 * sizeOf(join(folder, "node_modules"))).toBeLessThan(1e6 * Number(megabytes));
  const { dependencies = {}, peerDependenciesMeta = {} } = manifestOf(join(folder, "node_modules/rmap"));
  const optional = [
    "@napi-rs/canvas",
    "@sparticuz/chromium",
    "acorn",
    "bullmq",
    "geotiff",
    "highs",
    "ioredis",
    "mathjs",
    "vega",
    "vega-lite",
    "webgpu",
    "zarrita",
  ];
  expect(Object.keys(peerDependenciesMeta)).toEqual(optional);
  expect(optional.filter((name) => name in dependencies)).toEqual([]);
});

test("a sweep finds the program of its processes", async () => {
  const simulation = { targets: 3, frames: 4 };
  const sweep = { name: "two", base: { name: "two", simulation }, grid: { cost: ["spline"] }, seeds: [1, 2] };
  writeFileSync(join(folder, "two.json"), JSON.stringify(sweep));
  const { code } = await rmap("sweep", "two.json", "--append", "two.jsonl", "--jobs", "2", "-q");
  const rows = readFileSync(join(folder, "two.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row));
  expect({ code, proved: rows.map(({ status }) => status) }).toEqual({ code: 0, proved: ["optimal", "optimal"] });
});

const EXAMPLES = ["README.md", "docs/how-to/library.md"].map((page) => {
  const [, program = "", printed = ""] =
    /```ts\n([\s\S]*?)```[\s\S]*?```text\n([\s\S]*?)```/.exec(readFileSync(page, "utf8")) ?? [];
  return { page, name: page.replace(/\W/g, "-"), program, printed };
});

test.each(EXAMPLES)(
  "the program in $page runs as JavaScript, and prints what the page says",
  async ({ name, program, printed }) => {
    // It has no types to strip, and its paths are those of the package.
    const place = join(folder, "node_modules/rmap");
    const file = join(place, `${name}.mjs`);
    writeFileSync(file, program);
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...said) => void lines.push(`${format(...said)}\n`));
    try {
      await runInside(() => import(pathToFileURL(file).href), [], place);
    } finally {
      log.mockRestore();
    }
    expect(lines.join("")).toBe(printed);
  },
);

describe("in a bundle", () => {
  const bundler = resolve("node_modules/rolldown/bin/cli.mjs");
  const [, config = ""] = /```js\n([\s\S]*?)```/.exec(readFileSync("docs/how-to/library.md", "utf8")) ?? [];
  const [{ program, printed }] = EXAMPLES;
  const bundled = (text: string, config: string) => {
    writeFileSync(join(folder, "program.ts"), text);
    writeFileSync(join(folder, "rolldown.config.mjs"), config);
    execFileSync(process.execPath, [bundler, "-c", "rolldown.config.mjs"], { cwd: folder, stdio: "ignore" });
    const { status, stdout, stderr } = spawnSync(process.execPath, ["bundle.mjs"], { cwd: folder, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const priced = `import { priceDetections } from "rmap/costs";
    const detections = { frames: 3, frameStart: Uint32Array.of(0, 1, 2, 3), x: Float64Array.of(0, 1, 2), y: Float64Array.of(0, 0, 0),
      vx: null, vy: null, target: null, unit: "", dt: 1 };
    const given = { cost: "spline", gate: "none", birthDeath: "none" };
    const { links } = await priceDetections(detections, given, { threads: 2, poolFrom: 0 });
    console.log(links.cost.length);`;

  test("README's program and worker threads run with the configuration in docs/how-to/library.md", () => {
    expect(bundled(program, config)).toEqual({ status: 0, stdout: printed, stderr: "" });
    expect(bundled(priced, config)).toEqual({ status: 0, stdout: "2\n", stderr: "" });
  });

  test("with the modules of rmap inside, what needs no other file runs, and the rest is refused", () => {
    const inside = config
      .replace("external: [/^rmap/]", 'platform: "node"')
      .replace("file:", "codeSplitting: false, file:");
    expect(inside).not.toContain("external");
    expect(bundled(program, inside)).toEqual({ status: 0, stdout: printed, stderr: "" });
    const { status, stderr } = bundled(priced, inside);
    const outside = "if these are in a bundle, make rmap external";
    expect(stderr).toContain(
      `InputError: the worker thread pricing-worker is not beside the modules of rmap; ${outside}`,
    );
    expect(status).toBe(1);
  });
});

test("programs and types hold for a user with strict settings, whose packages are rmap and TypeScript alone", () => {
  const { exports } = manifestOf(join(folder, "node_modules/rmap"));
  const entries = Object.keys(exports).map((entry) => entry.replace(/^\./, "rmap"));
  writeFileSync(
    join(folder, "all.ts"),
    entries.map((entry, n) => `export type * as entry${n} from "${entry}";\n`).join(""),
  );
  for (const { name, program } of EXAMPLES) writeFileSync(join(folder, `${name}.ts`), program);
  const files = ["all.ts", ...EXAMPLES.map(({ name }) => `${name}.ts`)];
  const shared = { module: "nodenext", target: "es2023", noEmit: true, types: [] };
  const compilerOptions = { ...shared, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  expect(tsc()).toBe("");
});

describe("without the optional packages", () => {
  test("solve runs on the CPU, and says why where a GPU was looked for", async () => {
    const small = await rmap("solve", tiny, "--json");
    expect(JSON.parse(small.stdout).device).toEqual({ requested: "auto", actual: "cpu" });
    // Kernels that are named ask for a GPU at any size.
    const { code, stdout } = await rmap("solve", tiny, "--x-laps", "auto", "-o", "tiny");
    expect(code).toBe(0);
    const why = 'a GPU needs the package webgpu, which is not installed; run "npm install webgpu"';
    expect(stdout).toMatch(new RegExp(`^ {2}ran .* cpu f64, .* s; ${why}$`, "m"));
    const { device } = JSON.parse(readFileSync(join(folder, "tiny/result.json"), "utf8"));
    expect(device).toEqual({ requested: "auto", actual: "cpu", why });
    expect((await rmap("check", "tiny/proof.json", tiny)).code).toBe(0);
    const cpu = await rmap("solve", tiny, "--device", "cpu", "--json");
    expect(JSON.parse(cpu.stdout).device).toEqual({ requested: "cpu", actual: "cpu" });
    expect((await rmap("devices")).stdout).toContain("--device auto takes: cpu");
  });

  test.each([
    ["detect", "a.pgm", "--method", "harris"],
    ["detect", "a.pgm", "b.pgm", "--method", "before-detect", "-o", "found.csv"],
    ["match", "a.pgm", "b.pgm", "--method", "klt"],
    ["link", "a.pgm", "b.pgm", "-o", "linked"],
    ["flow", "a.pgm", "b.pgm", "-o", "moved.flo"],
    ["flow", "two", "--detections", "two.csv", "-o", "moved.csv"],
    ["flow", "two", "-o", "flows"],
  ])("%s %s %s %s says why too", async (...args) => {
    const squares = (at: number) =>
      Buffer.from(Array.from({ length: 64 * 64 }, (_, k) => square((k % 64) - at, k >> 6)));
    const square = (x: number, y: number) => 40 + ((x * 7 + y * 3) % 5) + (x % 16 > 5 && y % 16 > 7 ? 150 : 0);
    for (const [n, name] of ["a.pgm", "b.pgm"].entries())
      writeFileSync(join(folder, name), Buffer.concat([Buffer.from("P5 64 64 255 "), squares(n)]));
    mkdirSync(join(folder, "two"), { recursive: true });
    for (const name of ["a.pgm", "b.pgm"]) copyFileSync(join(folder, name), join(folder, "two", name));
    writeFileSync(join(folder, "two.csv"), "frame,x,y\n0,20,20\n1,21,20\n");
    const { stdout, stderr } = await rmap(...args, "--json");
    expect(JSON.parse(stdout || `"${stderr}"`)).toMatchObject({
      device: { requested: "auto", actual: "cpu", why: expect.stringContaining("npm install webgpu") },
    });
  });

  test.each<[string, string[], string, string]>([
    ["a GPU", ["solve", tiny, "--device", "gpu"], "--device gpu", "webgpu"],
    ["the software driver's engine", ["solve", tiny, "--device", "software"], "--device software", "webgpu"],
    ["HiGHS", ["solve", tiny, "--exact"], "--exact", "highs"],
    ["the queue", ["worker", "--queue", "redis://127.0.0.1:1"], "--queue", "bullmq ioredis"],
    ["TIFF files", ["detect", "film.tif", "--method", "harris", "-o", "film.csv"], "film.tif: a TIFF file", "geotiff"],
    ["GEFF", ["summary", "cells.geff"], "cells.geff: a GEFF folder", "zarrita"],
    ["charts", ["report", "tiny", "-o", "page.html"], "rmap report", "vega vega-lite"],
  ])("%s is named with its command", async (_, args, what, packages) => {
    writeFileSync(join(folder, "film.tif"), "II*\0");
    mkdirSync(join(folder, "cells.geff"), { recursive: true });
    writeFileSync(join(folder, "cells.geff/.zgroup"), '{"zarr_format":2}');
    expect(await rmap(...args)).toEqual({ code: 2, stdout: "", stderr: missing(what, packages) });
  });

  test("without acorn a cost's triplets are stored, with the command in a note", async () => {
    writeFileSync(join(folder, "turns.mjs"), "export const triplet = (ij, jk) => Math.abs(jk.dx - ij.dx);\n");
    const { code, stdout } = await rmap("solve", tiny, "--cost", "./turns.mjs", "--json");
    const why = 'computing them needs the package acorn, which is not installed; run "npm install acorn"';
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, storage: "csr" });
    expect(JSON.parse(stdout).notes).toContain(`Triplets are stored: ${why}.`);
  });

  test("mathjs is named with its command where a cost has formulas", async () => {
    const scenario = {
      name: "own",
      simulation: { targets: 5, frames: 6 },
      cost: { pair: "dx^2 + dy^2", triplet: "0" },
    };
    writeFileSync(join(folder, "own.json"), JSON.stringify(scenario));
    const { code, stderr } = await rmap("solve", "own.json");
    expect({ code, stderr }).toEqual({ code: 2, stderr: missing("a formula in a cost", "mathjs") });
  });

  test("tracking, scoring, export, detection and flow run", async () => {
    const image = (shift: number) =>
      Buffer.concat([
        Buffer.from("P5 48 48 255 "),
        Buffer.from(Array.from({ length: 48 * 48 }, (_, k) => (((k % 48) + shift) * Math.floor(k / 48)) & 255)),
      ]);
    mkdirSync(join(folder, "core"), { recursive: true });
    for (const name of ["0", "1"]) writeFileSync(join(folder, `core/${name}.pgm`), image(Number(name)));
    const commands = [
      ["simulate", tiny, "-o", "core/tiny.csv"],
      ["track", "core/tiny.csv", "-o", "core/tracks.csv"],
      ["evaluate", "core/tiny.csv", "core/tracks.csv"],
      ["export", "core/tracks.csv", "-o", "core/napari.csv", "--as", "napari"],
      ["detect", "core/0.pgm", "--method", "harris", "-o", "core/corners.csv"],
      ["flow", "core/0.pgm", "core/1.pgm", "-o", "core/flow.flo"],
    ];
    const printed: string[] = [];
    for (const args of commands) {
      const { code, stdout, stderr } = await rmap(...args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
      printed.push(stdout);
    }
    expect(printed.at(-1)).toMatch(
      /^ {2}ran .* cpu f32, .* s; a GPU needs the package webgpu, which is not installed; /m,
    );
  });

  // Last, since Node remembers where it found a package.
  test.runIf(process.platform === "linux" && process.arch === "x64")(
    "the software driver is named with its command where webgpu alone is installed",
    async () => {
      const link = join(folder, "node_modules/webgpu");
      symlinkSync(resolve("node_modules/webgpu"), link, "dir");
      try {
        const { code, stderr } = await rmap("solve", tiny, "--device", "software");
        expect({ code, stderr }).toEqual({ code: 2, stderr: missing("--device software", "@sparticuz/chromium@138") });
      } finally {
        rmSync(link);
      }
    },
  );
});
