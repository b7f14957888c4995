// The layer rules of the house: data flows io → costs → map (→ lap) → result → report, and only src/cli prints or exits.
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
      comment: "map, lap, costs, score and report take data, time and progress as arguments",
      severity: "error",
      from: { path: "^src/(map|lap|costs|score|report)/" },
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
      to: { path: "^src/(map|costs|io|score|report|run|cli)/" },
    },
    {
      name: "map-knows-no-costs",
      severity: "error",
      from: { path: "^src/map/" },
      to: { path: "^src/(costs|io|score|report|run|cli)/" },
    },
    {
      name: "costs-below-io",
      severity: "error",
      from: { path: "^src/costs/" },
      to: { path: "^src/(io|score|report|run|cli)/" },
    },
    {
      name: "io-below-run",
      severity: "error",
      from: { path: "^src/(io|score|report)/" },
      to: { path: "^src/(run|cli)/" },
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
