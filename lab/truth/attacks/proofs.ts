import { bitAt, packBits } from "../../../src/core/bits.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import type { Cut, Item } from "../../../src/map/certificate/cuts.js";
import { refuteTracks } from "../../../src/map/certificate/price-tracks.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { goBeyond } from "../../../src/map/exact/beyond-ascent.js";
import { withRebuiltCores } from "../../../src/map/exact/rebuilt-cores.js";
import { solveExactly } from "../../../src/map/exact/solve-exactly.js";
import { type Graph, isLink, linkBetween } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { coreOf, eachTriplet, wholeOf } from "../../../src/map/proof/core.js";
import { type Decision, type Leaf, type Proof, type Stage, stagesOf } from "../../../src/map/proof/proof.js";
import { trackEdgesOf } from "../../../src/map/proof/track-edges.js";
import { solve } from "../../../src/map/solve.js";
import { judgeCheck, priceExactly } from "../check.js";
import { Garbler } from "../garble.js";
import { openHighs } from "../open-highs.js";
import { graphOrNull, looseProblem } from "../small.js";
import { type BruteForce, bruteForce } from "../tracks.js";
import type { Attack, Findings } from "./attack.js";

/** Forgeries of one honest proof. */
const FORGERIES = 16;

type Changed<T> = { -readonly [K in keyof T]: T[K] };
interface Forged {
  stages: Changed<Stage>[];
  leaves: Changed<Leaf>[];
  tracks: Int32Array;
}

/** An honest proof, by linear programs or the bundle, of all that may be cheaper or of what costs less than some bound; null where there is none. */
async function honestProof(graph: Graph, garbler: Garbler) {
  const now = () => performance.now() / 1000;
  const steps = createCpuSteps(graph, { threads: 1, now });
  const options = {
    ascent: garbler.pick("bundle", "rmap"),
    iterations: garbler.pick(1, 3, 60),
    gap: 0,
    time: 60,
    now,
  } as const;
  const { tracks } = await solve(graph, steps, options);
  const { v, columnDual } = await steps.read();
  await steps.close();
  if (tracks === null || graph.surcharge !== null) return null;
  const start = { v: v.slice(), columnDual: columnDual.slice(), cuts: [], cutMultipliers: new Float64Array(0) };
  const limits = { gap: 0, time: 60, iterations: 60, now };
  const mostLeaves = garbler.pick(0, 4, 1e6);
  const open = await openHighs();
  const outcome = garbler.chance(0.3)
    ? await solveExactly(graph, start, tracks, { ...limits, open, mostLeaves, mostTriplets: 25, restrict: true })
    : await goBeyond(graph, start, tracks, {
        ...limits,
        load: async () => garbler.pick(open, open, null),
        mostLeaves,
        mostTriplets: 1e6,
      });
  return outcome && { proof: outcome.proof, tracks: outcome.tracks, start };
}

/** An allowed set of tracks that may cost more than need be: a false bound shows only below what the tracks cost. */
function worseTracks(problem: PricedProblem, graph: Graph, garbler: Garbler): Int32Array | null {
  const share = garbler.pick(0.1, 0.3);
  const found = bruteForce(problem, () => garbler.chance(share));
  if (found === null) return null;
  const tracks = new Int32Array(found.next.length).fill(UNASSIGNED);
  for (const [d, next] of found.next.entries()) if (next >= 0) tracks[d] = linkBetween(graph, d, next);
  return tracks;
}

/** A proof by the same multipliers for an instance and the core that they leave next to any tracks. */
function proofNextTo(graph: Graph, tracks: Int32Array, start: Stage): Proof {
  const proof = withRebuiltCores(graph, tracks, { stages: [start], leaves: [] });
  const [stage] = proof.stages;
  if (stage.core === undefined) return proof;
  const { edgeOf } = coreOf(wholeOf(graph, tracks), stage.core);
  return { stages: [stage, { ...start, v: Float64Array.from(edgeOf, (e) => start.v[e]) }], leaves: [] };
}

