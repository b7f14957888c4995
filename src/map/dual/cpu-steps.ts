import { OutOfTime } from "../../core/errors.js";
import { sharedInt32 } from "../../core/shared-arrays.js";
import { type Crew, openCrew } from "../../core/team.js";
import type { Work } from "../../core/team-work.js";
import { createJvWorkspace } from "../../lap/jv/jv.js";
import type { Graph } from "../instance/instance.js";
import { type Bundle, type BundleKernels, createBundle, createBundleKernels } from "./bundle.js";
import { createPairKernels, largestFrame, type PairKernels } from "./kernels.js";
import type { AscentPart } from "./part.js";
import { type AscentState, createAscentState } from "./state.js";
import type { AscentSteps, StepTimes } from "./steps.js";

/** The number of edges below which a step is faster than waking another thread, and the number that keeps one more thread busy. */
const THREADS_FROM = 50_000;
const EDGES_PER_THREAD = 20_000;

/** Seconds of steps on the calling thread before other threads begin, and edges from which they do at once. */
const THREADS_AFTER = 1;
const AT_ONCE_FROM = 300_000;

export type KernelName = keyof PairKernels | keyof BundleKernels;

/** Frame pairs that a step visits: all, the even ones, the odd ones. */
type PairSet = 0 | 1 | 2;
const SETS = 3;
const ALL: PairSet = 0;

/** The data that every thread needs to run the kernels, all in shared memory. */
export interface KernelMemory {
  readonly graph: Graph;
  readonly state: AscentState;
  readonly bundle: Bundle;
  /** 1 in its one place: leave out pairs that are not begun. */
  readonly stop: Int32Array;
}

/** The kernels of one thread, by number of kernel and set of pairs; `late` is asked before each pair of a heavy one. */
export function bindKernels({ graph, state, bundle, stop }: KernelMemory, late: () => boolean = () => false): Work {
  const widest = largestFrame(graph);
  const kernels = {
    ...createPairKernels(graph, state, createJvWorkspace(widest, widest)),
    ...createBundleKernels(graph, state, bundle),
  };
  return (task, item, argument) => {
    const kernel = KERNELS[Math.floor(task / SETS)];
    const set = (task % SETS) as PairSet;
    if (HEAVY.has(kernel)) {
      if (Atomics.load(stop, 0) === 0 && late()) Atomics.store(stop, 0, 1);
      if (Atomics.load(stop, 0) !== 0) return;
    }
    kernels[kernel](set === ALL ? item : 2 * item + set - 1, argument);
  };
}

export interface CpuOptions {
  /** Worker threads at most; the results do not depend on it. */
  readonly threads: number;
  /** Edges from which worker threads are used at all, and then from the first step on [50,000, and once there is enough to do]. */
  readonly threadsFrom?: number;
  /** Seconds since some fixed time, for the times by phase. */
  readonly now: () => number;
  /** What of the graph is counted [all]. */
  readonly part?: AscentPart;
}

/** Names under which the kernels' times are added up. */
const PHASE: Record<KernelName, keyof StepTimes> = {
  price: "yLsap",
  reprice: "yLsap",
  assign: "xLap",
  assignUses: "xLap",
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
  separate: "update",
};

/** Kernels that take long, and are cut short where the time is up. */
const HEAVY: ReadonlySet<KernelName> = new Set([
  "reprice",
  "assign",
  "assignUses",
  "pull",
  "pushRight",
  "refine",
  "refineKept",
]);

/** By number. */
const KERNELS = Object.keys(PHASE) as KernelName[];

/** Runs kernels over frame pairs, on the calling thread or on several. */
class PairRunner {
  readonly times: StepTimes = { xLap: 0, yLsap: 0, distribution: 0, update: 0, tracks: 0, readback: 0 };
  readonly #crew: Crew;
  #late = () => false;

