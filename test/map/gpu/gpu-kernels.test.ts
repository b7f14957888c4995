import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Recorder } from "../../../src/gpu/recorder.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import type { Parity } from "../../../src/map/dual/steps.js";
import { type Graph, isLink, tripletCost } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { createTracksSearch } from "../../../src/map/primal/feasible.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { gpuCases, stridedCases, tiedCases } from "./gpu-cases.js";
import { expectClose, type GpuScene, inGpuScene } from "./gpu-scene.js";
import type { GpuState } from "./gpu-state.js";

/**
 * Every kernel of src/map against its CPU twin from the same state. X-LAP duals are not unique, so the twin takes over the device's
 * duals and matching before each step, and the matching itself is certified.
 */

const session = useSoftwareSession();
const atOnce = [...gpuCases, ...tiedCases].map(([name, problem]) => [name, problem, null] as const);
const cases: readonly (readonly [string, PricedProblem, number | null])[] = [...atOnce, ...stridedCases];

/** Of a few sums of f32 numbers of the scene's scale, and of what goes through a line search. */
const roundingOf = ({ scale }: GpuScene): number => 2 ** -19 * scale;
const searched = 2 ** -11;

const detectionsOf = ({ frames, frameStart }: Graph): number => frameStart[frames];

const pairsOf = ({ pairs }: GpuScene, parity?: Parity): number[] =>
  Array.from({ length: pairs }, (_, p) => p).filter((p) => parity === undefined || p % 2 === parity);

/** Δ and Ĉ as the twin has them, and successors that attain Δ. */
function expectPriced(scene: GpuScene, gpu: GpuState): void {
  const { graph, state } = scene;
  const rounding = roundingOf(scene);
  expectClose(gpu.delta, state.delta, rounding, "Δ");
  expectClose(gpu.reduced, state.reduced, rounding, "Ĉ");
  const wrong = entering(graph).find((e) => {
    const f = gpu.bestSuccessor[e];
    if (f < 0 || state.bestSuccessor[e] < 0) return f !== state.bestSuccessor[e];
    return !(tripletCost(graph, e, f) - gpu.v[f] - state.delta[e] <= rounding);
  });
  expect(wrong, "edge whose successor does not attain Δ").toBeUndefined();
}

/** Edges that have a successor: all but deaths. */
const entering = ({ edges, head }: Graph): number[] =>
  Array.from({ length: edges }, (_, e) => e).filter((e) => head[e] >= 0);

/** The matching and the duals of the pairs prove each other optimal for Ĉ. */
function expectCertified(scene: GpuScene, gpu: GpuState, pairs: readonly number[]): void {
  const { graph, state } = scene;
  const { tail, head, deathOf, frames, frameStart } = graph;
  const rounding = 4 * roundingOf(scene);
  const entered = new Uint8Array(frameStart[frames]);
  const wrong: string[] = [];
  for (const e of pairs.flatMap((p) => edgesOf(graph, p))) {
    const slack = state.reduced[e] - (gpu.rowDual[tail[e]] ?? 0) - (gpu.columnDual[head[e]] ?? 0);
    const isOut = tail[e] >= 0 && gpu.outEdge[tail[e]] === e;
    const isInto = head[e] >= 0 && gpu.intoEdge[head[e]] === e;
    if (isInto) entered[head[e]]++;
    if (!(slack >= -rounding)) wrong.push(`slack ${slack} of edge ${e}`);
    if ((isOut || isInto) && !(slack <= rounding)) wrong.push(`slack ${slack} of chosen edge ${e}`);
    if (isLink(graph, e) && isOut !== isInto) wrong.push(`edge ${e} is chosen at one end`);
  }
  for (const p of pairs) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      const column = gpu.columnOfRow[i];
      const out = gpu.outEdge[i];
      const isRight = column < 0 ? out === deathOf[i] : tail[out] === i && head[out] === frameStart[p + 1] + column;
      if (!isRight) wrong.push(`row ${i} has column ${column} and edge ${out}`);
    }
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
      if (entered[j] !== 1) wrong.push(`column ${j} is entered ${entered[j]} times`);
    }
  }
  expect(wrong).toEqual([]);
}

