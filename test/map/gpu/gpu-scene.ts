import { expect } from "vitest";
import type { GpuSession } from "../../../src/gpu/session.js";
import { createJvWorkspace } from "../../../src/lap/jv/jv.js";
import { type Bundle, type BundleKernels, createBundle, createBundleKernels } from "../../../src/map/dual/bundle.js";
import { createPairKernels, largestFrame, type PairKernels } from "../../../src/map/dual/kernels.js";
import { type AscentState, createAscentState } from "../../../src/map/dual/state.js";
import { createGpuSteps, type GpuOptions } from "../../../src/map/gpu/gpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { randomMultipliers, seconds } from "../problems.js";
import { multiplied } from "../scene.js";
import { type GpuState, type InspectedSteps, inspected } from "./gpu-state.js";

/** A GPU's steps beside the CPU's kernels on the same instance; `adopt` puts the twin where the GPU stands. */
export interface GpuScene {
  readonly graph: Graph;
  readonly steps: InspectedSteps;
  readonly state: AscentState;
  readonly kernels: PairKernels;
  readonly bundle: Bundle;
  readonly bundleKernels: BundleKernels;
  readonly pairs: number;
  /** Largest number that costs, triplets and multipliers are sums of: f32 errors are relative to it. */
  readonly scale: number;
  /** Reads the device back and leaves the twin in the same state. */
  adopt(): Promise<GpuState>;
}

/** Opens a scene at random multipliers, runs `work` in it inside an error scope, and closes it. */
export async function inGpuScene(
  session: GpuSession,
  problem: PricedProblem,
  work: (scene: GpuScene) => Promise<void>,
  options: Partial<GpuOptions> = {},
): Promise<void> {
  const { graph } = buildGraph(problem);
  const state = createAscentState(graph);
  const widest = largestFrame(graph);
  const kernels = createPairKernels(graph, state, createJvWorkspace(widest, widest));
  const bundle = createBundle(graph);
  const bundleKernels = createBundleKernels(graph, state, bundle);
  await session.scoped("scene", async () => {
    const steps = inspected(session, await createGpuSteps(session, graph, { now: seconds, ...options }));
    const scale = scaleOf(graph);
    const drawn = randomMultipliers(graph.edges, scale / 8, 7);
    const v = new Float64Array(graph.edges);
    for (const f of multiplied(graph)) v[f] = Math.fround(drawn[f]);
    await steps.setMultipliers(v);
    const adopt = async () => {
      const gpu = await steps.inspect();
      takeOver(graph, state, bundle, gpu);
      return gpu;
    };
    const pairs = graph.frames - 1;
    await work({ graph, steps, state, kernels, bundle, bundleKernels, pairs, scale, adopt });
    await steps.close();
  });
}

function scaleOf({ cost, triplets }: Graph): number {
  const largest = (values: Float64Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const own = largest(cost);
  if (triplets.kind === "csr") return Math.max(own, largest(triplets.cost), Number.MIN_VALUE);
  const m = largest(triplets.perEdge);
  return Math.max(own, triplets.rule === "absolute" ? 2 * m : 8 * m * m);
}

function takeOver(graph: Graph, state: AscentState, bundle: Bundle, gpu: GpuState): void {
  const { frames, frameStart, head, tail } = graph;
  state.v.set(gpu.v);
  state.kept.set(gpu.kept);
  state.delta.set(gpu.delta);
  state.bestSuccessor.set(gpu.bestSuccessor);
  state.reduced.set(gpu.reduced);
  state.rowDual.set(gpu.rowDual);
  state.columnDual.set(gpu.columnDual);
  state.columnOfRow.set(gpu.columnOfRow);
  for (let d = 0; d < frameStart[frames - 1]; d++) state.linkOfRow[d] = head[gpu.outEdge[d]] >= 0 ? gpu.outEdge[d] : -1;
  for (let p = 0; p + 1 < frames; p++) {
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
      state.rowOfColumn[j] = tail[gpu.intoEdge[j]] >= 0 ? tail[gpu.intoEdge[j]] - frameStart[p] : -1;
    }
  }
  bundle.constant.set(gpu.constant);
  bundle.taken.set(gpu.taken);
  bundle.passed.set(gpu.passed);
  findSupport(graph, bundle.taken, bundle.takenAt, bundle.takenSize);
  findSupport(graph, bundle.passed, bundle.passedAt, bundle.passedSize);
  bundle.planeConstant.set(gpu.planeConstant);
  bundle.planeStamp.set(gpu.planeStamp);
  bundle.planeEdge.set(gpu.planeEdge);
  bundle.planeSuccessor.set(gpu.planeSuccessor);
  bundle.clock.set(gpu.clock);
}

/** The edges of each pair that have a weight, as a bundle lists them. */
function findSupport({ edgeStart, birthStart }: Graph, weight: Float64Array, at: Int32Array, size: Uint32Array): void {
  for (let p = 0; p < size.length; p++) {
    size[p] = 0;
    for (let e = edgeStart[p]; e < birthStart[p]; e++) if (weight[e] !== 0) at[edgeStart[p] + size[p]++] = e;
  }
}

/** No value of the GPU lies farther from its twin's than `allowed`, and none is NaN. */
export function expectClose<Values extends Float32Array | Int32Array>(
  gpu: Values,
  cpu: Values | Float64Array,
  allowed: number,
  what: string,
): void {
  expect(gpu.length, what).toBe(cpu.length);
  const far = gpu.findIndex((value, k) => !(Math.abs(value - cpu[k]) <= allowed));
  expect(far, `${what}: ${gpu[far]} on the GPU, ${cpu[far]} on the CPU, ${allowed} allowed`).toBe(-1);
}
