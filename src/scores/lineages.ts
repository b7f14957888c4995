import { range } from "d3-array";
import type { Comparison, IdentifiedPoints } from "./comparison.js";
import { percentOf } from "./metric.js";
import { nearest } from "./nearest.js";

/** Scores of who is whose daughter, of a comparison with lineages (docs/reference/scores.md). Shares in percent, null of nothing. */
export interface LineageScores {
  readonly divisionPrecision: number | null;
  readonly divisionRecall: number | null;
  readonly divisionF1: number | null;
  readonly tra: number | null;
  readonly det: number | null;
  readonly lnk: number | null;
  readonly divisions: { readonly truth: number; readonly answer: number; readonly found: number };
  readonly operations: Operations;
}

/** The scores of lineages by their names in rows and on the command line, each a share in percent, of which more is better. */
export const LINEAGE_METRICS = {
  divisionPrecision: { label: "div. precision", title: "divisions of the answer that are true" },
  divisionRecall: { label: "div. recall", title: "true divisions that are found" },
  divisionF1: { label: "div. F1", title: "of both" },
  tra: { label: "TRA", title: "tracking accuracy of graphs" },
  det: { label: "DET", title: "its part of points" },
  lnk: { label: "LNK", title: "its part of edges" },
} as const satisfies Partial<Record<keyof LineageScores, { readonly label: string; readonly title: string }>>;

export type LineageMetric = keyof typeof LINEAGE_METRICS;

export const LINEAGE_NAMES = Object.keys(LINEAGE_METRICS) as readonly LineageMetric[];

/** The operations that make the answer's graph the true one (P. Matula et al., "Cell tracking accuracy measurement based on comparison of acyclic oriented graphs", PLoS ONE, 2015). */
export interface Operations {
  /** True points without one of the answer, and points of the answer without a true one. None is to be split, as points match one to one. */
  readonly falseNegatives: number;
  readonly falsePositives: number;
  /** Edges of the answer between matched points that are to go, true edges that it lacks, and those of both that join a mother and a daughter in one and the points of one track in the other. */
  readonly edgesDeleted: number;
  readonly edgesAdded: number;
  readonly edgesChanged: number;
}

/** What an operation costs in the Cell Tracking Challenge. */
const WEIGHT = { falseNegatives: 10, falsePositives: 1, edgesDeleted: 1, edgesAdded: 1.5, edgesChanged: 1 } as const;

/** @param buffer frames by which a division may be early or late */
export function scoreLineages(comparison: Comparison, buffer: number): LineageScores {
  const operations = operationsOf(comparison);
  const points = comparison.truth.frame.length;
  const edges = comparison.truth.before.filter((b) => b >= 0).length;
  const weighed = (...names: (keyof Operations)[]) =>
    names.reduce((sum, name) => sum + WEIGHT[name] * operations[name], 0);
  const likeness = (cost: number, all: number) => percentOf(all - Math.min(cost, all), all);
  const byPoints = weighed("falseNegatives", "falsePositives");
  const byEdges = weighed("edgesDeleted", "edgesAdded", "edgesChanged");
  const [allPoints, allEdges] = [WEIGHT.falseNegatives * points, WEIGHT.edgesAdded * edges];
  const divisions = countDivisions(comparison, buffer);
  const { truth, answer, found } = divisions;
  return {
    divisionPrecision: percentOf(found, answer),
    divisionRecall: percentOf(found, truth),
    divisionF1: percentOf(2 * found, truth + answer),
    tra: likeness(byPoints + byEdges, allPoints + allEdges),
    det: likeness(byPoints, allPoints),
    lnk: likeness(byEdges, allEdges),
    ...{ divisions, operations },
  };
}

