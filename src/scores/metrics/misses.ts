import { linkCounts } from "../links.js";
import { type Metric, percentOf } from "../metric.js";

/** 100 · true links not found / true links, between successive detections of a target whatever the frames between. */
export const misses: Metric = {
  label: "misses",
  title: "true links not found",
  unit: "%",
  better: "less",
  of: (comparison) => {
    const { truth, missed } = linkCounts(comparison);
    return percentOf(missed, truth);
  },
};
