import { clearCounts } from "../clear.js";
import { type Metric, percentOf } from "../metric.js";

/** 100 · (1 − (points not found + false points + identity switches) / true points) (Bernardin & Stiefelhagen 2008). May be negative. */
export const mota: Metric = {
  label: "MOTA",
  title: "multiple object tracking accuracy",
  unit: "%",
  better: "more",
  of: (comparison) => {
    const counts = clearCounts(comparison);
    return percentOf(counts.found - counts.false - counts.switches, counts.truth);
  },
};
