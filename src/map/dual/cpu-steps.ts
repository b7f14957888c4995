import { OutOfTime } from "../../core/errors.js";
import { type Executor, poolExecutor } from "../../core/executor.js";
import { workerFile } from "../../core/package-file.js";
import { sharedInt32 } from "../../core/shared-arrays.js";
import { createJvWorkspace } from "../../lap/jv/jv.js";
import type { Graph } from "../instance/instance.js";
import { type Bundle, type BundleKernels, createBundle, createBundleKernels } from "./bundle.js";
import { createPairKernels, largestFrame, type PairKernels } from "./kernels.js";
import { type AscentState, createAscentState } from "./state.js";
import { type AscentSteps, halvesOf, type StepTimes } from "./steps.js";

/** The number of edges below which a step is faster than a message to a worker thread, and the number that keeps one more thread busy. */
const THREADS_FROM = 50_000;
const EDGES_PER_THREAD = 20_000;

/** How often a thread looks whether it is to stop, in one step at most. */
const LOOKS = 1000;

export type KernelName = keyof PairKernels | keyof BundleKernels;

/** Seconds of such steps on the calling thread before worker threads are started; each takes some tenths of a second to start. */
const THREADS_AFTER = 1;

/** One step on some frame pairs, as it is sent to a worker thread. */
export interface PairTask {
  readonly kernel: KernelName;
  readonly pairs: readonly number[];
  readonly argument: number;
}

/** The data that every thread needs to run the kernels, all in shared memory. */
export interface KernelMemory {
  readonly graph: Graph;
  readonly state: AscentState;
  readonly bundle: Bundle;
  /** 1 in its one place: leave out pairs that are not begun. */
  readonly stop: Int32Array;
}

/** The kernels of one thread; `late` is asked before the pairs of a heavy one. */
export function bindKernels(
  { graph, state, bundle, stop }: KernelMemory,
  late: () => boolean = () => false,
): (task: PairTask) => void {
  const widest = largestFrame(graph);
  const kernels = {
    ...createPairKernels(graph, state, createJvWorkspace(widest, widest)),
    ...createBundleKernels(graph, state, bundle),
  };
  return ({ kernel, pairs, argument }) => {
    const heavy = HEAVY.has(kernel);
    const every = Math.ceil(pairs.length / LOOKS);
    for (let n = 0; n < pairs.length; n++) {
      if (heavy && n % every === 0) {
        if (Atomics.load(stop, 0) === 0 && late()) Atomics.store(stop, 0, 1);
        if (Atomics.load(stop, 0) !== 0) return;
      }
      kernels[kernel](pairs[n], argument);
    }
  };
}

export interface CpuOptions {
  /** Worker threads at most; the results do not depend on it. */
  readonly threads: number;
  /** Edges from which worker threads are used at all, and then from the first step on [50,000, and once there is enough to do]. */
  readonly threadsFrom?: number;
  /** Seconds since some fixed time, for the times by phase. */
  readonly now: () => number;
}

/** Names under which the kernels' times are added up. */
const PHASE: Record<KernelName, keyof StepTimes> = {
  price: "yLsap",
  reprice: "yLsap",
  assign: "xLap",
  pull: "distribution",
  pushLeft: "distribution",
  pushRight: "distribution",
  subgradient: "update",
  follow: "update",
  keep: "update",
  restore: "update",
  begin: "update",
  collect: "update",
  refine: "update",
  refineKept: "update",
  measure: "update",
  stand: "update",
};

/** Kernels that take long, and are cut short where the time is up. */
const HEAVY: ReadonlySet<KernelName> = new Set(["reprice", "assign", "pull", "pushRight", "refine", "refineKept"]);

/** Kernels worth sending to worker threads: the others take less time than the message. */
const SENT: ReadonlySet<KernelName> = new Set([...HEAVY, "begin", "collect", "measure", "stand", "subgradient"]);

/** Runs kernels over frame pairs, on the calling thread or on worker threads. */
class PairRunner {
  readonly times: StepTimes = { xLap: 0, yLsap: 0, distribution: 0, update: 0, tracks: 0, readback: 0 };
  readonly #inline: (task: PairTask) => void;
  /** Threads that have enough to do. */
  readonly #useful: number;
  #pool: Executor<PairTask> | null = null;
  /** Seconds of heavy kernels on the calling thread. */
  #spent = 0;
  #late = () => false;

