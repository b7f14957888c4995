import { writeStorage } from "../../gpu/buffers.js";
import { bind } from "../../gpu/kernel.js";
import { Recorder, type RecorderOptions } from "../../gpu/recorder.js";
import type { GpuSession } from "../../gpu/session.js";
import { outcomesOf } from "../../lap/block-hungarian/gpu-batch.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { createAscentState } from "../dual/state.js";
import type { AscentSteps, Parity, StepTimes } from "../dual/steps.js";
import type { Instance } from "../instance/instance.js";
import { type KernelName, loadKernels, PHASE } from "./gpu-kernels.js";
import {
  createGpuMemory,
  GPU_PLANES,
  type GpuMemory,
  MEASURED_WORDS,
  type MemoryOptions,
  type Range,
  type TracksMemory,
} from "./gpu-memory.js";
import { type GpuState, readGpuState } from "./gpu-state.js";

const MOST_WORKGROUPS = 65535;
/** Uniforms kept. */
const MOST_UNIFORMS = 1000;
/** Bounds of monotone ascents are read back this seldom: see AscentSteps.boundEvery. */
const BOUND_EVERY = 10;
/** Threads of the kernels that give a thread to a detection, and of those that give it to an edge. */
const DETECTION_THREADS = 64;
const EDGE_THREADS = 256;

/** What a kernel is told besides its buffers: a range of a list, a number and a flag. */
interface RunArguments extends Range {
  readonly argument?: number;
  readonly flag?: number;
}

export type GpuOptions = MemoryOptions & Pick<RecorderOptions, "now"> & Partial<RecorderOptions>;

/** The ascent's steps, and a look at what lies on the device between two of them. */
export interface GpuSteps extends AscentSteps {
  /** Runs what is recorded and reads everything back; the edges of the last X-LAPs are chosen if they were not yet. */
  inspect(): Promise<GpuState>;
  /** Goes on from these multipliers, those of births and of the first frame pair 0. Length edges. */
  setMultipliers(v: Float32Array): Promise<void>;
}

/**
 * The ascent's steps in f32 on a GPU, over the kernels beside this file. Steps are recorded and run when a number is asked for:
 * an evaluation and what led to it are one submission, and only the LAP values and the bundle's sums come back.
 */
