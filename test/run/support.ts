import { fileURLToPath } from "node:url";
import { COUNTED } from "../../src/core/frame-numbers.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { cpuBackend } from "../../src/run/device.js";
import type { Problem } from "../../src/run/problem.js";
import { type Run, type RunOptions, runProblem } from "../../src/run/run.js";

export const now = (): number => performance.now() / 1000;

export const scenarioFile = (name: string): string =>
  fileURLToPath(new URL(`../../scenarios/${name}`, import.meta.url));

/** A problem of which only the costs are known. */
export function bare(priced: PricedProblem): Problem {
  return {
    name: "test",
    priced,
    linkPricing: null,
    motion: null,
    detections: null,
    target: null,
    numbers: COUNTED,
    unit: null,
    source: null,
    pricing: null,
    seed: null,
    settings: {},
    notes: [],
    times: { generate: 0, price: 0 },
  };
}

export function run(problem: Problem, options: Partial<RunOptions> = {}): Promise<Run> {
  return runProblem(problem, { threads: 1, backend: cpuBackend("cpu", 1, now), now, ...options });
}
