// Makes two files for browsers of the modules in dist: dist/browser/rmap.js, the core without Node, and dist/page/rmap.html, the page. page/platform stands for
// what these modules name of Node.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const platform = (/** @type {string} */ name) => here(`platform/${name}.ts`);

/** Where modules and kernels are, as they see it. */
const placeOf = (/** @type {string} */ file) => `/rmap/${relative(dist, file).split(sep).join("/")}`;

const plain = (/** @type {string} */ wgsl) => wgsl.replace(/\s*\/\/.*$/gm, "").replace(/^\s+/gm, "");

/** The texts of all kernels, by their places, without comments and indentation. */
function kernels() {
  const folders = ["costs", "gpu", "lap", "map"].map((name) => join(dist, name));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  );
  const texts = files
    .filter((file) => file.endsWith(".wgsl"))
    .map((file) => [placeOf(file), plain(readFileSync(file, "utf8"))]);
  return `export const kernels = ${JSON.stringify(Object.fromEntries(texts))};`;
}

/** The options of a bundle for browsers. Packages that are `absent` are as if they were not installed. */
function forBrowsers(/** @type {string} */ input, /** @type {readonly string[]} */ absent) {
  const plugin = {
    name: "browser",
    resolveId(/** @type {string} */ source, /** @type {string | undefined} */ importer) {
      if (source === "./software.js" && importer === join(dist, "gpu/adapter.js")) return platform("software");
      if (source === "rmap:kernels" || absent.includes(source)) return `\0${source}`;
      if (source === "node:fs") return platform("fs");
      if (source === "node:path") return fileURLToPath(import.meta.resolve("pathe"));
      if (source.startsWith("node:")) return platform("node");
      if (source === "webgpu") return platform("webgpu");
      if (source === "geotiff" && importer?.startsWith(dist)) return platform("geotiff");
      if (importer?.includes("/geotiff/") && /^(?:pako|lerc|zstddec)/.test(source)) return platform("geotiff");
      return null;
    },
    load(/** @type {string} */ id) {
      if (id === "\0rmap:kernels") return kernels();
      if (!id.startsWith("\0") || !absent.includes(id.slice(1))) return null;
      return `import { absent } from ${JSON.stringify(platform("node"))}; absent(${JSON.stringify(id.slice(1))}); export {};`;
    },
    transform(/** @type {string} */ code, /** @type {string} */ id) {
      if (!id.startsWith(dist)) return null;
      return code.replaceAll("import.meta.url", JSON.stringify(`file://${placeOf(id)}`));
    },
  };
  const globals = ["Buffer", "process", "setImmediate", "SharedArrayBuffer"];
  const inject = globals.map((name) => [name, /** @type {[string, string]} */ ([platform("globals"), name])]);
  return {
    input,
    platform: /** @type {const} */ ("browser"),
    plugins: [plugin],
    resolve: { extensionAlias: { ".js": [".js", ".ts"], ".jsx": [".tsx"] } },
    transform: {
      inject: Object.fromEntries(inject),
    },
  };
}

const minify = { mangle: true, compress: true, codegen: { removeWhitespace: true } };

/** The text of one script. */
async function scriptOf(/** @type {string} */ input, /** @type {readonly string[]} */ absent) {
  const bundle = await rolldown(forBrowsers(here(input), absent));
  const { output } = await bundle.generate({ format: "iife", codeSplitting: false, minify });
  return output[0].code;
}

function put(/** @type {string} */ file, /** @type {string} */ text) {
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  writeFileSync(join(dist, file), text);
}

// GEFF's codecs are as large as the core: they are in the page, and rmap.js has no GEFF.
const core = await rolldown(forBrowsers(here("core.ts"), ["mathjs/number", "highs", "zarrita", "acorn"]));
await core.write({ file: join(dist, "browser/rmap.js"), format: "esm", codeSplitting: false, minify });

const worker = await scriptOf("worker/worker.ts", ["mathjs/number", "highs", "acorn"]);
const script = (await scriptOf("app/main.tsx", [])).replaceAll("</script", "<\\/script");
// Zarr's codecs are WebAssembly, which makes functions of text; blob: allows as much.
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}' blob: 'unsafe-eval'`,
  ...["worker-src blob:", "style-src 'unsafe-inline'", "img-src data: blob:", "base-uri 'none'", "form-action 'none'"],
];
/** @type {Record<string, string>} */
const parts = {
  POLICY: policy.join("; "),
  STYLE: readFileSync(here("app/style.css"), "utf8"),
  WORKER: gzipSync(worker, { level: 9 }).toString("base64"),
  SCRIPT: script,
};
const page = readFileSync(here("app/page.html"), "utf8").replace(/\/\*([A-Z]+)\*\//g, (_, name) => parts[name]);
put("page/rmap.html", page);
if (process.argv.includes("--sizes")) console.log({ worker: worker.length, script: script.length, page: page.length });
