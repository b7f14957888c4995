// Makes dist/browser/rmap.js, the core without Node. The modules of dist are taken as they are; page/platform stands for what they name of Node.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const platform = (/** @type {string} */ name) => fileURLToPath(new URL(`platform/${name}.ts`, import.meta.url));

/** Where modules and kernels are, as they see it. */
const placeOf = (/** @type {string} */ file) => `/rmap/${relative(dist, file).split(sep).join("/")}`;

/** The texts of all kernels, by their places. */
function kernels() {
  const folders = ["costs", "gpu", "lap", "map"].map((name) => join(dist, name));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  );
  const texts = files.filter((file) => file.endsWith(".wgsl")).map((file) => [placeOf(file), readFileSync(file, "utf8")]);
  return `export const kernels = ${JSON.stringify(Object.fromEntries(texts))};`;
}

/** Optional packages that a page does without: formulas, linear programs, the rest of Node. */
const ABSENT = /^(?:mathjs|mathjs\/number|highs|zarrita)$/;

const plugin = {
  name: "browser",
  resolveId(/** @type {string} */ source) {
    if (source === "rmap:kernels" || ABSENT.test(source)) return `\0${source}`;
    if (source === "node:fs") return platform("fs");
    if (source === "node:path") return fileURLToPath(import.meta.resolve("pathe"));
    if (source.startsWith("node:")) return platform("node");
    if (source === "webgpu") return platform("webgpu");
    return null;
  },
  load(/** @type {string} */ id) {
    if (id === "\0rmap:kernels") return kernels();
    if (!id.startsWith("\0") || !ABSENT.test(id.slice(1))) return null;
    return `import { absent } from ${JSON.stringify(platform("node"))}; absent(${JSON.stringify(id.slice(1))}); export {};`;
  },
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    if (!id.startsWith(dist)) return null;
    return code.replaceAll("import.meta.url", JSON.stringify(`file://${placeOf(id)}`));
  },
};

const fromPlatform = (/** @type {string} */ name) => /** @type {[string, string]} */ ([platform("globals"), name]);

/** The options of a bundle for browsers, for the core and for the page. */
const forBrowsers = (/** @type {string} */ input) => ({
  input,
  platform: /** @type {const} */ ("browser"),
  plugins: [plugin],
  resolve: { extensionAlias: { ".js": [".js", ".ts"] } },
  transform: {
    inject: Object.fromEntries(
      ["Buffer", "process", "setImmediate", "SharedArrayBuffer"].map((name) => [name, fromPlatform(name)]),
    ),
  },
});

const core = await rolldown(forBrowsers(fileURLToPath(new URL("core.ts", import.meta.url))));
const { output } = await core.write({
  file: join(dist, "browser/rmap.js"),
  format: "esm",
  codeSplitting: false,
  minify: { mangle: true, compress: false, codegen: { removeWhitespace: true } },
});
if (process.argv.includes("--sizes")) {
  const mods = output.flatMap((o) => Object.entries(o.modules ?? {})).map(([id, m]) => [id.replace(/.*\/(dist|node_modules)\//, "$1/"), m.renderedLength]).sort((a, b) => b[1] - a[1]);
  console.log(output[0].code.length, mods.length, mods.slice(0, 40).map((m) => m.join(" ")).join("\n"));
}
