import { writeStorage } from "../../gpu/buffers.js";
import { Recorder, type RecorderOptions } from "../../gpu/recorder.js";
import type { GpuSession } from "../../gpu/session.js";
import type { GpuLapBatch } from "../../lap/gpu-batch.js";
import type { AscentPart } from "../dual/part.js";
import type { AscentSteps, StepTimes } from "../dual/steps.js";
import { storedInstead } from "../instance/implicit-triplets.js";
import type { Graph } from "../instance/instance.js";
import { loadKernels } from "./gpu-kernels.js";
import type { Range } from "./gpu-lists.js";
import { createGpuMemory, type GpuMemory, type MemoryOptions } from "./gpu-memory.js";
import { GpuPhases, innerHeads } from "./gpu-phases.js";
import { GpuReader } from "./gpu-read.js";
import { disagreementOnDevice } from "./gpu-samples.js";
import { createGpuTracks, SWEEPS } from "./gpu-tracks.js";
import { KernelRuns } from "./kernel-runs.js";
import { Pace } from "./pace.js";

/** The number of iterations after which the bound of a monotone ascent is read back: see AscentSteps.boundEvery. */
const BOUND_EVERY = 10;

export interface GpuOptions extends MemoryOptions, Pick<RecorderOptions, "now"> {
  readonly profile?: boolean | undefined;
  /** Sweeps of the repair of tracks. */
  readonly sweeps?: number | undefined;
  /** What of the graph is counted [all]. */
  readonly part?: AscentPart | undefined;
}

/** The ascent's steps, and their buffers, which hold the present state after `read`. */
export interface GpuSteps extends AscentSteps {
  readonly memory: GpuMemory;
}

/**
 * The ascent's steps in f32 on a GPU, over the kernels beside this file. Steps are recorded and run when a number is asked for:
 * an evaluation and what led to it are one submission, and only the LAP values and the bundle's sums come back.
 */
export async function createGpuSteps(session: GpuSession, graph: Graph, options: GpuOptions): Promise<GpuSteps> {
  const { triplets } = graph;
  if (triplets.kind === "csr" || typeof triplets.rule === "string") return stepsOf(session, graph, options);
  const why = await disagreementOnDevice(session, graph, triplets);
  if (why === null) return stepsOf(session, graph, options);
  const steps = await stepsOf(session, { ...graph, triplets: storedInstead(graph, triplets) }, options);
  const { name } = session.description;
  return {
    ...steps,
    notes: [`Triplets were stored on ${name}, which does not compute them as the cost's function does: ${why}.`],
  };
}

async function stepsOf(
  session: GpuSession,
  graph: Graph,
  { now, profile = false, sweeps = SWEEPS, part, ...memoryOptions }: GpuOptions,
): Promise<GpuSteps> {
  const times: StepTimes = { xLap: 0, yLsap: 0, distribution: 0, update: 0, tracks: 0, readback: 0 };
  const recorder = new Recorder<keyof StepTimes>(session, times, { now, profile });
  const { triplets } = graph;
  // What needs nothing of the upload compiles meanwhile.
  const early = triplets.kind === "implicit" ? loadKernels(session, triplets.rule, 0) : null;
  early?.catch(() => undefined);
  const memory = await createGpuMemory(session, graph, memoryOptions);
  const kernels = await (early ?? loadKernels(session, null, memory.stored?.completeWidth ?? 0));
  const runs = new KernelRuns(memory, kernels, recorder);
  const phases = new GpuPhases(memory, runs, part);
  const reader = new GpuReader(session, memory, runs, part);
  const { tracksLaps, work } = memory;
  const [v, kept, keptDual] = ["v", "kept", "keptDual"].map((name) => work.buffer(name));
  let isKept = false;
  const finished = async () => {
    recorder.submit();
    await session.finished();
  };
  const pace = new Pace(finished, now);
  const halved = async () => {
    await part?.halved();
    await pace.part();
  };
  const ascent = ascentSteps(memory, phases, reader);
  const bundle = bundleSteps(memory, runs, phases, reader, ascent, halved);
  return {
    memory,
    precision: "f32",
    times,
    boundEvery: BOUND_EVERY,
    xLaps: pairsBySolver(memory.laps),
    ...ascent,
    ...bundle,
    evaluate: () => pace.reading(ascent.evaluate()),
    evaluateBundle: () => pace.reading(bundle.evaluateBundle()),
    async visit(parity) {
      await ascent.visit(parity);
      await pace.part();
    },
    limit: (late) => pace.limit(late),
    async reset() {
      recorder.clear(v);
      phases.forgetDuals();
    },
    async setMultipliers(values, first = 0) {
      recorder.submit();
      writeStorage(session, v, Float32Array.from(values), first);
      reader.forget();
    },
    multipliers: (ranges) => reader.multipliers(ranges),
    async keep() {
      recorder.copy(v, kept);
      recorder.copy(memory.laps.dual, keptDual);
      isKept = true;
    },
    keptDuals: async () => (isKept ? await reader.columnDuals(keptDual) : null),
    restore: async () => recorder.copy(kept, v),
    finished,
    ...(tracksLaps && { tracks: createGpuTracks(memory, tracksLaps, runs, phases, sweeps) }),
    read(part) {
      if (part === undefined) phases.choose();
      return reader.state(part === undefined);
    },
    async close() {
      await finished();
      recorder.destroy();
      memory.destroy();
    },
  };
}

