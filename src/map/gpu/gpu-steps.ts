import { uploadUniform, writeStorage } from "../../gpu/buffers.js";
import { DeviceError } from "../../gpu/device-error.js";
import { strideOver } from "../../gpu/dispatch.js";
import { Recorder, type RecorderOptions } from "../../gpu/recorder.js";
import type { GpuSession } from "../../gpu/session.js";
import type { Resources } from "../../gpu/wgsl/kernel.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { createAscentState } from "../dual/state.js";
import type { AscentSteps, Parity, StepTimes } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import { type KernelName, loadKernels, PHASE } from "./gpu-kernels.js";
import {
  createGpuMemory,
  GPU_PLANES,
  type GpuMemory,
  type MemoryOptions,
  type Range,
  type TracksMemory,
} from "./gpu-memory.js";
import { type GpuState, readGpuState } from "./gpu-state.js";

/** Uniforms kept. */
const MOST_UNIFORMS = 1000;
/** The number of iterations after which the bound of a monotone ascent is read back: see AscentSteps.boundEvery. */
const BOUND_EVERY = 10;

/** The arguments of a kernel besides its buffers: a range of a list, a number and a flag. */
interface RunArguments extends Range {
  readonly argument?: number;
  readonly flag?: number;
}

export type GpuOptions = MemoryOptions & Pick<RecorderOptions, "now"> & Partial<RecorderOptions>;

/** The ascent's steps, and access to the state on the device between two of them. */
export interface GpuSteps extends AscentSteps {
  /** Runs what is recorded and reads everything back; the edges of the last X-LAPs are chosen if they were not yet. */
  inspect(): Promise<GpuState>;
}

/**
 * The ascent's steps in f32 on a GPU, over the kernels beside this file. Steps are recorded and run when a number is asked for:
 * an evaluation and what led to it are one submission, and only the LAP values and the bundle's sums come back.
 */
