import { type Detections, frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { type FixedLinks, mayLink } from "../../core/fixed-links.js";
import type { MotionFit } from "../../costs/motion/fit.js";
import { linksBy } from "../../costs/motion/links.js";
import { type MotionPass, price } from "../motion-passes.js";

/**
 * The problem of the same law with links required and forbidden, beginning with multipliers of this one. Candidates are those that were chosen, and the required links.
 * @throws InputError for a required link over more frames than the law knows
 */
export function withLinks(pass: MotionPass, fixed: FixedLinks, v: Float64Array): MotionPass {
  const { over, fit, recording, priced } = pass;
  const most = fit.model.prior.length;
  if (fixed.longest > most)
    throw new InputError(
      `a required link leaves out ${fixed.longest - 1} frames, and the costs know gaps of ${most - 1} at most: solve anew with --max-gap ${fixed.longest - 1}`,
    );
  const next = { ...pass, parameters: { ...pass.parameters, fixed } };
  const longer = fixed.longest > 1 || over !== null ? overWith(over, fixed, recording, fit) : null;
  return price({ ...next, over: longer }, { problem: priced, v, first: 0 });
}

/** Links over missed detections without those that are ruled out, and with the required ones. */
function overWith(
  over: MotionPass["over"],
  fixed: FixedLinks,
  recording: Detections,
  { model }: MotionFit,
): MotionPass["over"] {
  const frame = frameOfDetections(recording.frameStart);
  const pairs = new Map<number, Set<number>>();
  const put = (i: number, j: number) => pairs.set(i, (pairs.get(i) ?? new Set()).add(j));
  over?.links.tail.forEach((i, e) => {
    if (mayLink(fixed, i, over.links.head[e])) put(i, over.links.head[e]);
  });
  fixed.next.forEach((j, i) => {
    if (j >= 0 && frame[j] - frame[i] > 1) put(i, j);
  });
  const sorted = [...pairs]
    .flatMap(([i, heads]) => [...heads].map((j) => [i, j] as const))
    .sort(([a, b], [c, d]) => a - c || b - d);
  const [tail, head] = [0, 1].map((end) => Int32Array.from(sorted, (pair) => pair[end]));
  return { ...(over ?? { pass: 0, considered: 0 }), links: linksBy(recording, model, { tail, head }) };
}