/** A copy of a proof with something changed in it. */
function forge(graph: Graph, proof: Proof, tracks: Int32Array, cost: number, garbler: Garbler): Forged {
  const copied = ({ stages, leaves }: Proof) => ({
    stages: stages.map((stage) => ({
      ...stage,
      v: stage.v.slice(),
      columnDual: stage.columnDual.slice(),
      cutMultipliers: stage.cutMultipliers.slice(),
    })),
    leaves: leaves.map((leaf): Changed<Leaf> => ({ ...copied(leaf), decisions: leaf.decisions })),
  });
  const forged: Forged = { ...copied(proof), tracks: tracks.slice() };
  const anyStage = () => garbler.pick<Changed<Stage>>(...stagesOf(forged));
  for (let times = garbler.pick(1, 1, 1, 2, 3); times > 0; times--) {
    const stage = anyStage();
    if (stage === undefined) break;
    garbler.pick(...FORGE)({ graph, forged, stage, cost, garbler });
  }
  return forged;
}

interface Place {
  readonly graph: Graph;
  readonly forged: Forged;
  readonly stage: Changed<Stage>;
  readonly cost: number;
  readonly garbler: Garbler;
}

const numbers = ({ stage, garbler }: Place): void =>
  garbler.entries(garbler.pick(stage.v, stage.columnDual, stage.columnDual, stage.cutMultipliers));

/** Marks of a core flipped, all set or none, for more or fewer edges and triplets than there are; or the core of another stage, or none. */
const core = ({ forged, stage, garbler }: Place): void => {
  const others = stagesOf(forged).flatMap((one) => one.core ?? []);
  if (stage.core === undefined || garbler.chance(0.1)) {
    if (others.length > 0) stage.core = garbler.pick(...others);
    return;
  }
  if (garbler.chance(0.05)) {
    delete stage.core;
    return;
  }
  const key = garbler.pick("edges", "edges", "triplets");
  const marks = stage.core[key].slice();
  for (let times = garbler.pick(1, 1, 2, 8); times > 0; times--)
    if (marks.length > 0) marks[garbler.below(marks.length)] ^= 1 << garbler.below(8);
  const other = garbler.pick(
    () => marks,
    () => marks,
    () => marks.fill(garbler.pick(0, 255)),
    () => marks.slice(1),
    () => new Uint8Array([...marks, 255]),
  )();
  stage.core = { ...stage.core, [key]: other };
};

