import { clearCounts } from "../clear.js";
import type { Metric } from "../metric.js";

/** Times that a target is found again after detections of it that were on no track (Bernardin & Stiefelhagen 2008). */
export const fragments: Metric = {
  label: "fragments",
  title: "times that a target is found again after it was lost",
  unit: "",
  better: "less",
  of: (comparison) => clearCounts(comparison).fragments,
};