function operationsOf(comparison: Comparison): Operations {
  const { truth, answer } = comparison;
  const { answerOf, truthOf } = nearest(comparison);
  const unmatched = (partner: Int32Array) => partner.filter((one) => one < 0).length;
  const isLink = ({ identity, before }: IdentifiedPoints, k: number) => identity[k] === identity[before[k]];
  let [edgesDeleted, edgesAdded, edgesChanged] = [0, 0, 0];
  answer.before.forEach((b, k) => {
    if (b < 0 || truthOf[b] < 0 || truthOf[k] < 0) return;
    if (truth.before[truthOf[k]] !== truthOf[b]) edgesDeleted++;
    else if (isLink(truth, truthOf[k]) !== isLink(answer, k)) edgesChanged++;
  });
  truth.before.forEach((b, k) => {
    if (b < 0) return;
    const isThere = answerOf[b] >= 0 && answerOf[k] >= 0 && answer.before[answerOf[k]] === answerOf[b];
    if (!isThere) edgesAdded++;
  });
  return {
    ...{ falseNegatives: unmatched(answerOf), falsePositives: unmatched(truthOf) },
    ...{ edgesDeleted, edgesAdded, edgesChanged },
  };
}

/** The points that follow each point. */
function childrenOf({ before }: IdentifiedPoints): readonly (readonly number[])[] {
  const children: number[][] = Array.from(before, () => []);
  before.forEach((b, k) => {
    if (b >= 0) children[b].push(k);
  });
  return children;
}

/** A lineage with the partner that each of its points has in the other one. */
interface Matched {
  readonly points: IdentifiedPoints;
  readonly children: readonly (readonly number[])[];
  readonly partner: Int32Array;
}

/**
 * The divisions, and those of both that are the same: where their mothers match and their daughters do, the earlier division's daughters being followed to the later one's, and
 * the later mother back to the earlier one. Each division is one of the other lineage at most, first those of the same frame.
 */
function countDivisions(comparison: Comparison, buffer: number): LineageScores["divisions"] {
  const { answerOf, truthOf } = nearest(comparison);
  const truth: Matched = { points: comparison.truth, children: childrenOf(comparison.truth), partner: answerOf };
  const answer: Matched = { points: comparison.answer, children: childrenOf(comparison.answer), partner: truthOf };
  const dividing = ({ children }: Matched) => range(children.length).filter((k) => children[k].length > 1);
  const [trueOnes, others] = [dividing(truth), dividing(answer)];
  const inFrame = new Map<number, Set<number>>();
  for (const k of others) {
    const p = answer.points.frame[k];
    inFrame.set(p, (inFrame.get(p) ?? new Set()).add(k));
  }
  const open = new Set(trueOnes);
  for (let apart = 0; apart <= buffer; apart++) {
    for (const k of open) {
      for (const p of new Set([truth.points.frame[k] - apart, truth.points.frame[k] + apart])) {
        const isEarly = p < truth.points.frame[k];
        const same = [...(inFrame.get(p) ?? [])].find((other) =>
          isEarly ? isSame(answer, other, truth, k) : isSame(truth, k, answer, other),
        );
        if (same === undefined || !open.has(k)) continue;
        open.delete(k);
        inFrame.get(p)?.delete(same);
      }
    }
  }
  return { truth: trueOnes.length, answer: others.length, found: trueOnes.length - open.size };
}

/** Whether the division at a point of one lineage is that at a point of the other, which is not earlier. */
function isSame(early: Matched, mother: number, late: Matched, lateMother: number): boolean {
  let back = lateMother;
  while (back >= 0 && late.points.frame[back] > early.points.frame[mother]) back = late.points.before[back];
  if (back < 0 || late.partner[back] !== mother) return false;
  const daughters = late.children[lateMother].map((k) => {
    let first = late.partner[k];
    while (first >= 0 && early.points.before[first] !== mother) {
      const before = early.points.before[first];
      first = before >= 0 && early.children[before].length === 1 ? before : -1;
    }
    return first;
  });
  const all = early.children[mother];
  return daughters.length === all.length && all.every((k) => daughters.includes(k));
}
