// Takes work as `rmap worker --jobs 1` does, but others take it after 2 s without a sign of life. Prints a line for each run. Usage: node quick-worker.mjs URL
import { runWorker } from "../../../dist/experiments/sweep/queue-worker.js";

await runWorker({
  url: process.argv[2],
  jobs: 1,
  settings: { device: "auto", threads: 1 },
  secondsPerRun: 3600,
  signal: new AbortController().signal,
  claim: 2000,
  ready: () => {},
  made: ({ name }) => console.log(name),
  solved: () => {},
  lost: () => {},
});
