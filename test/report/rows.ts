import type { BenchRow } from "../../src/rows/bench.js";
import type { RunRow } from "../../src/rows/results.js";

export interface RunSettings {
  readonly seed?: number;
  readonly targets?: number;
  readonly frames?: number;
  readonly sigma?: number;
  readonly epsilon?: number | "none";
  readonly cost?: string;
  readonly ascent?: string;
}

/** A run's row of these settings; what is measured comes with `measured`. */
export function runRow(settings: RunSettings, measured: Partial<RunRow> = {}): RunRow {
  const {
    seed = 1,
    targets = 20,
    frames = 10,
    sigma = 0.1,
    epsilon = 5,
    cost = "spline",
    ascent = "bundle",
  } = settings;
  return {
    name: "made up",
    status: "gap",
    lowerBound: 99.99,
    upperBound: 100,
    gapPercent: 0.01,
    iterations: 12,
    ascent,
    device: { requested: "cpu", actual: "cpu" },
    precision: "f64",
    threads: 2,
    frames,
    detections: targets * frames,
    edges: 5 * targets * (frames - 1),
    triplets: 25 * targets * (frames - 2),
    scores: { mmep: 1, itcp: 10 },
    times: { generate: 0.01, price: 0.02, xLap: 0.03, yLsap: 0.04, total: 0.125, solve: 0.09 },
    seed,
    scenario: {
      source: {
        ...{ kind: "simulation", targets, frames, path: "polynomial", degree: 3, amplitude: 4, speed: [1, 2] },
        ...{ timeStep: 1, spread: 2.5, noise: { position: sigma, velocity: 0 } },
      },
      pricing: { cost, gate: epsilon === "none" ? "none" : { epsilon }, births: "none" },
    },
    notes: [],
    ...{ version: "0.1.0", revision: "0123456789abcdef+", node: "20.20.2", cpu: "Test CPU", cores: 2 },
    ...{ memory: 2 ** 30, platform: "linux-x64", date: "2026-11-20T12:00:00.000Z" },
    ...measured,
  };
}

const date = "2026-11-20T12:00:00.000Z";

export function benchRow(benchmark: BenchRow["benchmark"], n: number, t: number, ratio: number): BenchRow {
  const spread = (median: number) => ({ median, min: 0.9 * median, max: 1.3 * median });
  return {
    ...{ benchmark, n, t, ratio, device: "Test GPU", certified: true, repetitions: 5, date },
    naiveSeconds: spread(0.002 * ratio),
    enhancedSeconds: spread(0.002),
    cpuSeconds: spread(0.016),
  };
}