function edgesOf(graph: Graph, p: number): number[] {
  const [first, end] = [graph.edgeStart[p], graph.edgeStart[p + 1]];
  return Array.from({ length: end - first }, (_, k) => first + k);
}

const lapValue = ({ state, graph }: GpuScene, gpu: GpuState, p: number): number => {
  const { frameStart, birthOf } = graph;
  let sum = 0;
  for (let i = frameStart[p]; i < frameStart[p + 1]; i++) sum += state.reduced[gpu.outEdge[i]];
  for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
    if (gpu.intoEdge[j] === birthOf[j]) sum += state.reduced[gpu.intoEdge[j]];
  }
  return sum;
};

describe.each(cases)("%s", (_, problem, mostGroups) => {
  beforeAll(() => {
    if (mostGroups !== null) vi.spyOn(session(), "mostGroups", "get").mockReturnValue(mostGroups);
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });

  test("price, limits, choose: Δ, Ĉ and certified X-LAPs; the bound is their sum", async () => {
    await inGpuScene(session(), problem, async (scene) => {
      const { steps, kernels } = scene;
      await scene.adopt();
      const bound = await steps.evaluate();
      for (const p of pairsOf(scene)) kernels.price(p);
      const gpu = await steps.inspect();
      expectPriced(scene, gpu);
      expectCertified(scene, gpu, pairsOf(scene));
      const sum = pairsOf(scene).reduce((total, p) => total + lapValue(scene, gpu, p), 0);
      expect(Math.abs(bound - sum)).toBeLessThanOrEqual(roundingOf(scene) * detectionsOf(scene.graph));
      // A second evaluation starts warm from the first one's duals and matching.
      expect(await steps.evaluate()).toBe(bound);
      expectCertified(scene, await steps.inspect(), pairsOf(scene));
    });
  });

  test("read: multipliers, Δ, Ĉ, duals and links as they are on the device", async () => {
    await inGpuScene(session(), problem, async ({ graph, steps }) => {
      await steps.evaluate();
      const gpu = await steps.inspect();
      const { v, delta, reduced, rowDual, columnDual, linkOfRow } = await steps.read();
      const links = Array.from(linkOfRow, (_, d) => (graph.head[gpu.outEdge[d]] >= 0 ? gpu.outEdge[d] : -1));
      const lastStart = graph.frameStart[graph.frames - 1];
      expect({ v, delta, reduced, rowDual, columnDual, linkOfRow }).toEqual({
        v: Float64Array.from(gpu.v),
        delta: Float64Array.from(gpu.delta),
        reduced: Float64Array.from(gpu.reduced),
        rowDual: Float64Array.from(gpu.rowDual),
        columnDual: Float64Array.from(gpu.columnDual),
        linkOfRow: Int32Array.from(links).fill(-1, lastStart),
      });
    });
  });

  test("subgradient and follow, keep and restore, push-left", async () => {
    await inGpuScene(session(), problem, async (scene) => {
      const { steps, state, kernels, scale } = scene;
      await steps.evaluate();
      await steps.keep();
      const before = await scene.adopt();
      for (const p of pairsOf(scene)) kernels.subgradient(p);
      expect(await steps.subgradient()).toBe(state.pairNorm.reduce((sum, norm) => sum + norm, 0));
      await steps.follow(scale / 16);
      for (const p of pairsOf(scene)) kernels.follow(p, scale / 16);
      expectClose((await steps.inspect()).v, state.v, roundingOf(scene), "v");
      await steps.restore();
      expect((await steps.inspect()).v).toEqual(before.v);

      await scene.adopt();
      await steps.pushReducedCosts(1);
      for (const p of pairsOf(scene)) kernels.pushLeft(p, 1);
      expectClose((await steps.inspect()).v, state.v, roundingOf(scene), "v after push-left");
    });
  });

  test("a visit: pull, price, X-LAPs of one parity, both pushes", async () => {
    await inGpuScene(session(), problem, async (scene) => {
      const { steps, state, kernels } = scene;
      await steps.evaluate();
      for (const parity of [0, 1, 0] as const) {
        await scene.adopt();
        await steps.visit(parity);
        const gpu = await steps.inspect();
        // The device prices every pair of the other parity, also one that no pair of this parity follows.
        for (const p of pairsOf(scene, parity === 0 ? 1 : 0)) kernels.price(p);
        for (const p of pairsOf(scene, parity)) kernels.pull(p);
        for (const p of pairsOf(scene, parity)) kernels.price(p);
        expectClose(gpu.delta, state.delta, 2 * roundingOf(scene), "Δ");
        expectCertified(scene, gpu, pairsOf(scene, parity));
        state.rowDual.set(gpu.rowDual);
        state.columnDual.set(gpu.columnDual);
        for (const p of pairsOf(scene, parity)) kernels.pushLeft(p, 0.5);
        for (const p of pairsOf(scene, parity)) kernels.pushRight(p, 0.5);
        expectClose(gpu.v, state.v, 4 * roundingOf(scene), "v");
      }
    });
  });

  test("between, begin-tracks: a repair leaves tracks that no re-solved pair improves by more than f32 rounds, from any seed", async () => {
    const follow = async (scene: GpuScene) => {
      const { graph, steps } = scene;
      const { tracks: search } = steps;
      if (search === undefined) {
        expect(graph.triplets.kind).toBe("csr");
        return;
      }
      const allowed = roundingOf(scene) * detectionsOf(graph);
      await steps.evaluate();
      const assignment = (await steps.read()).linkOfRow.slice();
      const found = [await search.from("backward"), await search.from("assignment"), await search.repaired(assignment)];
      expect(found[2]).toEqual(found[1]);
      for (const tracks of found) {
        const after = priceTracks(graph, tracks);
        createTracksSearch(graph).improve(tracks);
        const improved = priceTracks(graph, tracks);
        expect([after.status, improved.status]).toEqual(["feasible", "feasible"]);
        expect(costOf(after)).toBeLessThanOrEqual(costOf(improved) + allowed);
      }
      expect(costOf(priceTracks(graph, found[1]))).toBeLessThanOrEqual(
        costOf(priceTracks(graph, assignment)) + allowed,
      );
      expect(await search.from("backward")).toEqual(await search.from("backward"));
    };
    await inGpuScene(session(), problem, follow, { sweeps: 10 });
  });

  test("between, begin-tracks: what the multipliers make, front to back and back to front, as its twin makes it", async () => {
    const follow = async (scene: GpuScene) => {
      const { graph, steps, state } = scene;
      if (steps.tracks === undefined) return;
      await steps.evaluate();
      await scene.adopt();
      const { linkOfRow } = await steps.read();
      for (const direction of ["forward", "backward"] as const) {
        const made = await steps.tracks.from(direction);
        const twin = linkOfRow.slice();
        createTracksSearch(graph).construct(state, direction, twin);
        if (!isTied) expect(made, direction).toEqual(twin);
        expect(priceTracks(graph, made).status).toBe("feasible");
      }
    };
    const isTied = tiedCases.some(([, tied]) => tied === problem);
    await inGpuScene(session(), problem, follow, { sweeps: 0 });
  });

  test.each([
    ["a chunk a pair", undefined],
    ["in chunks of twenty edges", 20],
  ])(
    "the bundle, %s: open, measure, stand, refine over kept planes and new ones, collect",
    async (_, edgesPerChunk) => {
      const follow = async (scene: GpuScene) => {
        const { graph, steps, state, bundle, bundleKernels, scale } = scene;
        const rounding = roundingOf(scene);
        const tau = scale / 8;
        const sums = rounding * detectionsOf(graph);
        await steps.evaluate();
        await steps.keep();
        await scene.adopt();
        await steps.beginBundle();
        for (const p of pairsOf(scene)) bundleKernels.begin(p);
        expectBundle(scene, await steps.inspect(), 0, sums);

        const { model } = await steps.evaluateBundle();
        for (const p of pairsOf(scene)) bundleKernels.measure(p);
        expect(Math.abs(model - bundle.model.reduce((sum, value) => sum + value, 0))).toBeLessThanOrEqual(sums);

        await steps.stand(tau);
        for (const p of pairsOf(scene)) bundleKernels.stand(p, tau);
        expectClose((await steps.inspect()).v, state.v, rounding, "v after stand");

        for (let pass = 0; pass < 2; pass++) {
          await refined(scene, tau, sums);
          await refinedKept(scene, tau, sums);
        }

        await steps.evaluate();
        await scene.adopt();
        await steps.collectPlanes();
        for (const p of pairsOf(scene)) bundleKernels.collect(p);
        const gpu = await steps.inspect();
        expectBundle(scene, gpu, 0, sums);
        expect(gpu.planeStamp).toEqual(bundle.planeStamp);
        expect(gpu.clock).toEqual(bundle.clock);
      };
      await inGpuScene(session(), problem, follow, { ...(edgesPerChunk && { edgesPerChunk }) });
    },
  );
});