  constructor(
    private readonly memory: KernelMemory,
    private readonly options: CpuOptions,
  ) {
    const { threads, threadsFrom = THREADS_FROM } = options;
    const { edges, frames } = memory.graph;
    const useful = Math.min(threads, Math.ceil(edges / Math.min(EDGES_PER_THREAD, threadsFrom || 1)));
    this.#useful = frames > 2 && edges >= threadsFrom ? useful : 1;
    this.#inline = bindKernels(memory, () => this.#late());
  }

  /** Two tasks per thread; the pairs are dealt out one by one, since the first pairs are crowded. */
  async run(kernel: KernelName, pairs: readonly number[], argument = 0): Promise<void> {
    const { now, threadsFrom } = this.options;
    const begin = now();
    const isHeavy = HEAVY.has(kernel);
    const threadsAfter = threadsFrom === undefined ? THREADS_AFTER : 0;
    if (isHeavy && this.#useful > 1 && this.#spent >= threadsAfter) {
      this.#pool ??= poolExecutor<PairTask>(workerFile("#ascent-worker"), this.#useful, this.memory);
    }
    if (this.#pool === null || !SENT.has(kernel)) {
      this.#inline({ kernel, pairs, argument });
      if (isHeavy) this.#spent += now() - begin;
    } else {
      const parts = Math.min(pairs.length, 2 * this.#useful);
      const part = (_: unknown, k: number) => ({ kernel, argument, pairs: pairs.filter((_, n) => n % parts === k) });
      await this.#pool.run(Array.from({ length: parts }, part));
    }
    this.times[PHASE[kernel]] += now() - begin;
    if (isHeavy && Atomics.load(this.memory.stop, 0) !== 0) throw new OutOfTime();
  }

  /** As AscentSteps.limit. */
  limit(late: (() => boolean) | null): () => void {
    const { stop } = this.memory;
    this.#late = late ?? (() => false);
    Atomics.store(stop, 0, 0);
    return () => Atomics.store(stop, 0, 1);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}

/** The ascent's steps in f64 on the CPU, on the calling thread or on worker threads. */
export function createCpuSteps(graph: Graph, options: CpuOptions): AscentSteps {
  const state = createAscentState(graph);
  const bundle = createBundle(graph);
  const runner = new PairRunner({ graph, state, bundle, stop: sharedInt32(1) }, options);
  const halves = halvesOf(graph.frames - 1);
  const all = Array.from({ length: graph.frames - 1 }, (_, p) => p);
  const run = runner.run.bind(runner);
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  return {
    precision: "f64",
    times: runner.times,
    boundEvery: 1,
    price: () => run("reprice", all),
    async assign() {
      await run("reprice", all);
      await run("assign", all);
    },
    async evaluate() {
      await this.assign();
      return sum(state.pairValue);
    },
    pushReducedCosts: (share) => run("pushLeft", all, share),
    async visit(parity) {
      await run("pull", halves[parity]);
      await run("reprice", halves[parity]);
      await run("assign", halves[parity]);
      await run("pushLeft", halves[parity], 0.5);
      await run("pushRight", halves[parity], 0.5);
    },
    async subgradient() {
      await run("subgradient", all);
      return sum(state.pairNorm);
    },
    follow: (step) => run("follow", all, step),
    async reset() {
      state.v.fill(0);
      state.staleDelta.fill(1);
      state.warm.fill(0);
    },
    async setMultipliers(v) {
      state.v.set(v);
      state.staleDelta.fill(1);
    },
    keep: () => run("keep", all),
    restore: () => run("restore", all),
    beginBundle: () => run("begin", all),
    collectPlanes: () => run("collect", all),
    async refine(tau) {
      for (const half of halves) {
        await run("reprice", half);
        await run("assign", half);
        await run("refine", half, tau);
      }
    },
    async refineKept(tau) {
      for (const half of halves) await run("refineKept", half, tau);
    },
    async evaluateBundle() {
      await run("measure", all);
      const model = sum(bundle.model);
      return { bound: await this.evaluate(), model };
    },
    stand: (tau) => run("stand", all, tau),
    finished: async () => {},
    limit: (late) => runner.limit(late),
    read: async () => state,
    close: () => runner.close(),
  };
}