/** A first core without some of its edges or triplets, and in place of all that followed the first multipliers once more, next to what is left. */
const smallerCore = ({ graph, forged, garbler }: Place): void => {
  const [stage] = forged.stages;
  if (stage?.core === undefined || refuteTracks(graph, forged.tracks) !== null) return;
  const { core } = stage;
  const whole = wholeOf(graph, forged.tracks);
  const { isOfTracks, into, out } = trackEdgesOf(graph, forged.tracks);
  const [ofEdges, ofTriplets] = garbler.pick([0.1, 0], [1, 0], [0, 0.1], [0, 1], [0.3, 0.3]);
  const before = Uint8Array.from(isOfTracks, (_, e) => Number(bitAt(core.edges, e)));
  const kept = before.map((one, e) => (isOfTracks[e] === 0 && garbler.chance(ofEdges) ? 0 : one));
  const triplets: number[] = [];
  eachTriplet(whole, before, (e, f, _t, n) => {
    if (kept[e] === 0 || kept[f] === 0) return;
    const ofTracks = into[graph.head[e]] === e && out[graph.head[e]] === f;
    triplets.push(!ofTracks && garbler.chance(ofTriplets) ? 0 : Number(bitAt(core.triplets, n)));
  });
  const smaller = { edges: packBits(kept), triplets: packBits(triplets) };
  const { edgeOf } = coreOf(whole, smaller);
  const { v, columnDual } = stage;
  const rest = { v: Float64Array.from(edgeOf, (e) => v[e]), columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
  forged.stages = [{ ...stage, core: smaller }, rest];
  forged.leaves = [];
};

/** Numbers count more than all else: there are more of them. */
const FORGE: readonly ((place: Place) => void)[] = [
  core,
  core,
  smallerCore,
  smallerCore,
  numbers,
  numbers,
  numbers,
  numbers,
  numbers,
  numbers,
  numbers,
  numbers,
  numbers,
  ({ forged, stage, cost, garbler }) => {
    if (garbler.chance(0.3)) delete stage.below;
    else if (forged.stages.includes(stage))
      stage.below = garbler.pick(cost, garbler.number(cost), garbler.number(stage.below ?? cost));
  },
  ({ stage, garbler }) => {
    const key = garbler.pick("v", "columnDual", "cutMultipliers");
    stage[key] = garbler.chance(0.5) ? stage[key].slice(1) : Float64Array.from([...stage[key], garbler.number(0)]);
  },
  ({ graph, stage, garbler }) => {
    if (stage.cuts.length === 0) return;
    const k = garbler.below(stage.cuts.length);
    stage.cuts = stage.cuts.map((cut, n) => (n === k ? otherCut(cut, graph, garbler) : cut));
  },
  ({ stage, garbler }) => {
    if (stage.cuts.length === 0) return;
    const k = garbler.below(stage.cuts.length);
    const again = garbler.chance(0.5);
    stage.cuts = again ? [...stage.cuts, stage.cuts[k]] : stage.cuts.filter((_, n) => n !== k);
    if (garbler.chance(0.7))
      stage.cutMultipliers = again
        ? Float64Array.from([...stage.cutMultipliers, garbler.number(stage.cutMultipliers[k])])
        : stage.cutMultipliers.filter((_, n) => n !== k);
  },
  ({ graph, stage, garbler }) => {
    // A cut of its own: some edges out of one detection, or more than that.
    const d = garbler.below(graph.frameStart[graph.frames - 1]);
    const items = [...graph.tail.keys()]
      .filter((e) => isLink(graph, e))
      .filter((e) => graph.tail[e] === d || garbler.chance(0.03))
      .map((e): Item => [e, -1]);
    if (items.length === 0) return;
    const kind = garbler.pick("clique", "clique", "odd-hole");
    stage.cuts = [...stage.cuts, { kind, items }];
    stage.cutMultipliers = Float64Array.from([...stage.cutMultipliers, garbler.pick(0.1, 1, 1e308, garbler.number(1))]);
  },
  ({ forged, garbler }) => {
    const from = garbler.below(forged.stages.length);
    const [stage] = forged.stages.splice(from, garbler.pick(0, 1)).concat(forged.stages[from]);
    if (stage !== undefined) forged.stages.splice(garbler.below(forged.stages.length + 1), 0, stage);
    if (garbler.chance(0.3)) forged.stages.pop();
  },
  ({ forged, garbler }) => {
    if (forged.leaves.length === 0) return;
    const n = garbler.below(forged.leaves.length);
    if (garbler.chance(0.5)) forged.leaves.splice(n, 1);
    else forged.leaves.push({ ...forged.leaves[n] });
  },
  ({ graph, forged, garbler }) => {
    if (forged.leaves.length === 0) return;
    const leaf = garbler.pick(...forged.leaves);
    const decisions = leaf.decisions.slice();
    const edge = garbler.pick(garbler.below(graph.edges), -1, graph.edges, 2 ** 53, 0.5, Number.NaN);
    const decision: Decision = [edge, garbler.pick(0, 1)];
    if (decisions.length > 0) decisions[garbler.below(decisions.length)] = decision;
    else decisions.push(decision);
    leaf.decisions = decisions;
  },
  ({ forged, garbler }) => {
    // What follows a part's own core, left out or doubled, or taken from another part.
    if (forged.leaves.length === 0) return;
    const leaf = garbler.pick(...forged.leaves);
    // A copy: no file can hold a proof that is in its own leaf.
    const other = structuredClone(garbler.pick<Proof>(...forged.leaves, forged));
    garbler.pick(
      () => {
        leaf.leaves = garbler.pick([], leaf.leaves.slice(1), other.leaves);
      },
      () => {
        leaf.stages = garbler.pick([], leaf.stages.slice(0, 1), leaf.stages.slice(1), other.stages);
      },
    )();
  },
  ({ forged, garbler }) => {
    if (forged.leaves.length < 2) return;
    const [one, other] = [garbler.pick(...forged.leaves), garbler.pick(...forged.leaves)];
    [one.decisions, other.decisions] = [other.decisions, one.decisions];
  },
  ({ graph, forged, garbler }) => {
    const d = garbler.below(forged.tracks.length);
    const degree = graph.linkEnd[d] - graph.linkStart[d];
    forged.tracks[d] = garbler.pick(-1, graph.links, 0, graph.linkStart[d] + garbler.below(Math.max(1, degree)));
  },
];

/** A cut with an item twice, missing or exchanged, in other groups, or of the other kind. */
function otherCut(cut: Cut, { edges }: Graph, garbler: Garbler): Cut {
  const items = cut.items.slice();
  const n = garbler.below(items.length);
  const [e, f] = items[n];
  return garbler.pick<() => Cut>(
    () => ({ ...cut, items: [...items, items[n]] }),
    () => ({ ...cut, items: items.with(garbler.below(items.length), items[n]) }),
    () => ({ ...cut, items: items.toSpliced(n, 1) }),
    () => ({ ...cut, items: items.with(n, [f, e]) }),
    () => ({ ...cut, items: items.with(n, [garbler.below(edges), f]) }),
    () => ({ ...cut, items: items.with(n, [e, garbler.pick(-1, -2, edges, garbler.below(edges))]) }),
    () => ({ ...cut, kind: cut.kind === "clique" ? "odd-hole" : "clique" }),
    () => ({ ...cut, kind: "exclusion" }),
    () => ({ ...cut, kind: "exclusion", set: garbler.pick(-1, 0, 1, 0.5, garbler.below(9)) }),
    () => ({ ...cut, groups: cut.groups?.toReversed() ?? items.map(() => 1) }),
    () => ({ ...cut, groups: [garbler.pick(0, -1, 1, 2, Number.NaN), ...(cut.groups ?? items.map(() => 1))] }),
  )();
}

/** What the two checks say of a proof that is false; how the first one ended. */
function judgeProof(
  problem: PricedProblem,
  graph: Graph,
  { tracks, ...proof }: Forged,
  truth: BruteForce,
): { readonly ended: string; readonly violations: readonly string[] } {
  const checked = checkProof(graph, tracks, proof);
  if (!checked.valid) return { ended: "refused", violations: [] };
  const priced = priceExactly(
    problem,
    tracks.map((e) => (e < 0 ? -1 : graph.head[e])),
    truth,
  );
  if (priced === null) return { ended: "holds", violations: ["a proof of tracks that are none"] };
  const violations = judgeCheck(checked, priced, truth);
  const exact = checkExactly(graph, tracks, proof);
  if (!exact.valid) return { ended: "holds in f64 alone", violations };
  const inUnits = (value: bigint) => value << BigInt(300 - exact.shift);
  if (inUnits(exact.lowerBound) > truth.exact) violations.push("the exact bound is above the optimum");
  if (inUnits(exact.upperBound) !== priced.cost) violations.push("the exact cost is not the tracks'");
  if (exact.lowerBound === exact.upperBound && priced.cost !== truth.exact)
    violations.push("called optimal without any rounding");
  return { ended: "holds", violations };
}

/** Attacks the proof of a problem: an honest one, and forgeries of it. */
export async function attackProofs(
  problem: PricedProblem,
  garbler: Garbler,
  { ended, violated }: Findings,
): Promise<void> {
  const graph = graphOrNull(problem);
  if (graph === null) return ended("not built");
  const honest = await honestProof(graph, garbler);
  const truth = honest && bruteForce(problem);
  if (honest === null || truth === null) return ended("no proof");
  const tracks = worseTracks(problem, graph, garbler);
  const ofWorse = tracks === null ? honest : { proof: proofNextTo(graph, tracks, honest.start), tracks };
  for (let n = 0; n <= FORGERIES; n++) {
    const of = n % 2 === 0 ? honest : ofWorse;
    const forged =
      n === 0
        ? { stages: [...honest.proof.stages], leaves: [...honest.proof.leaves], tracks: honest.tracks }
        : forge(graph, of.proof, of.tracks, truth.cost, garbler);
    try {
      const judged = judgeProof(problem, graph, forged, truth);
      ended(n === 0 ? `honest, ${judged.ended}` : judged.ended);
      for (const what of judged.violations)
        violated(`${n === 0 ? "honest" : `forgery ${n}`}: ${what} (optimum ${truth.cost})`);
    } catch (error) {
      ended("broke the check");
      violated(`forgery ${n} broke the check: ${error}`);
    }
  }
}

export const proofs: Attack = {
  what: "proofs with cuts, stages, bounds below the tracks and leaves, honest ones and forgeries: numbers, cores, cuts, groups, decisions and tracks exchanged, left out, doubled or put in another order",
  share: 80,
  perSeed: 17,
  async run(seed, findings) {
    const garbler = new Garbler(seed);
    await attackProofs(looseProblem(seed, garbler), garbler, findings);
  },
};
