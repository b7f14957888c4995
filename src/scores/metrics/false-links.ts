import { linkCounts } from "../links.js";
import { type Metric, percentOf } from "../metric.js";

/** 100 · links of the tracks that are no true links / links of the tracks. */
export const falseLinks: Metric = {
  label: "false links",
  title: "links of the tracks that are no true links",
  unit: "%",
  better: "less",
  of: (comparison) => {
    const { answer, wrong } = linkCounts(comparison);
    return percentOf(wrong, answer);
  },
};