export async function createGpuSteps(
  session: GpuSession,
  graph: Graph,
  { now, profile = false, ...memoryOptions }: GpuOptions,
): Promise<GpuSteps> {
  const times: StepTimes = { xLap: 0, yLsap: 0, distribution: 0, update: 0, tracks: 0, readback: 0 };
  const recorder = new Recorder<keyof StepTimes>(session, times, { now, profile });
  const host = createAscentState(graph);
  const memory = await createGpuMemory(session, graph, host, memoryOptions);
  const kernels = await loadKernels(session, memory);
  const { frames, frameStart, links, edges } = graph;
  const detections = frameStart[frames];
  const pairs = frames - 1;
  const everything: Range = { first: 0, count: detections };
  const allHeads: Range = { first: memory.heads[0].first, count: memory.heads[0].count + memory.heads[1].count };
  const allTails: Range = { first: memory.tails[0].first, count: memory.tails[0].count + memory.tails[1].count };
  const allPairs: Range = { first: 0, count: pairs };
  const allChunks: Range = { first: 0, count: memory.chunkRange[0].count + memory.chunkRange[1].count };
  const groups = new Map<string, GPUBindGroup>();
  const uniforms = new Map<string, GPUBuffer>();
  /** Whether the pairs of each parity have duals to start from. */
  const warm = [false, false];
  let chosen = false;
  let differing = 0;

  /** The uniform that holds these arguments; most recur in every iteration, so it is made once and never written again. */
  const runUniform = ({ first, count, argument = 0, flag = 0 }: RunArguments): GPUBuffer => {
    const key = `${first} ${count} ${argument} ${flag}`;
    let buffer = uniforms.get(key);
    if (buffer === undefined) {
      buffer = uploadUniform(session, "run", memory.layout.struct("Run").pack([{ first, count, argument, flag }]));
      uniforms.set(key, buffer);
    }
    return buffer;
  };
  /** Forgets uniforms when steps of changing length have left too many; only between recordings. */
  const tidy = (): void => {
    if (uniforms.size < MOST_UNIFORMS) return;
    for (const buffer of uniforms.values()) buffer.destroy();
    uniforms.clear();
    groups.clear();
  };

  const m = memory;
  const { dual } = m.laps;
  const pool = { ...m.buffers, ...m.stored?.buffers };

  /**
   * Records one kernel, `workgroups` of them or a thread to each of a number of elements, over the buffers of the pool that it names;
   * `variant` tells pools apart.
   */
  const dispatch = (
    name: KernelName,
    extent: { readonly workgroups: number } | { readonly threads: number },
    run: RunArguments | null,
    buffers: Resources = pool,
    variant = "",
  ): void => {
    const kernel = kernels.get(name);
    if (kernel === undefined) throw new Error(`kernel ${name} is not loaded`);
    const workgroups =
      "threads" in extent ? strideOver(kernel, extent.threads) : Math.min(extent.workgroups, session.mostGroups);
    if (workgroups === 0) return;
    const key = `${name} ${run?.first} ${run?.count} ${run?.argument} ${run?.flag} ${variant}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = kernel.bind(run ? { run: runUniform(run) } : {}, buffers);
      groups.set(key, group);
    }
    recorder.kernel(PHASE[name], (pass) => kernel.dispatch(pass, group, workgroups));
  };
  /** A workgroup to each item of a list. */
  const overList = (name: KernelName, run: RunArguments, buffers: Resources = pool, variant = ""): void =>
    dispatch(name, { workgroups: run.count }, run, buffers, variant);
  const perDetection = { threads: detections };

  const price = (range: Range): void => {
    if (m.stored === null) {
      overList("price", range);
      return;
    }
    m.stored.parts.forEach((part, k) => {
      const run = { ...within(m, range, part), flag: part.firstTriplet };
      overList("price-stored", run, { ...pool, ...part.buffers }, String(k));
    });
  };
  const raise = (range: Range, share: number): void => {
    if (m.stored === null) {
      overList("raise", { ...range, argument: share });
      return;
    }
    overList("raise-keys", range);
    m.stored.parts.forEach((part, k) => {
      const run = { ...within(m, range, part), argument: share, flag: part.firstTriplet };
      overList("raise-stored", run, { ...pool, ...part.buffers }, String(k));
    });
    overList("raise-keys", { ...range, flag: 1 });
  };
  /** X-LAPs of all pairs, or of one parity, and the edges they choose. */
  const assign = (parity?: Parity): void => {
    if (edges > links) dispatch("limits", perDetection, null);
    recorder.kernel("xLap", (pass) => m.laps.encodeScatter(pass, pool.reduced));
    const solved: readonly Parity[] = parity === undefined ? [0, 1] : [parity];
    const isWarm = solved.every((one) => warm[one]);
    recorder.kernel("xLap", (pass) =>
      m.laps.encodeSolve(pass, { warm: isWarm, ...(parity !== undefined && { subset: parity + 1 }) }),
    );
    for (const one of solved) warm[one] = true;
    chosen = false;
  };
  /** The edges that a batch's matching chooses. */
  const chooseFrom = (buffers: Resources, variant = ""): void => {
    if (edges > links) dispatch("choose-births", perDetection, null, buffers, variant);
    dispatch("choose", perDetection, null, buffers, variant);
  };
  /** The edges that the last X-LAPs choose. */
  const choose = (): void => {
    if (!chosen) chooseFrom(pool);
    chosen = true;
  };
  /** Counts where the subgradient of the last X-LAPs is not 0. */
  const countDiffering = (): void => {
    choose();
    recorder.clear(pool.differing);
    dispatch("subgradient", perDetection, everything);
  };
  const pushLeft = (range: Range, share: number): void => overList("push-left", { ...range, argument: share });
  const storePlanes = (range: Range, flag: 0 | 1): void => {
    choose();
    overList("store-plane", { ...range, flag });
  };
  /** Moves towards the plane just stored (flag 0) or the least of the kept ones (flag 1). */
  const moveTowards = (chunks: Range, tau: number, flag: 0 | 1): void => {
    overList("measure", { ...chunks, flag });
    overList("move", { ...chunks, argument: tau });
  };
  const readBack = (buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> => {
    const parts = recorder.readBack(buffers);
    tidy();
    return parts;
  };

  /** Nothing that is made of such a number may steer the ascent or reach a certificate. */
  const refuse = (what: string, value: number): never => {
    const { name } = session.description;
    throw new DeviceError(`${name} made ${what} ${value}: costs may be too large for f32; use --device cpu`);
  };

  /** L(v), from what the last X-LAPs left in the buffers of the subgradient and of the outcomes. */
  const takeEvaluation = (count: ArrayBuffer, values: readonly ArrayBuffer[]): number => {
    differing = new Uint32Array(count)[0];
    let bound = 0;
    const outcomes = values.flatMap((bytes) => m.laps.outcomesOf(bytes));
    outcomes.forEach(({ status, value }, p) => {
      host.pairValue[p] = status === "optimal" ? value : Number.POSITIVE_INFINITY;
      bound += host.pairValue[p];
    });
    if (Number.isNaN(bound)) refuse("a bound", bound);
    return bound;
  };

  const steps: GpuSteps = {
    precision: "f32",
    times,
    boundEvery: BOUND_EVERY,
    async price() {
      if (m.stored === null) price(allHeads);
      else for (const heads of m.heads) price(heads);
    },
    async assign() {
      await steps.price();
      assign();
    },
    async evaluate() {
      await steps.assign();
      countDiffering();
      const [count, ...values] = await readBack([pool.differing, ...m.laps.outcomes]);
      return takeEvaluation(count, values);
    },
    async evaluateBundle() {
      overList("measure", allChunks);
      await steps.assign();
      countDiffering();
      const [count, measured, ...values] = await readBack([pool.differing, pool.measured, ...m.laps.outcomes]);
      return { bound: takeEvaluation(count, values), model: modelOf(m, measured) };
    },
    async pushReducedCosts(share) {
      pushLeft(allTails, share);
    },
    async visit(parity) {
      const before = m.heads[parity === 0 ? 1 : 0];
      price(before);
      // The heads of the pairs before are the tails of this parity's pairs.
      raise(m.tails[parity], 0);
      price(m.heads[parity]);
      assign(parity);
      // pushRight reads Δ and Ĉ of its own pair only, so the order of the two pushes does not matter.
      pushLeft(m.tails[parity], 0.5);
      raise(inner(m, m.heads[parity]), 0.5);
    },
    subgradient: async () => 2 * differing,
    async follow(step) {
      if (step === 0) return;
      dispatch("subgradient", perDetection, { ...everything, argument: step });
    },
    async reset() {
      recorder.clear(pool.v);
      warm.fill(false);
    },
    keep: async () => recorder.copy(pool.v, pool.kept),
    restore: async () => recorder.copy(pool.kept, pool.v),
    async startBundle() {
      storePlanes(allPairs, 1);
      overList("move", { ...allChunks, flag: 2 });
    },
    collectPlanes: async () => storePlanes(allPairs, 0),
    async refine(tau) {
      for (const parity of [0, 1] as const) {
        price(m.heads[parity]);
        assign(parity);
        storePlanes(m.pairRange[parity], 0);
        moveTowards(m.chunkRange[parity], tau, 0);
      }
    },
    async refineKept(tau) {
      for (const parity of [0, 1] as const) moveTowards(m.chunkRange[parity], tau, 1);
    },
    async stand(tau) {
      dispatch("stand", { threads: edges }, { ...everything, argument: tau });
    },
    async finished() {
      recorder.submit();
      await session.finished();
    },
    ...(m.tracks && {
      async repairTracks(sweeps: number) {
        const { laps, buffers } = m.tracks as TracksMemory;
        const tracks = { ...pool, ...buffers };
        recorder.copy(m.laps.columnOfRow, laps.columnOfRow);
        recorder.copy(dual, laps.dual);
        chooseFrom(tracks, "tracks");
        for (let half = 0; half < 2 * sweeps; half++) {
          const parity = (half % 2) as Parity;
          overList("between", m.pairTails[parity], tracks);
          recorder.kernel("tracks", (pass) => laps.encodeScatter(pass, tracks.local));
          recorder.kernel("tracks", (pass) => laps.encodeSolve(pass, { warm: true, subset: parity + 1 }));
          chooseFrom(tracks, "tracks");
        }
        const [bytes] = await readBack([tracks.outEdge]);
        const linkOf = new Int32Array(bytes, 0, detections).fill(UNASSIGNED, frameStart[frames - 1]);
        for (let d = 0; d < linkOf.length; d++) if (linkOf[d] < 0 || linkOf[d] >= links) linkOf[d] = UNASSIGNED;
        return linkOf;
      },
    }),
    async read() {
      choose();
      const [outEdges, ...parts] = await readBack([pool.outEdge, pool.v, pool.delta, pool.reduced, dual]);
      const outEdge = new Uint32Array(outEdges);
      const [v, delta, reduced, duals] = parts.map((bytes) => new Float32Array(bytes));
      const lastStart = frameStart[frames - 1];
      host.v.set(v.subarray(0, edges));
      host.delta.set(delta.subarray(0, edges));
      host.reduced.set(reduced.subarray(0, edges));
      for (let d = 0; d < lastStart; d++) {
        host.linkOfRow[d] = outEdge[d] < links ? outEdge[d] : UNASSIGNED;
        host.rowDual[d] = duals[d];
      }
      for (let d = frameStart[1]; d < detections; d++) host.columnDual[d] = duals[lastStart + d - frameStart[1]];
      for (const name of ["v", "delta", "reduced", "rowDual", "columnDual"] as const) {
        const values = host[name];
        const broken = values.findIndex((value) => !Number.isFinite(value));
        if (broken >= 0) refuse(`${name}[${broken}]`, values[broken]);
      }
      return host;
    },
    async inspect() {
      choose();
      recorder.submit();
      return await readGpuState(session, memory, GPU_PLANES);
    },
    async setMultipliers(v) {
      recorder.submit();
      writeStorage(session, pool.v, Float32Array.from(v));
    },
    async close() {
      recorder.submit();
      await session.finished();
      for (const buffer of uniforms.values()) buffer.destroy();
      recorder.destroy();
      memory.destroy();
    },
  };
  return steps;
}

/** The bundle's model, as the sum over the chunks. */
function modelOf({ layout }: GpuMemory, measured: ArrayBuffer): number {
  const chunks = layout.struct("Measured").unpack<{ model: number }>(measured);
  return chunks.reduce((sum, { model }) => sum + model, 0);
}

/** The part of a range of heads that lies in frames before the last. */
function inner({ listed, graph }: GpuMemory, range: Range): Range {
  const lastStart = graph.frameStart[graph.frames - 1];
  let { count } = range;
  while (count > 0 && listed[range.first + count - 1] >= lastStart) count--;
  return { first: range.first, count };
}

/** The part of a range of heads, all of one parity and so increasing, whose detections lie in a part of the triplets. */
function within({ listed }: GpuMemory, range: Range, part: { firstDetection: number; endDetection: number }): Range {
  let first = range.first;
  let end = range.first + range.count;
  while (first < end && listed[first] < part.firstDetection) first++;
  while (end > first && listed[end - 1] >= part.endDetection) end--;
  return { first, count: end - first };
}
