import type { Detections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { recordingOf } from "../../formats/detections.js";
import type { Pricing } from "../../formats/scenario.js";
import { estimateCosts, type RoughSolves } from "../estimate-costs.js";
import type { MotionPass } from "../motion-passes.js";
import type { ProblemOverrides } from "../overrides.js";
import { makeProblem } from "../problem.js";
import type { Solving } from "../solve-once.js";
import type { Learned } from "./jobs.js";

/** The costs of a recording from its first frames, by the passes of a solve of these. */
export async function learnCosts(
  sample: Omit<Detections, "attributes">,
  {
    births = "auto",
    gate = "auto",
    ...stated
  }: Pick<ProblemOverrides, "births" | "divisions" | "gate" | "maxGap" | "prior">,
  options: Solving,
  rough: RoughSolves,
): Promise<{ readonly learned: Omit<Learned, "name">; readonly motion: MotionPass }> {
  const { threads, now } = options;
  const input = { kind: "detections", recording: recordingOf("", sample) } as const;
  const asked = { births, gate, ...stated, passes: rough.passes ?? undefined };
  const problem = await makeProblem(input, asked, { threads, now });
  const { motion } = await estimateCosts(problem, options, rough, () => Number.POSITIVE_INFINITY);
  if (motion === null) throw new InputError("--window: wants a cost that is estimated from tracks; use --cost motion");
  const { fit, costs } = motion;
  const { maxBirthCost } = costs;
  const division = fit.divisions.priced ? fit.divisions.law : null;
  const statement = { model: fit.model, birthDeath: births, radius: radiusOf(gate), maxBirthCost, division };
  return { learned: { statement, odds: fit.odds }, motion };
}

/** @throws InputError for gates that depend on all detections */
function radiusOf(gate: Pricing["gate"]): number | null {
  if (gate === "auto") return null;
  if (gate === "none") return Number.POSITIVE_INFINITY;
  if ("radius" in gate) return gate.radius;
  throw new InputError(
    "--gate: an epsilon follows from the speeds of the whole recording; with --window use radius=LENGTH, none or auto",
  );
}
