/** Pairs whose flow is known: made ones, and scores against a truth. */
import { join } from "node:path";
import { encodePng } from "../../files/images/png.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import { formatFlo, readFlo } from "../../formats/flo.js";
import { scoreFlow } from "../../scores/flow.js";
import { type FlowCase, makeFlowPair } from "../../simulation/flow-pairs.js";
import { type Outcome, refuseUsage } from "../declaration/declaration.js";
import type { FlowFlags } from "../options/flow.js";
import { textOf } from "../print.js";
import { scoreLines } from "./of-images.js";

/** Writes 0.png, 1.png and truth.flo to the folder. */
export function makePair(flowCase: FlowCase, { seed, output }: FlowFlags, paths: readonly string[]): Outcome {
  if (output === undefined) refuseUsage("flow: --make has no folder to write to", "give -o FOLDER");
  if (paths.length > 0) refuseUsage("flow: --make takes no images", "leave them out");
  const { width, height, first, second, truth } = makeFlowPair(flowCase, seed);
  ensureFolder(output);
  const files = {
    "0.png": encodePng(width, height, first),
    "1.png": encodePng(width, height, second),
    "truth.flo": formatFlo(truth),
  };
  for (const [name, bytes] of Object.entries(files)) writeWhole(join(output, name), bytes);
  const written = Object.keys(files).map((name) => join(output, name));
  return {
    text: textOf([`${flowCase}, seed ${seed}: ${width} × ${height}`, ["wrote", written.join(", ")]]),
    json: { case: flowCase, seed, width, height, written },
  };
}

export function scoreFields(paths: readonly string[], { border }: FlowFlags): Outcome {
  if (paths.length !== 2) refuseUsage(`flow: --score got ${paths.length} files`, "give the flow and the truth");
  const [flow, truth] = paths;
  const scores = scoreFlow(readFlo(flow), readFlo(truth), border);
  return {
    text: textOf([`${flow} against ${truth}`, ...scoreLines(scores)]),
    json: { flow, truth, border, scores },
  };
}
