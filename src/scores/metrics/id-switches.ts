import { clearCounts } from "../clear.js";
import type { Metric } from "../metric.js";

/** Times that a target is found on another track than the one it was last found on (Bernardin & Stiefelhagen 2008). */
export const idSwitches: Metric = {
  label: "ID switches",
  title: "times that a target changes its track",
  unit: "",
  better: "less",
  of: (comparison) => clearCounts(comparison).switches,
};