describe("no number that is broken leaves the device", () => {
  const [, problem] = gpuCases[1];
  const refused = /^.+ made (a bound|v\[\d+\]) (NaN|-?Infinity): .+ use --device cpu$/;
  const broken = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308];

  test.each(broken)("a multiplier set to %s", async (value) => {
    await inGpuScene(session(), problem, async ({ graph, steps }) => {
      for (const evaluated of [false, true]) {
        const v = new Float64Array(graph.edges);
        v[graph.deathStart[graph.frames - 2] - 1] = value;
        await steps.setMultipliers(v);
        const use = async () => {
          if (evaluated) await steps.evaluate();
          await steps.read();
        };
        await expect(use()).rejects.toThrow(refused);
      }
    });
  });

  /** Puts a number into one of the buffers that come back next, at a word from its beginning or, below 0, from its end. */
  const breakNext = (buffer: number, word: number, value: number): void => {
    const { decoded } = Recorder.prototype;
    vi.spyOn(Recorder.prototype, "decoded").mockImplementationOnce(function (this: Recorder<string>, buffers, decode) {
      return decoded.call(this, buffers, (parts) => {
        const copies = parts.map((part) => part.slice());
        const numbers = new Float32Array(copies[buffer].buffer);
        numbers[word < 0 ? numbers.length + word : word] = value;
        return decode(copies);
      });
    });
  };

  test.each(broken)("%s among the multipliers and the duals that are read back", async (value) => {
    // Without births, so that the duals of all detections of the outer frames fill the buffer to its ends.
    await inGpuScene(session(), gpuCases[0][1], async ({ steps }) => {
      await steps.evaluate();
      for (const [buffer, word, what] of [
        [0, 0, "rowDual[0]"],
        [0, -1, "columnDual[53]"],
        [1, 0, "v[0]"],
        [2, 0, "delta[0]"],
        [3, 0, "reduced[0]"],
      ] as const) {
        breakNext(buffer, word, value);
        await expect(steps.read()).rejects.toThrow(`made ${what} `);
        vi.restoreAllMocks();
      }
      await expect(steps.read()).resolves.toBeDefined();
    });
  });

  test("what was read of the multipliers alone is not taken for the whole state", async () => {
    await inGpuScene(session(), problem, async ({ steps }) => {
      await steps.evaluate();
      const { v, rowDual, columnDual } = structuredClone(await steps.read("multipliers"));
      const whole = structuredClone(await steps.read());
      expect(whole).toMatchObject({ v, rowDual, columnDual });
      await steps.setMultipliers(whole.v);
      const again = structuredClone(await steps.read());
      expect(again).toEqual(whole);
      expect(whole.reduced.some((value) => value !== 0)).toBe(true);
    });
  });

  test("NaN as the value of an X-LAP", async () => {
    await inGpuScene(session(), problem, async ({ steps }) => {
      // The third word of its record.
      breakNext(1, 2, Number.NaN);
      await expect(steps.evaluate()).rejects.toThrow("made a bound NaN");
    });
  });
});

