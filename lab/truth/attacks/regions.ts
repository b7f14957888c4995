import { UNASSIGNED } from "../../../src/lap/lap.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { solveRegion } from "../../../src/map/exact/region-bounds.js";
import { type ReducedCosts, reduceCore } from "../../../src/map/exact/stages.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import type { Proof, RegionProof, Stage } from "../../../src/map/proof/proof.js";
import { Regions } from "../../../src/map/proof/regions.js";
import { solve } from "../../../src/map/solve.js";
import { Garbler } from "../garble.js";
import { openHighs } from "../open-highs.js";
import { graphOrNull } from "../small.js";
import { bruteForce, exactly } from "../tracks.js";
import type { Attack } from "./attack.js";
import { rescaled, scaleOf } from "./exact.js";
import { exclusiveProblem } from "./exclusions.js";

const FORGERIES = 6;

/** Multipliers near those at which an ascent stalls: the closer, the more does what counts twice show. */
async function stageOf(graph: Graph, garbler: Garbler, scale: number): Promise<Stage | null> {
  const now = () => performance.now() / 1000;
  const steps = createCpuSteps(graph, { threads: 1, now });
  const { proof } = await solve(graph, steps, {
    ascent: "bundle",
    iterations: 60,
    gap: 0,
    time: 60,
    eliminate: false,
    now,
  });
  await steps.close();
  if (proof === null) return null;
  const noise = scale * garbler.pick(0, 0, 0.03, 0.3);
  const [stage] = proof.stages;
  const shaken = (values: Float64Array, from: number) =>
    values.map((value, n) => (n < from ? value : value + garbler.uniform(-noise, noise)));
  const v = shaken(stage.v, graph.edgeStart[1]).map((value, e) => (graph.tail[e] === UNASSIGNED ? 0 : value));
  return { ...stage, v, columnDual: shaken(stage.columnDual, graph.frameStart[1]) };
}

function randomMembers({ birthOf, motherOf }: Graph, garbler: Garbler): Uint32Array[] {
  const count = garbler.pick(1, 2, 3, 6);
  const of = Array.from(birthOf, () => garbler.below(count + 1));
  motherOf?.forEach((mother, twin) => {
    if (mother >= 0) of[twin] = of[mother];
  });
  const all = Array.from({ length: count }, (_, n) => Uint32Array.from(of.keys()).filter((d) => of[d] === n));
  return all.filter(({ length }) => length > 0);
}

async function proveRegions(
  reduced: ReducedCosts,
  stage: Stage,
  garbler: Garbler,
  scale: number,
): Promise<RegionProof[]> {
  const open = await openHighs();
  const members = randomMembers(reduced.graph, garbler);
  const places = new Regions(reduced, stage, members);
  const regions: RegionProof[] = [];
  for (const [n, detections] of members.entries()) {
    const limit = scale * garbler.pick(1000, 1, garbler.uniform(0.001, 0.4));
    const region = places.instance(n, limit);
    const tracks = new Int32Array(region.detections.length).fill(UNASSIGNED);
    const solved = await solveRegion({ ...region, tracks, time: 10 }, open);
    regions.push({ detections, limit, tracks: solved.tracks, proof: solved.proof });
  }
  return regions;
}

/** Regions of which something is changed. */
function forged(graph: Graph, regions: readonly RegionProof[], garbler: Garbler): RegionProof[] {
  const n = garbler.below(regions.length);
  const region = regions[n];
  const { detections, limit, proof } = region;
  const other = garbler.pick(...regions);
  const withStage = (change: (stage: Stage) => Stage): RegionProof => ({
    ...region,
    proof: { ...proof, stages: proof.stages.map((stage, k) => (k === 0 ? change(stage) : stage)) },
  });
  const garbled = (values: Float64Array): Float64Array => {
    const copy = values.slice();
    garbler.entries(copy);
    return copy;
  };
  const changed = garbler.pick<() => readonly RegionProof[]>(
    () => [...regions, region],
    () => regions.toSpliced(n, 1),
    () => regions.toReversed(),
    () => regions.with(n, { ...region, detections: other.detections }),
    () => regions.with(n, { ...region, detections: Uint32Array.from([...detections, graph.birthOf.length]) }),
    () => regions.with(n, { ...region, detections: detections.slice(1) }),
    () => regions.with(n, { ...region, limit: garbler.number(limit) }),
    () => regions.with(n, { ...region, tracks: other.tracks }),
    () => regions.with(n, { ...region, proof: other.proof }),
    () => regions.with(n, { ...region, proof: { ...proof, leaves: proof.leaves.slice(1) } }),
    () =>
      regions.with(
        n,
        withStage((stage) => ({ ...stage, v: garbled(stage.v) })),
      ),
    () =>
      regions.with(
        n,
        withStage((stage) => ({ ...stage, columnDual: garbled(stage.columnDual) })),
      ),
    () =>
      regions.with(
        n,
        withStage((stage) => ({ ...stage, cutMultipliers: garbled(stage.cutMultipliers) })),
      ),
  );
  return [...changed()];
}

export const regions: Attack = {
  what: "bounds of any multipliers with what random regions add, honest ones and forgeries, of problems whose detections exclude each other or divide, against tracks without links",
  share: 20,
  perSeed: FORGERIES + 1,
  async run(seed, { ended, violated }) {
    const garbler = new Garbler(seed);
    const scale = scaleOf(garbler);
    const problem: PricedProblem = rescaled(exclusiveProblem(seed, garbler), scale);
    const graph = graphOrNull(problem);
    const truth = graph && bruteForce(problem);
    const stage = graph && (await stageOf(graph, garbler, scale));
    if (graph === null || truth === null || stage === null || graph.surcharge !== null) return ended("not solved");
    const tracks = new Int32Array(graph.birthOf.length).fill(UNASSIGNED);
    const reduced = reduceCore(wholeOf(graph, tracks), stage);
    const honest = await proveRegions(reduced, stage, garbler, scale);
    if (honest.length === 0) return ended("no regions");
    for (let n = 0; n <= FORGERIES; n++) {
      const proof: Proof = { stages: [stage], leaves: [], regions: n === 0 ? honest : forged(graph, honest, garbler) };
      const what = n === 0 ? "honest" : `forgery ${n}`;
      const checked = checkProof(graph, tracks, proof);
      ended(`${n === 0 ? "honest" : "forged"}, ${checked.valid ? "holds" : "refused"}`);
      if (!checked.valid) {
        if (n === 0) violated(`${what}: refused, ${checked.why}`);
        continue;
      }
      if (exactly(checked.lowerBound) > truth.exact)
        violated(`${what}: the bound ${checked.lowerBound} is above ${truth.cost}`);
      const exact = checkExactly(graph, tracks, proof);
      if (exact.valid && exact.lowerBound << BigInt(300 - exact.shift) > truth.exact)
        violated(`${what}: the exact bound is above ${truth.cost}`);
    }
  },
};