export async function createGpuSteps(
  session: GpuSession,
  instance: Instance,
  { now, profile = false, ...memoryOptions }: GpuOptions,
): Promise<GpuSteps> {
  const times: StepTimes = { xLap: 0, yLsap: 0, distribution: 0, update: 0, tracks: 0, readback: 0 };
  const recorder = new Recorder<keyof StepTimes>(session, times, { now, profile });
  const host = createAscentState(instance);
  const memory = await createGpuMemory(session, instance, host, memoryOptions);
  const pipelines = await loadKernels(session, memory);
  const { device } = session;
  const { frames, frameStart, links, edges } = instance;
  const detections = frameStart[frames];
  const pairs = frames - 1;
  const everything: Range = { first: 0, count: detections };
  const allHeads: Range = { first: memory.heads[0].first, count: memory.heads[0].count + memory.heads[1].count };
  const allTails: Range = { first: memory.tails[0].first, count: memory.tails[0].count + memory.tails[1].count };
  const allPairs: Range = { first: 0, count: pairs };
  const allChunks: Range = { first: 0, count: memory.chunkRange[0].count + memory.chunkRange[1].count };
  const groups = new Map<string, GPUBindGroup>();
  const uniforms = new Map<string, GPUBuffer>();
  let warm = false;
  let chosen = false;
  let differing = 0;

  /** The uniform that holds these arguments; most recur in every iteration, so it is made once and never written again. */
  const runUniform = ({ first, count, argument = 0, flag = 0 }: RunArguments): GPUBuffer => {
    const key = `${first} ${count} ${argument} ${flag}`;
    let buffer = uniforms.get(key);
    if (buffer === undefined) {
      buffer = device.createBuffer({ label: "run", size: 16, usage: GPUBufferUsage.UNIFORM, mappedAtCreation: true });
      const words = buffer.getMappedRange();
      new Uint32Array(words).set([first, count, 0, flag]);
      new Float32Array(words)[2] = argument;
      buffer.unmap();
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

  /** Records one kernel; `workgroups` of them, over `buffers` behind the shape and, where it has any, its arguments. */
  const dispatch = (
    name: KernelName,
    workgroups: number,
    run: RunArguments | null,
    buffers: readonly GPUBuffer[],
    variant = "",
  ): void => {
    if (workgroups === 0) return;
    const pipeline = pipelines.get(name);
    if (pipeline === undefined) throw new Error(`kernel ${name} is not loaded`);
    const key = `${name} ${run?.first} ${run?.count} ${run?.argument} ${run?.flag} ${variant}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = bind(session, pipeline, [memory.shape, ...(run ? [runUniform(run)] : []), ...buffers]);
      groups.set(key, group);
    }
    recorder.kernel(PHASE[name], (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(Math.min(workgroups, MOST_WORKGROUPS));
    });
  };
  const overDetections = Math.ceil(detections / DETECTION_THREADS);

  const m = memory;
  const dual = m.laps.dual;
  const price = (range: Range): void => {
    if (m.stored === null) {
      const buffers = [m.list, m.outStart, m.inStart, m.inLink, m.perLink, m.cost, m.v, m.delta, m.best, m.reduced];
      dispatch("price", range.count, range, buffers);
      return;
    }
    const { start, parts } = m.stored;
    parts.forEach((part, k) => {
      const buffers = [
        m.list,
        m.inStart,
        m.inLink,
        start,
        part.successor,
        part.cost,
        m.cost,
        m.v,
        m.delta,
        m.best,
        m.reduced,
        m.outStart,
      ];
      const own = within(m, range, part);
      dispatch("price-stored", own.count, { ...own, flag: part.firstTriplet }, buffers, String(k));
    });
  };
  const raise = (range: Range, share: number): void => {
    if (m.stored === null) {
      const buffers = [m.list, m.outStart, m.inStart, m.inLink, m.perLink, m.tail, m.delta, m.reduced, dual, m.v];
      dispatch("raise", range.count, { ...range, argument: share }, buffers);
      return;
    }
    const { start, key, parts } = m.stored;
    dispatch("raise-keys", range.count, range, [m.list, m.outStart, key, m.v]);
    parts.forEach((part, k) => {
      const buffers = [
        m.list,
        m.inStart,
        m.inLink,
        start,
        part.successor,
        part.cost,
        m.tail,
        m.delta,
        m.reduced,
        dual,
        key,
        m.outStart,
      ];
      const own = within(m, range, part);
      dispatch("raise-stored", own.count, { ...own, argument: share, flag: part.firstTriplet }, buffers, String(k));
    });
    dispatch("raise-keys", range.count, { ...range, flag: 1 }, [m.list, m.outStart, key, m.v]);
  };
  /** X-LAPs of all pairs, or of one parity, and the edges they choose. */
  const assign = (parity?: Parity): void => {
    if (edges > links) dispatch("limits", overDetections, null, [m.cost, m.v, m.reduced, m.laps.limit]);
    recorder.kernel("xLap", (pass) => m.laps.encodeScatter(pass, m.reduced));
    recorder.kernel("xLap", (pass) =>
      m.laps.encodeSolve(pass, { warm, ...(parity !== undefined && { subset: parity + 1 }) }),
    );
    chosen = false;
  };
  /** The edges that a batch's matching chooses. */
  const chooseFrom = ({ laps, outEdge, intoEdge }: Pick<GpuMemory, "laps" | "outEdge" | "intoEdge">): void => {
    const variant = laps === m.laps ? "" : "tracks";
    if (edges > links) dispatch("choose-births", overDetections, null, [intoEdge], variant);
    dispatch(
      "choose",
      overDetections,
      null,
      [m.outStart, m.column, m.head, laps.columnOfRow, outEdge, intoEdge],
      variant,
    );
  };
  /** The edges that the last X-LAPs choose. */
  const choose = (): void => {
    if (!chosen) chooseFrom(m);
    chosen = true;
  };
  /** Counts where the subgradient of the last X-LAPs is not 0. */
  const countDiffering = (): void => {
    choose();
    recorder.clear(m.differing);
    dispatch("subgradient", overDetections, everything, [m.outEdge, m.intoEdge, m.best, m.v, m.differing]);
  };
  const pushLeft = (range: Range, share: number): void => {
    dispatch("push-left", range.count, { ...range, argument: share }, [
      m.list,
      m.outStart,
      m.head,
      m.reduced,
      dual,
      m.v,
    ]);
  };
  const storePlanes = (range: Range, flag: 0 | 1): void => {
    choose();
    const buffers = [m.pairs, m.outEdge, m.intoEdge, m.best, m.cost, m.perLink, m.delta, m.v, m.plane, m.slots];
    dispatch("store-plane", range.count, { ...range, flag }, buffers);
  };
  const bundleBuffers = [m.pairs, m.chunks, m.tail, m.plane, m.slots, m.own, m.passed, m.constants, m.v, m.measured];
  /** Towards the plane just stored (flag 0) or the least of the kept ones (flag 1). */
  const moveTowards = (chunks: Range, tau: number, flag: 0 | 1): void => {
    dispatch("measure", chunks.count, { ...chunks, flag }, bundleBuffers);
    dispatch("move", chunks.count, { ...chunks, argument: tau }, bundleBuffers);
  };
  const readBack = (buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> => {
    const parts = recorder.readBack(buffers);
    tidy();
    return parts;
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
      warm = true;
    },
    async evaluate() {
      await steps.assign();
      countDiffering();
      const [count, ...values] = await readBack([m.differing, ...m.laps.outcomes]);
      differing = new Uint32Array(count)[0];
      let bound = 0;
      values.flatMap(outcomesOf).forEach(({ status, value }, p) => {
        host.pairValue[p] = status === "optimal" ? value : Number.POSITIVE_INFINITY;
        bound += host.pairValue[p];
      });
      return bound;
    },
    async pushReducedCosts() {
      pushLeft(allTails, 1);
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
      const run = { ...everything, argument: step };
      dispatch("subgradient", overDetections, run, [m.outEdge, m.intoEdge, m.best, m.v, m.differing]);
    },
    async reset() {
      recorder.clear(m.v);
      warm = false;
    },
    keep: async () => recorder.copy(m.v, m.kept),
    restore: async () => recorder.copy(m.kept, m.v),
    async openBundle() {
      storePlanes(allPairs, 1);
      dispatch("move", allChunks.count, { ...allChunks, flag: 2 }, bundleBuffers);
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
    measureBundle() {
      dispatch("measure", allChunks.count, allChunks, bundleBuffers);
      return recorder.withNext(m.measured).then((bytes) => modelOf(new Float32Array(bytes)));
    },
    async stand(tau) {
      dispatch("stand", Math.ceil(edges / EDGE_THREADS), { ...everything, argument: tau }, [
        m.own,
        m.passed,
        m.kept,
        m.v,
      ]);
    },
    async finished() {
      recorder.submit();
      await session.finished();
    },
    ...(m.tracks && {
      async repairTracks(sweeps: number) {
        const tracks = m.tracks as TracksMemory;
        recorder.copy(m.laps.columnOfRow, tracks.laps.columnOfRow);
        recorder.copy(dual, tracks.laps.dual);
        chooseFrom(tracks);
        for (let half = 0; half < 2 * sweeps; half++) {
          const parity = (half % 2) as Parity;
          const { local, outEdge, intoEdge, laps } = tracks;
          const range = m.pairTails[parity];
          const buffers = [m.list, m.outStart, m.head, m.perLink, m.cost, outEdge, intoEdge, local, laps.limit];
          dispatch("between", range.count, range, buffers);
          recorder.kernel("tracks", (pass) => laps.encodeScatter(pass, local));
          recorder.kernel("tracks", (pass) => laps.encodeSolve(pass, { warm: true, subset: parity + 1 }));
          chooseFrom(tracks);
        }
        const [bytes] = await readBack([tracks.outEdge]);
        const linkOf = new Int32Array(bytes, 0, detections).fill(UNASSIGNED, frameStart[frames - 1]);
        for (let d = 0; d < linkOf.length; d++) if (linkOf[d] < 0 || linkOf[d] >= links) linkOf[d] = UNASSIGNED;
        return linkOf;
      },
    }),
    async read() {
      choose();
      const parts = await readBack([m.v, m.delta, m.outEdge, dual]);
      const [v, delta] = parts.slice(0, 2).map((bytes) => new Float32Array(bytes));
      const outEdge = new Uint32Array(parts[2]);
      const duals = new Float32Array(parts[3]);
      const lastStart = frameStart[frames - 1];
      host.v.set(v.subarray(0, edges));
      host.delta.set(delta.subarray(0, edges));
      for (let d = 0; d < lastStart; d++) {
        host.linkOfRow[d] = outEdge[d] < links ? outEdge[d] : UNASSIGNED;
        host.rowDual[d] = duals[d];
      }
      for (let d = frameStart[1]; d < detections; d++) host.columnDual[d] = duals[lastStart + d - frameStart[1]];
      return host;
    },
    async inspect() {
      choose();
      recorder.submit();
      return await readGpuState(session, memory, GPU_PLANES);
    },
    async setMultipliers(v) {
      recorder.submit();
      writeStorage(session, m.v, v);
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

/** The bundle's model: what the chunks measured, added up. */
function modelOf(measured: Float32Array): number {
  let model = 0;
  for (let chunk = 0; chunk < measured.length; chunk += MEASURED_WORDS) model += measured[chunk];
  return model;
}

/** The part of a range of heads that lies in frames before the last. */
function inner({ listed, instance }: GpuMemory, range: Range): Range {
  const lastStart = instance.frameStart[instance.frames - 1];
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
