// The layer rules of the house. Data flows one way: images → detections → costs → map (→ lap) → result → report; experiments are made
// of runs, and only src/cli prints or exits. CONTRIBUTING.md says what each folder holds.

/** Folders from the ground up: a folder may import from those listed for it, from itself, and from nothing else under src/. */
const MAY_IMPORT = {
  core: [],
  gpu: ["core"],
  lap: ["core", "gpu"],
  map: ["core", "gpu", "lap"],
  simulation: ["core", "map/instance"],
  costs: ["core", "gpu", "map/instance", "map/gpu"],
  pixels: ["core", "gpu"],
  track: ["core", "gpu", "lap"],
  scores: ["core", "lap"],
  files: ["core"],
  formats: [
    "core",
    "files",
    "costs",
    "simulation",
    "map/instance",
    "map/dual/ascents",
    "map/proof/proof",
    "map/certificate/cuts",
  ],
  rows: ["core", "files", "formats", "simulation", "scores"],
  report: ["core", "scores", "rows"],
  run: [
    "core",
    "gpu",
    "lap",
    "map",
    "simulation",
    "costs",
    "pixels",
    "track",
    "scores",
    "files",
    "formats",
    "rows",
    "report",
  ],
  experiments: [
    "core",
    "gpu",
    "lap",
    "track",
    "map",
    "simulation",
    "costs",
    "pixels",
    "scores",
    "files",
    "formats",
    "rows",
    "report",
    "run",
  ],
  browser: ["core", "formats", "run"],
  cli: [""],
};

/** Modules below src/ and dist/ that the lab may import beside the package's exports. */
const INTERNALS = require("./lab/internals.json");

const layers = Object.entries(MAY_IMPORT).map(([folder, below]) => ({
  name: `${folder}-imports-only-what-lies-below`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: { path: "^src/", pathNot: [folder, ...below].map((name) => `^src/${name}`) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    {
      name: "proofs-are-checked-apart-from-the-solver",
      comment:
        "the check of a proof shares nothing with ascents, searches, linear programs and the tree; the solver uses its elimination",
      severity: "error",
      from: { path: "^src/map/proof/" },
      to: { path: "^src/", pathNot: ["^src/core/", "^src/lap/lap\\.ts$", "^src/map/(instance|certificate|proof)/"] },
    },
    {
      name: "proofs-of-optimality-do-not-search",
      comment: "elimination and margins share nothing with ascents, searches for tracks, linear programs and the tree",
      severity: "error",
      from: { path: "^src/map/exact/(stages|core|margins|examine|rebuilt-cores)" },
      to: {
        path: "^src/",
        pathNot: [
          "^src/core/",
          "^src/lap/lap\\.ts$",
          "^src/map/(instance|certificate|proof)/",
          "^src/map/exact/(stages|core|margins|examine)",
        ],
      },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      severity: "error",
      from: { path: "^src/", orphan: true, pathNot: ["-worker\\.ts$", "\\.d\\.ts$"] },
      to: {},
    },
    {
      name: "every-folder-has-a-rule",
      comment: "a new folder under src/ states in MAY_IMPORT what it may import",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: Object.keys(MAY_IMPORT).map((name) => `^src/${name}/`) },
      to: {},
    },
    {
      name: "pure-layers",
      comment: "these take data, time and progress as arguments",
      severity: "error",
      from: { path: "^src/(map|lap|costs|simulation|pixels|track|scores|report|experiments/(naive|bench))/" },
      to: {
        path: [
          "^(node:)?(fs|fs/promises|child_process|readline|process|http|https|net|perf_hooks)$",
          "^node_modules/(commander|csv-parse)/",
        ],
      },
    },
    {
      name: "certificates-share-nothing-with-solvers",
      comment:
        "a certificate judges a solver: it sees the instance and the definition of a LAP, and nothing that computes an answer",
      severity: "error",
      from: { path: "^src/(map/certificate/|lap/(auction/)?certificate\\.ts$)" },
      to: {
        path: "^src/",
        pathNot: ["^src/core/", "^src/lap/lap\\.ts$", "^src/map/instance/", "^src/map/certificate/"],
      },
    },
    {
      name: "only-run-opens-a-session",
      comment:
        "a run has one session on a device, and everything there takes it as an argument (openDevice in src/run)",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/run/" },
      to: { path: "^src/gpu/open-session\\.ts$" },
    },
    {
      name: "the-instance-stands-alone",
      severity: "error",
      from: { path: "^src/map/instance/" },
      to: { path: "^src/", pathNot: ["^src/core/", "^src/lap/lap\\.ts$", "^src/map/instance/"] },
    },
    {
      name: "sweep-knows-no-regress",
      severity: "error",
      from: { path: "^src/experiments/sweep/" },
      to: { path: "^src/experiments/regress/" },
    },
    {
      name: "naive-engine-is-only-timed",
      comment: "nothing but the benchmarks may run the naive engine",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/experiments/(naive|bench)/" },
      to: { path: "^src/experiments/naive/" },
    },
    {
      name: "naive-engine-stands-alone",
      severity: "error",
      from: { path: "^src/experiments/naive/" },
      to: { path: "^src/", pathNot: "^src/(core|gpu|lap|map|experiments/naive)/" },
    },
    {
      name: "only-its-command-runs-the-bench",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(experiments/bench/|cli/bench)" },
      to: { path: "^src/experiments/bench/" },
    },
    {
      name: "only-the-queue-talks-to-a-server",
      comment:
        "input-stream.ts has net's sockets for named pipes, page/serve.ts the page on this machine; tasks of one job speak by run/shards/hosts.ts",
      severity: "error",
      from: {
        path: "^src/",
        pathNot:
          "^src/(experiments/sweep/queue|files/input-stream\\.ts$|cli/page/serve\\.ts$|run/shards/(hosts|socket-line)\\.ts$)",
      },
      to: { path: ["^node_modules/(bullmq|ioredis)/", "^(node:)?(net|http|https|http2|dgram|tls)$"] },
    },
    {
      name: "src-knows-neither-tests-nor-lab",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|lab)/" },
    },
    {
      name: "the-lab-names-its-internals",
      comment: "lab/ imports rmap by its exports, and beyond these only the modules that lab/internals.json lists",
      severity: "error",
      from: { path: "^lab/" },
      to: {
        path: "^(src|dist)/",
        pathNot: ["^dist/index", "^dist/[a-z]+/index", ...INTERNALS.map((module) => `^(src|dist)/${module}\\.`)],
      },
    },
    {
      name: "the-lab-measures-the-build",
      comment: "what is measured is what users run; typed by lab/tsconfig.json",
      severity: "error",
      from: { path: "^lab/", pathNot: "^lab/(truth/.*\\.ts$|test/)" },
      to: { path: "^(src|test)/" },
    },
    {
      name: "truth-is-found-without-the-solver",
      comment:
        "brute force and HiGHS take the problem and the instance as they are, and nothing that computes an answer",
      severity: "error",
      from: { path: "^lab/truth/(highs|tracks|bound|lap)\\.ts$" },
      to: {
        path: "^(src|dist|test|lab)/",
        pathNot: ["^src/core/", "^src/lap/lap\\.ts$", "^src/map/instance/", "^lab/truth/"],
      },
    },
    {
      name: "src-ships-no-dev-packages",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm-peer"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
