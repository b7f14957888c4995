import { linkCounts } from "../links.js";
import { type Metric, percentOf } from "../metric.js";

/** 100 · (true links not found + links that are not true) / (true links + links of the tracks). */
export const linkErrors: Metric = {
  label: "link errors",
  title: "misses and false links, of true links and links of the tracks together",
  unit: "%",
  better: "less",
  of: (comparison) => {
    const { truth, missed, answer, wrong } = linkCounts(comparison);
    return percentOf(missed + wrong, truth + answer);
  },
};
