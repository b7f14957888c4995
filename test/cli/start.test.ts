import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

/** The modules that a module of the build imports when it is loaded, and the packages. */
function loadedBy(entry: string): { modules: Set<string>; packages: Set<string> } {
  const modules = new Set([resolve(entry)]);
  const packages = new Set<string>();
  for (const module of modules) {
    // As tsc writes it, and as the minified files of the command have it.
    for (const [, path] of readFileSync(module, "utf8").matchAll(
      /(?:^(?:import|export)[^;]*? from |[;\n](?:import|export)(?:[^;"]*?\}from)?)"([^"]+)"/gm,
    )) {
      if (path.startsWith(".")) modules.add(join(dirname(module), path));
      else if (!path.startsWith("node:")) packages.add(path);
    }
  }
  return { modules, packages };
}

test("every command line begins with a few modules: no reader of files is loaded before it is known which", () => {
  const { modules, packages } = loadedBy("dist/cli/program.js");
  expect([...packages].sort()).toEqual(["commander", "fastest-levenshtein"]);
  // 17 when this was written. With readers and decoders they were 48, and rmap --version took 0.18 s of CPU instead of 0.08.
  expect(modules.size).toBeLessThan(25);
});

test("solve loads no package of the optional ones, and no simulation of images", () => {
  const { modules, packages } = loadedBy("dist/cli/solve.js");
  expect(
    [...packages].filter((name) => /webgpu|mathjs|vega|highs|bullmq|ioredis|geotiff|zarrita|fast-png/.test(name)),
  ).toEqual([]);
  expect([...modules].filter((module) => /dist\/(pixels|experiments)\//.test(module))).toEqual([]);
});

test("the command that users start is in a few files, and finds from them what lies beside the modules", () => {
  expect([...loadedBy("dist/cli/main.js").packages]).toEqual([]);
  // 330 modules, and 0.48 s of the processor for a small solve, before the command was put into a few files: 7 and 0.24 s then. With 24 files of packages beside them it took 0.04 s more than without.
  const { modules, packages } = loadedBy("dist/parts/solve.js");
  expect(modules.size).toBeLessThan(8);
  expect([...packages]).toEqual([]);
  const parts = readdirSync("dist/parts").map((name) => readFileSync(join("dist/parts", name), "utf8"));
  const places = parts.flatMap((text) => [...text.matchAll(/new URL\([`"]([^`"]+)[`"],import\.meta\.url\)/g)]);
  const kernels = places.map(([, place]) => resolve("dist/parts", place)).filter((file) => /dist\/.*\.js$/.test(file));
  expect(kernels.length).toBeGreaterThan(15);
  expect(kernels.filter((file) => !existsSync(file))).toEqual([]);
  // One class of errors for the command and for the files that users bring, which import the library.
  expect(parts.filter((text) => /name ?= ?[`"](InputError|DeviceError)/.test(text))).toEqual([]);
});
