/**
 * Costs that users write as functions: which of the twenty in lab/costs/written gpu.js's emitter of WGSL takes, and rmap's, and in what time; and what n300-t300 takes
 * with the Student-t one, triplets stored and computed, or as the program chooses (`--storages auto`). lab/notes/own-costs.md tells of it.
 *
 *     npm run build && node lab/costs/written-costs.mjs [--rows lab/results/written-costs.jsonl] [--device cpu|gpu|software] [--gap 0.05] [--only translated|solved|ungated] [--storages csr,implicit] [--time 120]
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { translateTriplet } from "../../dist/costs/written/translate.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const folder = "lab/costs/written";
const scenario = "scenarios/paper/n300-t300.json";
const student = join(folder, "student-t-of-a-second-difference.mjs");
const { values: options } = parseArgs({
  options: {
    rows: { type: "string" },
    device: { type: "string", default: "cpu" },
    gap: { type: "string", default: "0.05" },
    only: { type: "string" },
    storages: { type: "string", default: "csr,implicit" },
    time: { type: "string", default: "120" },
  },
});

/** The names under which gpu.js, which knows numbers alone, gets those of links and parameters. */
const NAMES = ["ij_dx", "ij_dy", "jk_dx", "jk_dy", "p_weight", "p_scale", "p_nu"];

/** The cost by gpu.js: null where it emits a text, else why not. Whether Dawn takes the text is not asked. */
async function byGpuJs(/** @type {string} */ text) {
  const { WGSLFunctionNode } = createRequire(import.meta.url)("gpu.js/src/backend/web-gpu/function-node.js");
  const { parse } = await import("acorn");
  const flat = text
    .replace(/\b(ij|jk|p)\.(\w+)/g, "$1_$2")
    .replace(/\(ij, jk(, p)?\)/g, `(${NAMES.join(", ")})`)
    .replace(/export const parameters[^\n]*\n/, "");
  const functions = parse(flat, { ecmaVersion: "latest", sourceType: "module" }).body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    /** @type {any[]} */
    const nodes = declared.type === "VariableDeclaration" ? declared.declarations.map(({ init }) => init) : [declared];
    return nodes.filter(({ type }) => /Function/.test(type));
  });
  try {
    for (const node of functions) {
      const argumentTypes = node.params.map(() => "Number");
      new WGSLFunctionNode(flat.slice(node.start, node.end), {
        ...{ name: node.id?.name ?? "triplet", isRootKernel: false, argumentTypes, argumentSizes: [], output: [1] },
        ...{ argumentBitRatios: argumentTypes.map(() => 4), constants: {}, constantTypes: {}, constantBitRatios: {} },
        ...{ lookupReturnType: () => "Number", lookupFunctionArgumentTypes: () => null, returnType: "Number" },
        ...{ lookupFunctionArgumentName: () => null, lookupFunctionArgumentBitRatio: () => 4, plugins: [] },
        ...{ needsArgumentType: () => false, assignArgumentType() {}, triggerImplyArgumentType() {} },
        ...{ triggerImplyArgumentBitRatio() {}, onNestedFunction() {}, onFunctionCall() {}, strictIntegers: false },
      }).toString();
    }
    return null;
  } catch (error) {
    return error.message.split("\n")[0];
  }
}

/**
 * A solve in a process of its own, with its peak of memory and its processor time.
 * @returns {any}
 */
function solved(/** @type {string[]} */ args) {
  const usage = "process.on('exit', () => console.error('USAGE ' + JSON.stringify(process.resourceUsage())))";
  const command = [
    "--import",
    `data:text/javascript,${usage}`,
    "dist/cli/main.js",
    "solve",
    scenario,
    ...args,
    "--json",
  ];
  const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", maxBuffer: 2 ** 28 });
  if (stdout === "") return { refused: stderr.replace(/^USAGE.*$/m, "").trim() };
  const result = JSON.parse(stdout);
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(/USAGE (.*)/.exec(stderr)?.[1] ?? "{}");
  return {
    ...{ storage: result.storage, status: result.status, gapPercent: result.gapPercent, iterations: result.iterations },
    ...{ lowerBound: result.lowerBound, upperBound: result.upperBound, triplets: result.triplets, notes: result.notes },
    ...{
      device: result.device.actual,
      seconds: result.times.total,
      solve: result.times.solve,
      yLsap: result.times.yLsap,
    },
    ...{ peakBytes: 1024 * maxRSS, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 },
  };
}

const made = provenance(new Date());
if (options.only === undefined || options.only === "translated") {
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), "utf8");
    const begin = process.cpuUsage();
    const translated = await translateTriplet(text);
    const { user, system } = process.cpuUsage(begin);
    const milliseconds = (user + system) / 1000;
    const [gpuJs, rmap] = [await byGpuJs(text), typeof translated === "string" ? translated : null];
    keepRow(options.rows, { benchmark: "written-costs", cost: file, gpuJs, rmap, milliseconds, ...made });
    console.log(
      `${file.padEnd(40)} gpu.js ${gpuJs ?? "emits it"}; rmap ${rmap ?? "emits it"}, ${milliseconds.toFixed(1)} ms`,
    );
  }
}
if (options.only === "ungated") {
  for (const storage of ["implicit", "csr"]) {
    const asked = ["--device", options.device, "--gate", "none", "--gap", options.gap, "--time", options.time];
    const row = solved(["--cost", student, ...asked, "--triplets", storage]);
    keepRow(options.rows, { benchmark: "written-costs", cost: "300 × 300, no gate", storage, ...row, ...made });
    console.log(`300 × 300 without a gate, ${storage}: ${JSON.stringify(row)}`);
  }
}
if (options.only === undefined || options.only === "solved") {
  for (const storage of options.storages.split(",")) {
    const asked = storage === "auto" ? [] : ["--triplets", storage];
    const row = solved(["--cost", student, "--device", options.device, "--gap", options.gap, ...asked]);
    const given = { cost: "n300-t300", gap: Number(options.gap), asked: { device: options.device, storage } };
    keepRow(options.rows, { benchmark: "written-costs", ...given, ...row, ...made });
    const memory = `${(row.peakBytes / 1e6).toFixed(0)} MB`;
    console.log(
      `n300-t300 ${storage} (${row.storage}) on ${row.device}: gap ${row.gapPercent} %, ${row.iterations} iterations, ${row.cpuSeconds.toFixed(1)} CPU s, ${memory}, ${row.seconds.toFixed(1)} s`,
    );
  }
}
