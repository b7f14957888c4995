// The layer rules of the house: data flows io → costs → map (→ lap) → result → report, sweeps and baselines are made of runs, and
// only src/cli prints or exits.
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      severity: "error",
      from: { path: "^src/", orphan: true, pathNot: ["-worker\\.ts$", "\\.d\\.ts$"] },
      to: {},
    },
    {
      name: "pure-layers",
      comment: "map, lap, costs, score, report and what is timed take data, time and progress as arguments",
      severity: "error",
      from: { path: "^src/(map|lap|costs|score|report|baseline|bench)/" },
      to: {
        path: [
          "^(node:)?(fs|fs/promises|child_process|readline|process|http|https|net|perf_hooks)$",
          "^node_modules/(commander|cli-progress|csv-parse)/",
        ],
      },
    },
    {
      name: "lap-knows-no-map",
      severity: "error",
      from: { path: "^src/lap/" },
      to: { path: "^src/(map|costs|io|score|report|run|sweep|regress|cli)/" },
    },
    {
      name: "map-knows-no-costs",
      severity: "error",
      from: { path: "^src/map/" },
      to: { path: "^src/(costs|io|score|report|run|sweep|regress|cli)/" },
    },
    {
      name: "costs-below-io",
      severity: "error",
      from: { path: "^src/costs/" },
      to: { path: "^src/(io|score|report|run|sweep|regress|cli)/" },
    },
    {
      name: "io-below-run",
      severity: "error",
      from: { path: "^src/(io|score|report)/" },
      to: { path: "^src/(run|cli)/" },
    },
    {
      name: "runs-below-sweeps",
      comment: "one run knows nothing of the sweep or the baseline it belongs to",
      severity: "error",
      from: { path: "^src/(gpu|parallel|io|score|report|run)/" },
      to: { path: "^src/(sweep|regress)/" },
    },
    {
      name: "sweep-knows-no-regress",
      severity: "error",
      from: { path: "^src/sweep/" },
      to: { path: "^src/regress/" },
    },
    {
      name: "baseline-is-only-timed",
      comment: "nothing but the benchmarks may run the naive baseline",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(baseline|bench)/" },
      to: { path: "^src/baseline/" },
    },
    {
      name: "baseline-stands-on-the-engine-alone",
      severity: "error",
      from: { path: "^src/baseline/" },
      to: { path: "^src/(costs|io|score|report|run|sweep|regress|bench|cli)/" },
    },
    {
      name: "only-its-command-runs-the-bench",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(bench/|cli/bench)" },
      to: { path: "^src/bench/" },
    },
    {
      name: "only-the-queue-talks-to-a-server",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/sweep/queue" },
      to: { path: ["^node_modules/(bullmq|ioredis)/", "^(node:)?(net|http|https|http2|dgram|tls)$"] },
    },
    {
      name: "only-cli-is-on-top",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/" },
      to: { path: "^src/cli/" },
    },
    {
      name: "src-ships-no-dev-packages",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
