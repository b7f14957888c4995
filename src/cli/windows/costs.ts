import { createHash } from "node:crypto";
import { DEFAULT_ASCENT } from "../../map/dual/ascents.js";
import type { Backend } from "../../run/device.js";
import { roughSolves } from "../../run/estimate-costs.js";
import { noteUnpriced } from "../../run/lineage.js";
import { motionFields, unpricedDivisions } from "../../run/motion-passes.js";
import type { WindowSettings } from "../../run/windows/jobs.js";
import { learnCosts } from "../../run/windows/learn.js";
import { now } from "../clock.js";
import type { WindowFlags } from "./refusals.js";

/** The costs of a recording's windows: a name that tells all that they depend on, and what learns them. */
export function windowCosts(
  sample: Parameters<WindowSettings["learn"]>[0],
  { passes, ascent = DEFAULT_ASCENT, threads, births = "auto", gate = "auto", divisions, maxGap, prior }: WindowFlags,
  limits: { readonly gapPercent: number; readonly iterations: number },
) {
  const estimate = async (backend: Backend, interrupted: () => boolean) => {
    const rough = roughSolves(passes ?? null, ascent, limits);
    const pause = () => new Promise<void>((resume) => setImmediate(resume));
    const options = { now, threads, backend, pause, interrupted };
    const { motion, learned } = await learnCosts(sample, { births, gate, divisions, maxGap, prior }, options, rough);
    // Passes that were cut short make no costs to go on with.
    if (interrupted()) throw new Error("interrupted");
    const { choices, ...fields } = motionFields(motion);
    // Links are counted in the first frames only.
    const { candidates: _, ...others } = choices;
    return { learned, fields: { ...fields, choices: others }, notes: noteUnpriced(unpricedDivisions(motion)) };
  };
  return { name: digestOfData({ sample, passes, ascent, births, gate, divisions, maxGap, prior, limits }), estimate };
}

/** A digest of plain data and typed arrays. V8's own serialization writes one number in several ways, by what the process has done before. */
export function digestOfData(data: unknown): string {
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength);
  const text = JSON.stringify(data, (_, value) => (ArrayBuffer.isView(value) ? digestOf(bytes(value)) : value));
  return digestOf(text);
}

const digestOf = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