const costOf = (priced: ReturnType<typeof priceTracks>): number =>
  priced.status === "feasible" ? priced.cost : Number.POSITIVE_INFINITY;

/** (A, X, Y), v and the planes kept are the twin's. */
function expectBundle(scene: GpuScene, gpu: GpuState, allowed: number, sums: number): void {
  const { graph, state, bundle, scale } = scene;
  const { frames, frameStart } = graph;
  expectClose(gpu.taken, bundle.taken, allowed, "X");
  expectClose(gpu.passed, bundle.passed, allowed, "Y");
  expectClose(gpu.constant, bundle.constant, sums + allowed * scale * frameStart[frames], "A");
  expectClose(gpu.v, state.v, roundingOf(scene) + allowed * scale, "v");
  expectClose(gpu.planeConstant, bundle.planeConstant, sums, "a");
  expectClose(gpu.planeEdge, bundle.planeEdge, 0, "edges of planes");
  const inner = (_: number, k: number) => k % frameStart[frames] < frameStart[frames - 1];
  expectClose(gpu.planeSuccessor.filter(inner), bundle.planeSuccessor.filter(inner), 0, "successors of planes");
}

/** One refinement on the device, followed by the twin with the device's assignments and successors. */
async function refined(scene: GpuScene, tau: number, sums: number): Promise<void> {
  const { graph, steps, state, bundle, kernels, bundleKernels } = scene;
  const { frameStart, head, tail } = graph;
  await scene.adopt();
  await steps.refine(tau);
  const gpu = await steps.inspect();
  for (const parity of [0, 1] as const) {
    for (const p of pairsOf(scene, parity)) {
      kernels.price(p);
      for (const e of edgesOf(graph, p)) {
        const f = gpu.bestSuccessor[e];
        if (graph.head[e] < 0 || f < 0) continue;
        if (!(tripletCost(graph, e, f) - state.v[f] - state.delta[e] <= scene.scale * searched)) {
          expect.unreachable(`successor ${f} of edge ${e} does not attain Δ`);
        }
        state.bestSuccessor[e] = f;
      }
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
        state.linkOfRow[i] = head[gpu.outEdge[i]] >= 0 ? gpu.outEdge[i] : -1;
      }
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        state.rowOfColumn[j] = tail[gpu.intoEdge[j]] >= 0 ? tail[gpu.intoEdge[j]] - frameStart[p] : -1;
      }
      state.pairValue[p] = lapValue(scene, gpu, p);
      bundleKernels.refine(p, tau);
    }
  }
  expectBundle(scene, gpu, searched, sums);
  expect(gpu.clock.every((clock, p) => clock >= 1 && Math.abs(clock - bundle.clock[p]) <= 1)).toBe(true);
}