  constructor(
    private readonly memory: KernelMemory,
    private readonly options: CpuOptions,
  ) {
    const { threads, threadsFrom = THREADS_FROM, now } = options;
    const { edges, frames } = memory.graph;
    const useful = Math.min(threads, Math.ceil(edges / Math.min(EDGES_PER_THREAD, threadsFrom || 1)));
    const after = options.threadsFrom !== undefined || edges >= AT_ONCE_FROM ? 0 : THREADS_AFTER;
    const work = bindKernels(memory, () => this.#late());
    const threadsUsed = frames > 2 && edges >= threadsFrom ? useful : 1;
    this.#crew = openCrew(threadsUsed, "#ascent-worker", memory, work, { after, now });
  }

  /** Pairs are given out in order, since the first ones are crowded. */
  async run(kernel: KernelName, set: PairSet, argument = 0): Promise<void> {
    const { now } = this.options;
    const { stop, graph } = this.memory;
    const begin = now();
    const pairs = graph.frames - 1;
    const items = set === ALL ? pairs : Math.ceil((pairs + 1 - set) / 2);
    const waiting = () => {
      if (this.#late()) Atomics.store(stop, 0, 1);
    };
    await this.#crew.run(SETS * KERNELS.indexOf(kernel) + set, items, argument, { waiting });
    this.times[PHASE[kernel]] += now() - begin;
    if (HEAVY.has(kernel) && Atomics.load(stop, 0) !== 0) throw new OutOfTime();
  }

  /** As AscentSteps.limit. */
  limit(late: (() => boolean) | null): () => void {
    const { stop } = this.memory;
    this.#late = late ?? (() => false);
    Atomics.store(stop, 0, 0);
    return () => Atomics.store(stop, 0, 1);
  }

  async close(): Promise<void> {
    this.#crew.close();
  }
}

/** The ascent's steps in f64 on the CPU, on the calling thread or on worker threads. */
export function createCpuSteps(graph: Graph, options: CpuOptions): AscentSteps {
  const state = createAscentState(graph);
  const { cliques, tiedByUse } = state;
  const bundle = createBundle(graph);
  const runner = new PairRunner({ graph, state, bundle, stop: sharedInt32(1) }, options);
  const all = ALL;
  const halves: readonly [PairSet, PairSet] = [1, 2];
  const run = runner.run.bind(runner);
  let keptDuals: Float64Array | null = null;
  const { first, end, halved } = options.part ?? { first: 0, end: graph.frames - 1, halved: async () => {} };
  const sum = (byPair: Float64Array): number => byPair.subarray(first, end).reduce((total, value) => total + value, 0);
  const assign = async (set: PairSet): Promise<void> => {
    if (tiedByUse) return run("assignUses", set);
    await run("reprice", set);
    await run("assign", set);
  };
  return {
    precision: "f64",
    times: runner.times,
    boundEvery: 1,
    price: () => run("reprice", all),
    assign: () => assign(all),
    async evaluate() {
      await assign(all);
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
    async setMultipliers(v, first = 0) {
      for (let n = 0, e = first; n < v.length; n++, e++) {
        if (state.v[e] !== v[n] && graph.tail[e] >= 0) state.staleDelta[graph.tail[e]] = 1;
        state.v[e] = v[n];
      }
    },
    multipliers: async (ranges) => ranges.map(([first, end]) => state.v.slice(first, end)),
    async keep() {
      await run("keep", all);
      keptDuals = state.columnDual.slice();
    },
    keptDuals: async () => keptDuals,
    restore: () => run("restore", all),
    beginBundle: () => run("begin", all),
    collectPlanes: () => run("collect", all),
    async refine(tau) {
      for (const half of halves) {
        await assign(half);
        await run("refine", half, tau);
        await halved();
      }
    },
    async refineKept(tau) {
      for (const half of halves) {
        await run("refineKept", half, tau);
        await halved();
      }
    },
    async evaluateBundle() {
      await run("measure", all);
      const model = sum(bundle.model);
      return { bound: await this.evaluate(), model };
    },
    stand: (tau) => run("stand", all, tau),
    ...(cliques !== null && {
      async separate(every: number) {
        await run("separate", all, every);
        return cliques.found.subarray(first, end).reduce((total, found) => total + found, 0);
      },
    }),
    finished: async () => {},
    limit: (late) => runner.limit(late),
    async read(part) {
      if (tiedByUse && part !== "multipliers") await run("reprice", all);
      return state;
    },
    close: () => runner.close(),
  };
}