function pairsBySolver({ isSparse }: GpuLapBatch): NonNullable<AscentSteps["xLaps"]> {
  const sparse = isSparse.filter((one) => one).length;
  return { sparse, blockHungarian: isSparse.length - sparse };
}

type PlainSteps = Pick<
  AscentSteps,
  "price" | "assign" | "evaluate" | "pushReducedCosts" | "visit" | "subgradient" | "follow"
>;

/** The steps without a bundle. */
function ascentSteps(memory: GpuMemory, phases: GpuPhases, reader: GpuReader): PlainSteps {
  const { heads, tails } = memory;
  const price = () => {
    if (memory.stored === null) phases.price(both(heads));
    else for (const half of heads) phases.price(half);
  };
  const assign = () => {
    price();
    phases.assign();
  };
  return {
    price: async () => price(),
    assign: async () => assign(),
    async evaluate() {
      assign();
      phases.countDiffering();
      return await reader.bound();
    },
    pushReducedCosts: async (share) => phases.pushLeft(both(tails), share),
    async visit(parity) {
      phases.price(heads[parity === 0 ? 1 : 0]);
      // The heads of the pairs before are the tails of this parity's pairs.
      phases.raise(tails[parity], 0);
      phases.price(heads[parity]);
      phases.assign(parity);
      // The push to the right reads Δ and Ĉ of its own pair only, so the order of the two pushes does not matter.
      phases.pushLeft(tails[parity], 0.5);
      phases.raise(innerHeads(memory, heads[parity]), 0.5);
    },
    subgradient: async () => 2 * reader.differing,
    async follow(step) {
      if (step !== 0) phases.followSubgradient(step);
    },
  };
}

type BundlePart = Pick<
  AscentSteps,
  "beginBundle" | "collectPlanes" | "refine" | "refineKept" | "evaluateBundle" | "stand"
>;

function bundleSteps(
  memory: GpuMemory,
  runs: KernelRuns,
  phases: GpuPhases,
  reader: GpuReader,
  { assign }: PlainSteps,
  halved: () => Promise<void>,
): BundlePart {
  const { heads, pairRange, chunkRange, graph } = memory;
  const allPairs: Range = { first: 0, count: graph.frames - 1 };
  const allChunks = both(chunkRange);
  return {
    async beginBundle() {
      phases.storePlanes(allPairs, true);
      runs.overRange("move", { ...allChunks, tau: 0, begin: 1 });
    },
    collectPlanes: async () => phases.storePlanes(allPairs),
    async refine(tau) {
      for (const parity of [0, 1] as const) {
        phases.price(heads[parity]);
        phases.assign(parity);
        phases.storePlanes(pairRange[parity]);
        phases.moveTowards(parity, tau, "stored");
        await halved();
      }
    },
    async refineKept(tau) {
      for (const parity of [0, 1] as const) {
        phases.moveTowards(parity, tau, "kept");
        await halved();
      }
    },
    async evaluateBundle() {
      runs.overRange("measure", { ...allChunks, kept: 0 });
      await assign();
      phases.countDiffering();
      return await reader.boundAndModel();
    },
    async stand(tau) {
      runs.overElements("stand", graph.edges, { tau });
    },
  };
}

/** Two ranges of which the second follows the first. */
function both([one, other]: readonly [Range, Range]): Range {
  return { first: one.first, count: one.count + other.count };
}