/** One round over the kept planes; where planes tie within rounding, the twin takes the device's. */
async function refinedKept(scene: GpuScene, tau: number, sums: number): Promise<void> {
  const { steps, bundle, bundleKernels, pairs } = scene;
  const before = await scene.adopt();
  await steps.refineKept(tau);
  const gpu = await steps.inspect();
  for (const parity of [0, 1] as const) {
    for (const p of pairsOf(scene, parity)) {
      const taken = gpu.planeStamp.findIndex((stamp, k) => k % pairs === p && stamp !== before.planeStamp[k]);
      const values = planeValues(scene, p);
      if (taken >= 0) {
        expect(values[Math.floor(taken / pairs)] - Math.min(...values)).toBeLessThanOrEqual(
          sums + scene.scale * searched,
        );
        bundle.planeStamp.forEach((_, k) => {
          if (k % pairs === p && k !== taken) bundle.planeStamp[k] = 0;
        });
      }
      bundleKernels.refineKept(p, tau);
    }
  }
  expectBundle(scene, gpu, searched, sums);
}

/** Value at the present v of each plane of a pair, Infinity for an empty slot. */
function planeValues({ graph, state, bundle, pairs }: GpuScene, p: number): number[] {
  const { frames, frameStart } = graph;
  const detections = frameStart[frames];
  return Array.from({ length: bundle.capacity }, (_, slot) => {
    if (bundle.planeStamp[slot * pairs + p] === 0) return Number.POSITIVE_INFINITY;
    let value = bundle.planeConstant[slot * pairs + p];
    for (let i = frameStart[p]; p > 0 && i < frameStart[p + 1]; i++)
      value += state.v[bundle.planeEdge[slot * detections + i]];
    for (let j = frameStart[p + 1]; p + 2 < frames && j < frameStart[p + 2]; j++) {
      value -= state.v[bundle.planeSuccessor[slot * detections + j]];
    }
    return value;
  });
}
