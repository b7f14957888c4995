import type { Gate } from "../../costs/gate.js";
import type { BenchOptions, BenchSize, Comparison } from "./bench.js";
import {
  certifiedBound,
  cpuEngine,
  enhancedEngine,
  naiveEngine,
  paperInstance,
  type RmapEngine,
  upperBoundOf,
} from "./engines.js";
import { repeated, type Spread, scaled } from "./timing.js";

/** Steps between two readings of the clock: as many as the engine runs between two bounds. */
const STEPS = 10;

/** One step of [K23] Algorithm 1 without its X-LAPs: Y-LSAPs, and the reduced costs given to the triplets before. */
export async function benchDistribution(size: BenchSize, gate: Gate, options: BenchOptions): Promise<Comparison> {
  const { session, now, threads, timeLimit } = options;
  const graph = await paperInstance(size, gate, options);
  const upperBound = await upperBoundOf(graph, options);
  const lowerBounds: Record<string, number> = {};
  const bench = async (name: string, engine: RmapEngine, limit: number): Promise<Spread> => {
    try {
      await engine.reset();
      await engine.assign();
      const seconds = await timeSteps(engine, limit, options);
      lowerBounds[name] = certifiedBound(await engine.read(), graph, upperBound);
      return seconds;
    } finally {
      await engine.close();
    }
  };
  const unlimited = Number.POSITIVE_INFINITY;
  const cpuSeconds = await bench("cpu", cpuEngine(graph, threads, now), unlimited);
  const enhancedSeconds = await bench("enhanced", await enhancedEngine(session, graph, now), unlimited);
  const naiveSeconds = await bench("naive", await naiveEngine(session, graph, options.now), timeLimit);
  const { edges, triplets } = graph;
  return {
    naiveSeconds,
    enhancedSeconds,
    cpuSeconds,
    details: {
      edges,
      triplets: triplets.count,
      denseTriplets: size.n ** 3 * Math.max(0, size.t - 2),
      storage: triplets.kind,
      upperBound,
      lowerBounds,
    },
  };
}

/** Seconds a step. */
async function timeSteps(engine: RmapEngine, limit: number, options: BenchOptions): Promise<Spread> {
  const { busy, now, repetitions } = options;
  const seconds = await repeated(
    async () => {
      await busy.run();
      await engine.finished();
      const begin = now();
      for (let step = 0; step < STEPS; step++) {
        await engine.price();
        await engine.distribute();
      }
      await engine.finished();
      return now() - begin;
    },
    { repetitions, limit },
  );
  return scaled(seconds, 1 / STEPS);
}
