import { type Comparison, compareLabels, onceEach } from "./comparison.js";
import { nearest } from "./nearest.js";

/** A link joins two successive points of one identity. Every metric of links counts these. */
export interface LinkCounts {
  /** True links: all, and those not found. A link is found when one link of the answer joins the points that match its two. */
  readonly truth: number;
  readonly missed: number;
  /** The same of true links between consecutive frames, the only ones that the MAP literature knows. */
  readonly consecutive: number;
  readonly consecutiveMissed: number;
  /** Identities with a true link between consecutive frames, and those of them that lost one. */
  readonly targets: number;
  readonly brokenTargets: number;
  /** Links of the answer: all, and those that are no true link. */
  readonly answer: number;
  readonly wrong: number;
}

/** Links as pairs of points, from [2n] to [2n + 1]: those of the answer that are no true links, and the true ones that it lacks. */
export interface LinkErrors {
  readonly wrong: readonly number[];
  readonly missed: readonly number[];
}

export const linkCounts: (comparison: Comparison) => LinkCounts = onceEach((comparison) => {
  const { truth, answer } = comparison;
  const { answerOf, truthOf } = nearest(comparison);
  const [linked, broken] = [new Uint8Array(truth.identities), new Uint8Array(truth.identities)];
  const counts = { truth: 0, missed: 0, consecutive: 0, consecutiveMissed: 0, answer: 0, wrong: 0 };
  forEachLink(truth.next, (from, to) => {
    const found = answerOf[from] >= 0 && answerOf[to] >= 0 && answer.next[answerOf[from]] === answerOf[to];
    counts.truth++;
    if (!found) counts.missed++;
    if (truth.frame[to] !== truth.frame[from] + 1) return;
    counts.consecutive++;
    linked[truth.identity[from]] = 1;
    if (found) return;
    counts.consecutiveMissed++;
    broken[truth.identity[from]] = 1;
  });
  forEachLink(answer.next, (from, to) => {
    counts.answer++;
    if (!(truthOf[from] >= 0 && truthOf[to] >= 0 && truth.next[truthOf[from]] === truthOf[to])) counts.wrong++;
  });
  const [targets, brokenTargets] = [linked, broken].map((marks) => marks.reduce((sum, mark) => sum + mark, 0));
  return { ...counts, targets, brokenTargets };
});

/** The links that count as wrong and as missed, by detections numbered from 0 over all frames (those given to compareLabels). */
export function linkErrors(frameStart: Uint32Array, target: Int32Array, track: Int32Array): LinkErrors {
  const { truth, answer } = compareLabels(frameStart, target, track);
  const detections = [...track.keys()];
  const tracked = new Map<number, number>();
  for (const name of track) if (name >= 0) tracked.set(name, (tracked.get(name) ?? 0) + 1);
  const ofTruth = detections.filter((d) => target[d] >= 0);
  const ofAnswer = detections.filter((d) => track[d] >= 0 && (tracked.get(track[d]) ?? 0) > 1);
  const truthNext = new Map<number, number>();
  const answerNext = new Map<number, number>();
  forEachLink(truth.next, (from, to) => truthNext.set(ofTruth[from], ofTruth[to]));
  forEachLink(answer.next, (from, to) => answerNext.set(ofAnswer[from], ofAnswer[to]));
  const without = (links: Map<number, number>, others: Map<number, number>) =>
    [...links].filter(([from, to]) => others.get(from) !== to).flat();
  return { wrong: without(answerNext, truthNext), missed: without(truthNext, answerNext) };
}

function forEachLink(next: Int32Array, visit: (from: number, to: number) => void): void {
  for (let from = 0; from < next.length; from++) if (next[from] >= 0) visit(from, next[from]);
}
