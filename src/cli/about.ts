/** What help and the man page say of the program as a whole. */
export const ABOUT = {
  summary:
    "Multidimensional assignment for multi-target tracking: tracks with a proof of how far from optimal they can be.",
  examples: [
    "rmap init example && rmap solve example/detections.csv -o example/tracks --open",
    "rmap solve scenarios/demo.json -o results/demo",
    "rmap simulate scenarios/demo.json -o demo.csv && rmap solve demo.csv -o results/demo-csv",
    "rmap evaluate demo.csv results/demo-csv/tracks.csv",
    "rmap results/demo          # a file or folder alone: does what it is for, and says what that is",
  ],
  exitCodes: [
    ["0", "done"],
    ["1", "failed"],
    ["2", "bad usage or input"],
    ["3", "below a required accuracy or gap"],
    ["130", "interrupted"],
  ],
  environment: [
    [
      "RMAP_QUEUE_PASSWORD",
      "password of the Redis server that --queue names, so that it need not stand on the command line",
    ],
    ["RMAP_DEBUG", "if set, an error also prints where in the program it arose"],
    ["BROWSER", "program that --open calls with the file, instead of the system's own"],
  ],
} as const;

const columns = (rows: readonly (readonly [string, string])[], width: number) =>
  rows.map(([name, says]) => `  ${name.padEnd(width)}${says}`).join("\n");

/** The part of the help after the commands. */
export const afterHelp = (): string => `
Examples:
${ABOUT.examples.map((example) => `  $ ${example}`).join("\n")}

Exit codes:
${columns(ABOUT.exitCodes, 5)}

Environment:
${columns(ABOUT.environment, 21)}`;
