import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodePng } from "../src/files/images/png.js";

/** What CONTRIBUTING.md says to do for each: the file that it shows, and the entry in a registry. */
const ADDED = [
  {
    file: "src/scores/metrics/longest.ts",
    name: "longest",
    entry: "longest",
    registry: "METRICS",
    of: "src/scores/metrics.ts",
  },
  {
    file: "src/costs/models/straight.ts",
    name: "straight",
    entry: "straight",
    registry: "COST_MODELS",
    of: "src/costs/models/cost-models.ts",
  },
  {
    file: "src/map/dual/ascent-once.ts",
    name: "once",
    entry: "once",
    registry: "ASCENTS",
    of: "src/map/dual/ascents.ts",
  },
  {
    file: "src/formats/points.ts",
    name: "parsePoints",
    entry: String.raw`[".points", /^\d+ \S+ \S+\n/, parsePoints]`,
    registry: "DETECTION_FORMATS",
    of: "src/formats/input.ts",
  },
  {
    file: "src/cli/detect/bright.ts",
    name: "brightMethod",
    entry: "bright: brightMethod",
    registry: "DETECT_METHODS",
    of: "src/cli/detect/methods.ts",
  },
  {
    file: "src/cli/count.ts",
    name: "count",
    entry: 'count: async () => (await import("./count.js")).count',
    registry: "COMMANDS",
    of: "src/cli/commands.ts",
  },
];

/** Files that CONTRIBUTING.md shows and that no registry names: a kernel and the module with its twin. */
const KERNEL = ["src/pixels/bright-mask.wgsl", "src/pixels/bright-mask.ts"];

const root = fileURLToPath(new URL("..", import.meta.url));
let folder: string;

/** A copy of the build with all that CONTRIBUTING.md adds, where its packages are found. */
beforeAll(() => {
  folder = mkdtempSync(join(root, "node_modules/.adding-"));
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const shown = new Map(
    Array.from(page.matchAll(/```(?:ts|wgsl) (\S+)\n(.*?)```/gs), ([, file, code]) => [file, code]),
  );
  expect([...shown.keys()].sort()).toEqual([...ADDED.map(({ file }) => file), ...KERNEL].sort());
  const built = (file: string) => join(folder, file.replace(/^src/, "dist").replace(/ts$/, "js"));
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  for (const [file, code] of shown) {
    const isKernel = file.endsWith(".wgsl");
    writeFileSync(built(file), isKernel ? code : ts.transpileModule(code, { compilerOptions }).outputText);
  }
  for (const { file, name, entry, registry, of } of ADDED) {
    expect(page).toMatch(new RegExp(`\\\`${registry}\\\` of \\\`${of}\\\``));
    const from = `./${relative(dirname(of), dirname(file)).split("\\").join("/")}`;
    const line = `import { ${name} } from "${posix.join(from, basename(file, ".ts")).replace(/^(?!\.)/, "./")}.js";\n`;
    const text = readFileSync(built(of), "utf8");
    // A table by names, or a list.
    const [start] = new RegExp(`const ${registry} = [{[]`).exec(text) ?? [""];
    expect(start).not.toBe("");
    writeFileSync(built(of), line + text.replace(start, `${start} ${entry},`));
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const rmap = (...args: string[]) =>
  execFileSync(process.execPath, [join(folder, "dist/cli/start.js"), ...args], { encoding: "utf8" });

test("a cost with a parameter, a metric, an ascent and an input format work after one file and one line each", () => {
  const file = join(folder, "three.points");
  // Two targets that move by (1, 0) and (2, 0), four frames.
  writeFileSync(file, [0, 1, 2, 3].map((t) => `${t} ${t} 0\n${t} ${2 * t} 9\n`).join(""));
  const flags = ["--gate", "radius=3", "--births", "none", "--ascent", "once", "--device", "cpu", "--json", "-q"];
  const weighted = (weight: number) =>
    JSON.parse(rmap("solve", file, "--cost", "straight", "--cost-parameter", `weight=${weight}`, ...flags));
  const row = weighted(5);
  expect(row).toMatchObject({ ascent: "once", status: "optimal", frames: 4, detections: 8 });
  // Six links of lengths 1 and 2, weighed; both targets keep their step, so triplets cost nothing.
  expect(row.upperBound).toBeCloseTo(5 * 3 * (1 + 2), 9);
  const csv = join(folder, "three.csv");
  const rows = [0, 1, 2, 3].map((t) => `${t},${t},0,1\n${t},${2 * t},9,2\n`);
  writeFileSync(csv, `frame,x,y,target\n${rows.join("")}`);
  const { scores } = JSON.parse(rmap("solve", csv, "--cost", "straight", ...flags));
  expect(scores.longest).toBe(4);
});

test("a detector works after one file and one line", () => {
  const image = join(folder, "image.png");
  writeFileSync(image, encodePng(3, 2, Uint8Array.of(0, 0, 201, 0, 255, 0)));
  const output = join(folder, "bright.csv");
  rmap("detect", image, "--method", "bright", "--above", "200", "-o", output);
  expect(readFileSync(output, "utf8")).toBe("frame,x,y\n0,2,0\n0,1,1\n");
});

test("a command works after one file and one line, with its help, its reference and completion", () => {
  const file = join(folder, "counted.csv");
  writeFileSync(file, "frame,x,y\n0,1,1\n0,5,1\n1,9,2\n");
  expect(rmap("count", file, "--right", "3")).toBe("2 detections\n");
  expect(JSON.parse(rmap("count", file, "--json"))).toEqual({ found: 3 });
  expect(rmap("count", "--help")).toMatch(/--right <x> .*default: 0/s);
  expect(rmap("help", "--markdown")).toContain("# rmap count");
  expect(rmap("completion", "bash")).toContain("--right");
});

test("a kernel computes what its twin does", () => {
  const program = `
    import { openSession } from "${pathToFileURL(join(folder, "dist/gpu/open-session.js"))}";
    import { brightMask, brightMaskOnGpu } from "${pathToFileURL(join(folder, "dist/pixels/bright-mask.js"))}";
    const session = await openSession("software");
    const pixels = Float32Array.from({ length: 1000 }, (_, i) => (7 * i) % 256);
    const [twin, device] = [brightMask(pixels, 99.5), await brightMaskOnGpu(session, pixels, 99.5)];
    await session.close();
    console.log(twin.join() === device.join(), twin.filter((one) => one === 1).length);
  `;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  const brighter = Array.from({ length: 1000 }, (_, i) => (7 * i) % 256).filter((grey) => grey > 99.5).length;
  expect(printed.trim()).toBe(`true ${brighter}`);
});
