import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

/** The modules that a module of the build imports when it is loaded, and the packages. */
function loadedBy(entry: string): { modules: Set<string>; packages: Set<string> } {
  const modules = new Set([resolve(entry)]);
  const packages = new Set<string>();
  for (const module of modules) {
    for (const [, path] of readFileSync(module, "utf8").matchAll(/^(?:import|export)[^;]*? from "([^"]+)"/gm)) {
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
