import type { FlowOptions } from "../../pixels/flow/options.js";
import type { FlowSteps } from "../../pixels/flow/steps.js";
import type { FlowFlags } from "../options/flow.js";
import type { Progress } from "../progress.js";

/** What a mode of `rmap flow` computes with. */
export interface FlowRun {
  readonly flags: FlowFlags;
  readonly options: FlowOptions;
  readonly steps: FlowSteps;
  readonly progress: Progress;
}
