import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/**
 * Writes the command `rmap` in a few files, dist/cli/main.js and dist/parts. A solve loads 330 modules, and to open that many files took half of a small one's time (0.50 s of the
 * processor became 0.24). The library, the workers and the kernels stay the files that tsc and the build have made of src. The packages that every command or solve loads are in it as well, as to find and
 * open their 24 files took a sixth of a tiny solve's time (0.245 s became 0.203), and of zod's 90 files 62 are its messages in other languages, which rmap does not show. They stay dependencies, which the
 * library and the workers import, so that their licences are installed with them. All other packages stay outside.
 */
const dist = fileURLToPath(new URL("dist", import.meta.url));
const inCli = (/** @type {string} */ name) => join(dist, "cli", name);

/** Errors are told by their class, and files that users bring may throw those of the library. */
const SHARED = ["core/errors.js", "gpu/device-error.js"];

/** A module and those that are loaded with it. */
function loadedBy(/** @type {string} */ entry, /** @type {ReadonlySet<string>} */ but = new Set()) {
  const modules = new Set([entry]);
  for (const module of modules) {
    for (const [, path] of readFileSync(module, "utf8").matchAll(/^(?:import|export)[^;]*? from "(\.[^"]+)"/gm))
      if (!but.has(resolve(module, "..", path))) modules.add(resolve(module, "..", path));
  }
  return modules;
}

const INSIDE =
  /^(zod|d3-(array|scale)|commander|csv-parse\/sync|pure-rand\/.*|fastest-levenshtein|@humanwhocodes\/momoa)$/;

const start = loadedBy(inCli("program.js"));
const solve = loadedBy(inCli("solve.js"), start);

const asBuilt = {
  name: "as-built",
  resolveId(/** @type {string} */ source, /** @type {string | undefined} */ importer = dist) {
    const shared = SHARED.find((file) => resolve(importer, "..", source) === join(dist, file));
    if (shared !== undefined) return { id: `../${shared}`, external: true };
    const isPart =
      source.startsWith(".") || isAbsolute(source) || INSIDE.test(source) || importer.includes("node_modules");
    return isPart && !isBuiltin(source) ? null : { id: source, external: true };
  },
  /** Kernels, workers and package.json are found from the module that asks for them; dist/cli, dist/parts and dist/threads are equally far from it. */
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    const place = `../${relative(dist, id).split(sep).join("/")}`;
    return code.replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`);
  },
};

/**
 * @param {Record<string, string>} input
 * @param {string} folder of all files but the command itself
 * @param {import("rolldown").CodeSplittingGroup[]} groups
 */
async function write(input, folder, groups) {
  rmSync(join(dist, folder), { recursive: true, force: true });
  const bundle = await rolldown({
    input,
    platform: "node",
    plugins: [asBuilt],
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: dist,
    format: "esm",
    entryFileNames: ({ name }) => (name === "main" ? "cli/main.js" : `${folder}/[name].js`),
    chunkFileNames: `${folder}/[name].js`,
    // Names and lines go, or the package would bring more than 25 MB; nothing is computed otherwise. A stack with names: RMAP_DEBUG=1 node dist/cli/start.js …
    minify: { mangle: true, compress: false, codegen: { removeWhitespace: true } },
    codeSplitting: { groups },
  });
  await bundle.close();
}

await write({ main: inCli("start.js"), program: inCli("program.js") }, "parts", [
  { name: "start", test: (id) => start.has(id) },
  { name: "solve", test: (id) => solve.has(id) || /node_modules/.test(id) },
  { name: "images", test: /dist.(pixels|track)./ },
]);

// What the threads of a solve load: of modules each of their works loaded 7 to 43 files, which took 15 to 65 ms of the processor. The program of a thread, which never ends, stays outside.
const ofThreads = [
  "core/team",
  "simulation/walks",
  "costs/pricing",
  "map/instance/order",
  "map/dual/ascent",
  "map/certificate/certificate",
  "map/exact/margins",
  "map/primal/seeds",
  "run/blocks",
  "scores/scores",
];
const threads = ofThreads.map((name) => [`${basename(name)}-worker`, join(dist, `${name}-worker.js`)]);
await write(Object.fromEntries(threads), "threads", [{ name: "threads", test: (id) => !/team-worker/.test(id) }]);
chmodSync(inCli("main.js"), 0o755);

// What of dist the package leaves out: modules and types that neither an export, a worker nor the command reaches. The command has most modules in its parts.
const root = fileURLToPath(new URL(".", import.meta.url));
const { exports, imports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = JSON.stringify([exports, imports, bin]).match(/[^"]+\.js(?=")|[^"]+\.d\.ts(?=")/g) ?? [];
const parts = readdirSync(join(dist, "parts")).map((name) => join(dist, "parts", name));
const reached = new Set([...entries.map((entry) => join(root, entry)), ...parts]);
for (const file of reached) {
  const types = file.endsWith(".d.ts");
  for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*["'`](\.[^"'`]+\.js)["'`]/g)) {
    const imported = resolve(file, "..", path);
    const found = types ? imported.replace(/\.js$/, ".d.ts") : imported;
    if (existsSync(found)) reached.add(found);
  }
}
const files = readdirSync(dist, { recursive: true }).map((name) => join(dist, String(name)));
const left = files.filter((file) => /\.js$|\.d\.ts$/.test(file) && !reached.has(file));
writeFileSync(join(dist, ".npmignore"), left.map((file) => `/${relative(dist, file).split(sep).join("/")}\n`).join(""));
